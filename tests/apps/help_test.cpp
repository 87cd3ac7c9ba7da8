// Help that teaches: every option is explained, with an example that names real options.
#include "apps/program.hpp"

namespace dpcov::test {
namespace {

using Words = std::vector<std::string>;

class HelpTest : public ProgramTest {
protected:
    [[nodiscard]] std::string help(const Words& command) const {
        Words arguments = command;
        arguments.emplace_back("--help");
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        EXPECT_EQ(outcome.err, "");
        Words asked = {"help"};
        asked.insert(asked.end(), command.begin(), command.end());
        EXPECT_EQ(run(asked).out, outcome.out);
        return outcome.out;
    }
};

TEST_F(HelpTest, Program) {
    expect_told(help({}), {"estimate", "methods", "moment", "help", "--version", "Example",
                           "Exit status", "dpcov estimate"});
}

TEST_F(HelpTest, Estimate) {
    expect_told(
        help({"estimate"}),
        {"INPUT",           "--norm-bound",    "--scale",    "--column-scale", "--columns",
         "--header",        "--bad-rows",      "--rho",      "--epsilon",      "--delta",
         "--method",        "--variant",       "--clip",     "--neighbours",   "--center",
         "--output",        "--output-format", "--names",    "--record",       "--threads",
         "--insecure-seed", "--quiet",         "--progress", "Example",        "Exit status",
         "Memory"});
}

TEST_F(HelpTest, Plan) {
    expect_told(help({"plan"}), {"--rows", "--columns", "--norm-bound", "--bounds", "--spread",
                                 "--rho", "--epsilon", "--delta", "--correlation-error",
                                 "--neighbours", "--json", "Example"});
}

TEST_F(HelpTest, MethodsAndMoment) {
    expect_told(help({"methods"}), {"--json", "Example"});
    expect_told(help({"moment"}), {"add", "merge", "show", "SECRET", "Example"});
    expect_told(
        help({"moment", "add"}),
        {"INPUT", "--into", "--norm-bound", "--keep-directions", "--scale", "--column-scale",
         "--columns", "--header", "--bad-rows", "--threads", "--quiet", "--progress", "Example"});
    expect_told(help({"moment", "merge"}), {"INPUTS", "--into", "Example"});
    expect_told(help({"moment", "show"}), {"INPUT", "Example"});
    expect_told(help({"help"}), {"COMMAND", "Example"});
}

TEST_F(HelpTest, Audit) {
    expect_told(help({"audit"}), {"--method", "--all", "--variant", "--center", "--rho",
                                  "--epsilon", "--delta", "--runs", "--confidence", "--dimension",
                                  "--seed", "--json", "--threads", "Example", "Exit status"});
}

TEST_F(HelpTest, Budget) {
    expect_told(help({"budget"}),
                {"--rho", "--epsilon", "--delta", "--neighbours", "--json", "Example"});
}

TEST_F(HelpTest, Lines) {
    for (const Words& command :
         {Words{}, {"estimate"}, {"moment", "add"}, {"audit"}, {"budget"}, {"plan"}}) {
        const std::string text = help(command);
        std::size_t start = 0;
        for (std::size_t end = 0; (end = text.find('\n', start)) != std::string::npos;
             start = end + 1) {
            EXPECT_LE(end - start, 100U) << text.substr(start, end - start);
        }
    }
}

TEST_F(HelpTest, MethodsAreListed) {
    const Outcome table = run({"methods"});
    EXPECT_EQ(table.status, 0) << table.err;
    const nlohmann::json list = list_methods();
    ASSERT_FALSE(list.empty());
    for (const nlohmann::json& method : list) {
        EXPECT_NE(table.out.find(method.at("name").get<std::string>()), std::string::npos);
        EXPECT_TRUE(method.at("zcdp").get<bool>() || method.at("pure_dp").get<bool>());
        EXPECT_FALSE(method.at("summary").get<std::string>().empty());
        EXPECT_FALSE(method.at("source").get<std::string>().empty());
    }
}

TEST_F(HelpTest, Version) {
    const Outcome outcome = run({"--version"});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_TRUE(outcome.out.starts_with("dpcov ")) << outcome.out;
    EXPECT_TRUE(outcome.out.ends_with("\n"));
}

}  // namespace
}  // namespace dpcov::test
