// Help that teaches: every option is explained, with an example that names real options.
#include <algorithm>
#include <cstdlib>
#include <set>
#include <sstream>
#include <string>

#include "apps/program.hpp"
#include "dpcov/methods.hpp"
#include "dpcov/table.hpp"
#include "tables/lower_case.hpp"

namespace dpcov::test {
namespace {

// MNIST's format: unsigned bytes in three dimensions.
std::string idx_images(unsigned char images, unsigned char side) {
    const std::string head = {0, 0, 8, 3};
    const auto size = [](unsigned char value) {
        return std::string{0, 0, 0, static_cast<char>(value)};
    };
    std::string bytes = head + size(images) + size(side) + size(side);
    for (int i = 0; i < images * side * side; ++i) {
        bytes += static_cast<char>(i % 251);
    }
    return bytes;
}

using Words = std::vector<std::string>;

std::size_t longest_line(const std::string& help) {
    std::istringstream lines(help);
    std::size_t longest = 0;
    for (std::string line; std::getline(lines, line);) {
        longest = std::max(longest, line.size());
    }
    return longest;
}

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
        EXPECT_LE(longest_line(outcome.out), 80U) << outcome.out;
        return outcome.out;
    }
};

TEST_F(HelpTest, Program) {
    expect_told(help({}), {"estimate", "methods", "moment", "help", "--version", "Example",
                           "Exit status", "dpcov estimate"});
}

TEST_F(HelpTest, NamesEveryFormatOfTables) {
    const std::string input = in_lower_case(help({"estimate"}));
    for (const auto& [word, format] : format_words) {
        EXPECT_LT(input.find(word), input.find("--format")) << word;  // where INPUT is explained
    }
}

TEST_F(HelpTest, IsNotGivenOfCommandsThatAreNone) {
    const Outcome estmate = run({"estmate", "--help"});
    EXPECT_EQ(estmate.status, 2);
    expect_told(estmate.err, {"did you mean estimate?"});
    const Outcome ad = run({"moment", "ad", "--help"});
    EXPECT_EQ(ad.status, 2);
    expect_told(ad.err, {"There are add, merge, show"});
    EXPECT_EQ(run({"--help", "estimate"}).status, 0);
    EXPECT_EQ(run({"estimate", "table.csv", "--help"}).status, 0);
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

// The commands of the examples, lines that end in a backslash joined.
Words examples_of(const std::string& help) {
    Words commands;
    std::istringstream lines(help.substr(std::min(help.find("\nExample"), help.size())));
    for (std::string line; std::getline(lines, line);) {
        if (!commands.empty() && commands.back().ends_with('\\')) {
            commands.back().back() = ' ';
            commands.back() += line;
        } else if (line.starts_with("  dpcov ")) {
            commands.push_back(line);
        }
    }
    return commands;
}

// In this order, on files of those names.
TEST_F(HelpTest, EveryExampleRuns) {
    const std::vector<double> values = some_values(180, 3);
    for (const char* const name : {"people.csv", "survey.csv", "monday.csv", "tuesday.csv"}) {
        write(name, csv(3, values, "age,income,hours"));
    }
    write("bounds.csv", "age,0,100\nincome,0,100000\nhours,0,80\n");
    write("scales.csv", "age,2\nincome,3\n");
    write("images", idx_images(20, 28));
    const auto in_shell = [this](const std::string& command) {
        const std::string program = DPCOV_PROGRAM;
        const std::string line = "cd '" + path("") + "' && PATH='" +
                                 program.substr(0, program.rfind('/')) + "':$PATH && { " + command +
                                 " ; } > said 2>&1";
        return std::system(line.c_str());
    };
    ASSERT_EQ(in_shell("gzip -c tuesday.csv > tuesday.csv.gz; "
                       "gzip -c images > train-images-idx3-ubyte.gz"),
              0);
    for (const char* const part : {"north", "south"}) {
        ASSERT_EQ(run({"moment", "add", "people.csv", "--header", "yes", "--norm-bound", "4",
                       "--into", std::string(part) + ".moment"})
                      .status,
                  0);
    }
    std::size_t ran = 0;
    for (const Words& command : std::vector<Words>{{},
                                                   {"estimate"},
                                                   {"derive"},
                                                   {"methods"},
                                                   {"moment"},
                                                   {"moment", "add"},
                                                   {"moment", "merge"},
                                                   {"moment", "show"},
                                                   {"ledger"},
                                                   {"ledger", "show"},
                                                   {"ledger", "export"},
                                                   {"plan"},
                                                   {"budget"},
                                                   {"audit"}}) {
        for (const std::string& example : examples_of(help(command))) {
            if (example.find("audit --all") != std::string::npos) {
                continue;  // takes minutes
            }
            EXPECT_EQ(in_shell(example), 0) << example << '\n' << read("said");
            ++ran;
        }
    }
    EXPECT_GE(ran, 25U);
    // Control: one that does not.
    EXPECT_NE(in_shell("dpcov estimate people.csv --norm-bound 4 --rho 0.1"), 0);
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
        // As the help of `methods` and docs/cli.md say of every method.
        EXPECT_EQ(method.at("neighbours"), (nlohmann::json{"replace", "add-remove"}));
    }
}

// The help names them in an order of its own. The baseline, which has nothing to pay for, it leaves
// out.
TEST_F(HelpTest, CenterNamesTheMethodsThatCentreThemselves) {
    const std::string all = help({"estimate"});
    const std::size_t begin = all.find("Methods other than");
    ASSERT_NE(begin, std::string::npos);
    std::istringstream words(all.substr(begin, all.find("pay", begin) - begin));
    std::set<std::string> named;
    for (std::string word; words >> word;) {
        named.insert(word.substr(0, word.find(',')));
    }
    for (const Method& method : methods()) {
        EXPECT_EQ(named.contains(std::string(method.name)),
                  method.centres_itself && method.name != "zero")
            << method.name;
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
