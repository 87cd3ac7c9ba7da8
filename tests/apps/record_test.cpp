// The record: its fields, their types, and what must not be in it.
#include "dpcov/record.hpp"

#include <algorithm>

#include "apps/program.hpp"
#include "moment/secret_moment.hpp"

namespace dpcov::test {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

class RecordTest : public ProgramTest {
protected:
    RecordTest() {
        write("t.csv", csv(2, some_values(40, 2), "age,income"));
        write("t.npy", npy(40, 2, some_values(40, 2)));
    }

    [[nodiscard]] json record(const std::string& input, const Words& more) const {
        Words arguments = {"estimate", input,   "--norm-bound", "1.5",
                           "--output", "m.csv", "--record",     "r.json"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        if (input == "t.csv") {
            arguments.insert(arguments.end(), {"--header", "yes"});
        }
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        return read_json("r.json");
    }
};

TEST_F(RecordTest, HasTheFieldsOfTheContract) {
    const json r = record("t.csv", {"--rho", "0.5", "--method", "gauss"});
    EXPECT_EQ(run({"--version"}).out, "dpcov " + r.at("version").get<std::string>() + "\n");
    EXPECT_EQ(r.at("method"), "gauss");
    EXPECT_EQ(r.at("variant"), "best");
    EXPECT_EQ(r.at("private"), true);
    EXPECT_EQ(r.at("definition"), (json{{"name", "zcdp"}, {"rho", 0.5}}));
    EXPECT_EQ(r.at("neighbours"), "replace");
    EXPECT_EQ(r.at("n"), 40);
    EXPECT_EQ(r.at("d"), 2);
    EXPECT_EQ(r.at("norm_bound"), 1.5);
    EXPECT_TRUE(r.at("grid").is_number());
    EXPECT_FALSE(r.contains("seconds"));
    EXPECT_EQ(r.at("columns"), (json{"age", "income"}));
    double spent = 0.0;
    ASSERT_FALSE(r.at("stages").empty());
    for (const json& stage : r.at("stages")) {
        EXPECT_TRUE(stage.at("name").is_string());
        EXPECT_TRUE(stage.at("what").is_string());
        spent += stage.at("rho").get<double>();
    }
    EXPECT_LE(spent, 0.5);
    EXPECT_GT(spent, 0.49);
}

// All but what is told of the budget is that of single rows, which get a ninth of it.
TEST_F(RecordTest, IsOfAPersonWithSeveralRows) {
    write("t.npy", npy(1000, 2, some_values(1000, 2)));
    const auto record = [this](const std::string& rho, const std::string& rows) {
        const Outcome made =
            run({"estimate", "t.npy", "--norm-bound", "2", "--rho", rho, "--rows-per-person", rows,
                 "--insecure-seed", "1", "--output", rows + ".csv", "--record", rows + ".json"});
        EXPECT_EQ(made.status, 0) << made.err;
        EXPECT_EQ(made.err.find("for a person") != std::string::npos, rows != "1") << made.err;
        return nlohmann::json::parse(read(rows + ".json"));
    };
    nlohmann::json person = record("0.9", "3");
    nlohmann::json row = record("0.1", "1");
    EXPECT_EQ(read("3.csv"), read("1.csv"));
    EXPECT_EQ(person["rows_per_person"], 3);
    EXPECT_FALSE(row.contains("rows_per_person"));
    EXPECT_EQ(person["stages"].size(), row["stages"].size());
    for (const char* field : {"rows_per_person", "definition", "stages"}) {
        person.erase(field);
        row.erase(field);
    }
    EXPECT_EQ(person, row);
}

// A release of zero says that it is one, and why, to whoever made it and in the record.
TEST_F(RecordTest, ZeroIsExplained) {
    const auto told = [this](const char* rho, const char* method, const char* why) {
        const Words arguments = {"estimate", "t.csv",    "--header", "yes",      "--norm-bound",
                                 "1.5",      "--rho",    rho,        "--method", method,
                                 "--output", "zero.csv", "--record", "zero.json"};
        return run(arguments).err.find(why) != std::string::npos;
    };
    EXPECT_TRUE(told("0.0001", "auto", "zero, and nothing was spent"));
    json r = read_json("zero.json");
    EXPECT_FALSE(r.contains("estimated_frobenius_error"));
    EXPECT_EQ(r.at("zero"), true);
    EXPECT_EQ(r.at("zero_because"), "undetectable");
    EXPECT_EQ(r.at("stages"), json::array());
    EXPECT_TRUE(told("0.0001", "zero", "zero, as asked for"));
    EXPECT_EQ(read_json("zero.json").at("zero_because"), "baseline");
    EXPECT_FALSE(read_json("zero.json").contains("mean"));
    write("bounds.csv", "name,lower,upper\n0,1,2\n1,-3,1\n");
    r = record("t.csv", {"--bounds", "bounds.csv", "--rho", "1", "--method", "zero"});
    EXPECT_EQ(r.at("mean"), json({1.5, -1.0}));  // the midpoints
    // Control: a large budget.
    EXPECT_FALSE(told("100", "auto", "zero"));
    r = read_json("zero.json");
    EXPECT_GT(r.at("estimated_frobenius_error").get<double>(), 0.0);
    EXPECT_GE(r.at("hidden_rows_error"), r.at("estimated_frobenius_error"));
    EXPECT_EQ(r.at("zero"), false);
    EXPECT_FALSE(r.contains("zero_because"));
}

// Every method under every definition that it says it can meet: the record gives the definition,
// and stages which together spend no more than was allowed.
TEST_F(RecordTest, EveryMethodUnderEveryDefinition) {
    for (const json& method : list_methods()) {
        SCOPED_TRACE(method.at("name"));
        Words options = {"--method", method.at("name")};
        if (method.at("needs_clip").get<bool>()) {
            options.insert(options.end(), {"--clip", "1"});
        }
        const auto expect_stages = [](const json& r, const char* unit, double allowed) {
            double spent = 0.0;
            for (const json& stage : r.at("stages")) {
                EXPECT_EQ(stage.size(), 3U);
                spent += stage.at(unit).get<double>();
            }
            EXPECT_LE(spent, allowed);
            EXPECT_EQ(r.at("d"), 2);
        };
        const auto with = [&options](const Words& budget) {
            Words all = options;
            all.insert(all.end(), budget.begin(), budget.end());
            return all;
        };
        if (method.at("pure_dp").get<bool>()) {
            const json r = record("t.npy", with({"--epsilon", "2"}));
            EXPECT_EQ(r.at("definition"), (json{{"name", "pure-dp"}, {"epsilon", 2.0}}));
            expect_stages(r, "epsilon", 2.0);
        }
        if (method.at("zcdp").get<bool>()) {
            const json r = record("t.npy", with({"--rho", "0.5"}));
            EXPECT_EQ(r.at("definition"), (json{{"name", "zcdp"}, {"rho", 0.5}}));
            expect_stages(r, "rho", 0.5);
        }
    }
}

TEST_F(RecordTest, ApproximateDp) {
    const json r = record("t.npy", {"--epsilon", "1", "--delta", "1e-6", "--method", "gauss"});
    const json& definition = r.at("definition");
    EXPECT_EQ(definition.at("name"), "approx-dp");
    EXPECT_EQ(definition.at("epsilon"), 1.0);
    EXPECT_EQ(definition.at("delta"), 1e-6);
    const double rho = definition.at("rho").get<double>();
    // By the exact curve (tests/privacy/gaussian_curve_reference.py).
    EXPECT_EQ(rho, 0.028014481912630337);
    EXPECT_EQ(definition.at("curve"), "gaussian");
    EXPECT_EQ(r.at("stages").at(0).at("rho"), rho);
    EXPECT_FALSE(r.contains("columns"));
    // Where other noise is drawn too, by zCDP.
    const json other = record("t.npy", {"--epsilon", "1", "--delta", "1e-6", "--method", "em"});
    EXPECT_EQ(other.at("definition").at("curve"), "zcdp");
    EXPECT_EQ(other.at("definition").at("rho"), 0.024355970359538372);
}

// n is private when a row may be added or removed: every method counts the rows with noise, and no
// message, line of progress or field of the record has their number. 40123 is a number that no
// noise gives by chance: at rho = 1e-4 its deviation is some hundred. (The seed makes it a fact.)
TEST_F(RecordTest, AddRemoveHidesN) {
    write("many.npy", npy(40123, 2, some_values(40123, 2)));
    for (const json& method : list_methods()) {
        SCOPED_TRACE(method.at("name"));
        const json& serves = method.at("neighbours");
        if (std::find(serves.begin(), serves.end(), "add-remove") == serves.end()) continue;
        for (const char* center : {"", "--center"}) {
            Words arguments = {"estimate",     "many.npy",  "--norm-bound", "1.5",
                               "--output",     "m.csv",     "--record",     "r.json",
                               "--neighbours", "add-remove"};
            arguments.insert(arguments.end(), {"--method", method.at("name"), "--progress"});
            const bool zcdp = method.at("zcdp").get<bool>();
            arguments.insert(arguments.end(),
                             {zcdp ? "--rho" : "--epsilon", zcdp ? "1e-4" : "1e-2"});
            arguments.insert(arguments.end(), {"--insecure-seed", "5"});
            if (method.at("needs_clip").get<bool>()) {
                arguments.insert(arguments.end(), {"--clip", "1"});
            }
            if (*center != 0) arguments.emplace_back(center);
            const Outcome outcome = run(arguments);
            ASSERT_EQ(outcome.status, 0) << outcome.err;
            const json r = read_json("r.json");
            EXPECT_EQ(r.at("neighbours"), "add-remove");
            EXPECT_FALSE(r.contains("n"));
            EXPECT_FALSE(r.contains("seconds"));
            EXPECT_EQ(r.dump().find("40123"), std::string::npos);
            EXPECT_EQ(outcome.err.find("40123"), std::string::npos);
            EXPECT_EQ(outcome.err.find(" rows ("), std::string::npos);
            double spent = 0.0;
            for (const json& stage : r.at("stages")) {
                spent += stage.at(zcdp ? "rho" : "epsilon").get<double>();
            }
            EXPECT_LE(spent, (zcdp ? 1e-4 : 1e-2) * (1.0 + 1e-12));
            EXPECT_EQ(r.contains("noisy_n"), method.at("name") != "zero");
            if (r.contains("noisy_n")) {
                EXPECT_NEAR(r.at("noisy_n").get<double>(), 40123.0, 10000.0);
                const auto& stages = r.at("stages");
                EXPECT_TRUE(std::any_of(stages.begin(), stages.end(), [](const json& stage) {
                    return stage.at("what").get<std::string>().find("number of") !=
                           std::string::npos;
                })) << stages;
                expect_told(outcome.err, {"add-remove", "about " + r.at("noisy_n").dump()});
            }
        }
    }
}

// A table with no rows left differs by one row from one with a single row: it is released, too.
TEST_F(RecordTest, AddRemoveTellsNotEvenThatThereAreNoRows) {
    detail::SecretMoment({.columns = 3, .norm_bound = 1.0}).save(path("empty.moment"));
    for (const char* method : {"gauss", "separate", "stratified"}) {
        const Outcome outcome = run({"estimate", "empty.moment", "--rho", "0.1", "--method", method,
                                     "--neighbours", "add-remove"});
        EXPECT_EQ(outcome.status, 0) << outcome.err;
    }
    EXPECT_EQ(run({"estimate", "empty.moment", "--rho", "0.1", "--method", "gauss"}).status, 3);
}

TEST(FormatRecord, LeavesOutWhatIsPrivateOrUnknown) {
    Release release;
    release.covariance = Eigen::MatrixXd::Identity(3, 3);
    release.method = "laplace";
    release.neighbours = Neighbours::add_remove;
    release.stages = {{.name = "matrix", .spent = Epsilon(0.5), .what = "noise"}};
    json r = json::parse(format_record(release));
    for (const char* absent :
         {"n", "threshold", "estimated_frobenius_error", "columns", "column_scales"}) {
        EXPECT_FALSE(r.contains(absent)) << absent;
    }
    EXPECT_EQ(r.at("bounds"), nullptr);
    EXPECT_EQ(r.at("neighbours"), "add-remove");
    EXPECT_EQ(r.at("private"), false);
    EXPECT_EQ(r.at("stages"),
              json::parse(R"([{"name": "matrix", "epsilon": 0.5, "what": "noise"}])"));

    release.noisy_rows = 9;
    r = json::parse(format_record(release));
    EXPECT_EQ(r.at("noisy_n"), 9);
    EXPECT_FALSE(r.contains("seconds"));  // they grow with n

    release.rows = 7;
    release.noisy_rows.reset();
    release.threshold = 0.25;
    release.estimated_frobenius_error = 0.125;
    r = json::parse(format_record(release));
    EXPECT_EQ(r.at("n"), 7);
    EXPECT_EQ(r.at("threshold"), 0.25);
    EXPECT_EQ(r.at("estimated_frobenius_error"), 0.125);
}

// Only methods whose strata are chosen leave rows out that nothing shows of.
TEST(FormatRecord, SaysWhatTheErrorDoesNotCover) {
    const auto covers = [](const char* method) {
        Release release;
        release.covariance = Eigen::MatrixXd::Identity(2, 2);
        release.method = method;
        release.estimated_frobenius_error = 0.5;
        return json::parse(format_record(release)).at("error_covers").get<std::string>();
    };
    const std::string whole = "noise and estimation, for rows as clipped to the norm bound";
    const std::string part = whole + "; not long rows that noise hides";
    EXPECT_EQ(covers("auto"), part);
    EXPECT_EQ(covers("stratified"), part);
    EXPECT_EQ(covers("gauss"), whole);
    EXPECT_EQ(covers("separate"), whole);
}

TEST(FormatRecord, SaysWhyThereIsNoError) {
    Release release;
    release.covariance = Eigen::MatrixXd::Identity(2, 2);
    release.method = "separate";
    const auto why = [&release] {
        return json::parse(format_record(release)).at("no_error_because").get<std::string>();
    };
    EXPECT_NE(why().find("this method"), std::string::npos);
    release.centered = true;
    EXPECT_NE(why().find("about a mean"), std::string::npos);
    release.zero = ZeroReason::nothing_seen;
    EXPECT_NE(why().find("zero"), std::string::npos);
    release.zero.reset();
    release.estimated_frobenius_error = 0.5;
    EXPECT_FALSE(json::parse(format_record(release)).contains("no_error_because"));
}

TEST(FormatRecord, TakesNamesThatAreNotUtf8) {
    Release release;
    release.covariance = Eigen::MatrixXd::Identity(1, 1);
    release.schema = {{.name = "\xff\"\n"}};
    const json r = json::parse(format_record(release));
    EXPECT_EQ(r.at("columns").at(0), "\xEF\xBF\xBD\"\n");
}

TEST_F(RecordTest, SeedIsNotPrivateAndNotThere) {
    const json r =
        record("t.npy", {"--rho", "1", "--method", "gauss", "--insecure-seed", "8675309"});
    EXPECT_EQ(r.at("private"), false);
    EXPECT_EQ(r.dump().find("8675309"), std::string::npos);
    EXPECT_EQ(r.dump().find("t.npy"), std::string::npos);  // the kind of the input, not its path
}

TEST_F(RecordTest, PublicScalesAndClipping) {
    write("s.csv", "income,4\n");
    const json r = record("t.csv", {"--rho", "1", "--method", "clip-gauss", "--clip", "0.5",
                                    "--scale", "2", "--column-scale", "s.csv"});
    EXPECT_EQ(r.at("norm_bound"), 1.5);
    EXPECT_EQ(r.at("threshold"), 0.5);
    EXPECT_EQ(r.at("scale"), 1.0);
    EXPECT_EQ(r.at("column_scales"), (json{{"age", 2.0}, {"income", 8.0}}));
    EXPECT_LE(r.at("share_of_norm_bound"), 1.0 / 9.0 + 0.05);  // clipped at a third, and noise
    // By index where a name is two columns'.
    write("twice.csv", "a,b,a\n1,1,1\n");
    write("s.csv", "0,10\n1,2\n");
    const json twice =
        record("twice.csv", {"--rho", "1", "--column-scale", "s.csv", "--header", "yes"});
    EXPECT_EQ(twice.at("column_scales"), (json{{"0", 10.0}, {"1", 2.0}, {"2", 1.0}}));
}

// The norm bound that bounds imply is told like one that is typed.
TEST_F(RecordTest, ClippingIsToldBesideTheNormBoundOfBounds) {
    write("b.csv", "age,-4,4\nincome,-4,4\n");
    const Outcome outcome =
        run({"estimate", "t.csv", "--header", "yes", "--bounds", "b.csv", "--rho", "1", "--method",
             "clip-gauss", "--clip", "0.5", "--output", "m.csv", "--record", "r.json"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.err.find("norm bound"), std::string::npos) << outcome.err;
    const json r = read_json("r.json");
    EXPECT_EQ(r.at("norm_bound"), std::sqrt(2.0));
    EXPECT_EQ(r.at("threshold"), 0.5);
    EXPECT_LE(r.at("share_of_norm_bound"), 0.125 + 0.05);  // clipped to 0.5^2 of 2, and noise
}

// Clipping at a public T while reading is the unclipped mechanism at the bound T.
TEST_F(RecordTest, ClipGaussIsGaussAtTheClippingNorm) {
    const Outcome clipped =
        run({"estimate", "t.npy", "--norm-bound", "1.5", "--rho", "1", "--method", "clip-gauss",
             "--clip", "0.5", "--insecure-seed", "1"});
    const Outcome gauss = run({"estimate", "t.npy", "--norm-bound", "0.5", "--rho", "1", "--method",
                               "gauss", "--insecure-seed", "1"});
    EXPECT_EQ(clipped.status, 0) << clipped.err;
    EXPECT_EQ(clipped.out, gauss.out);
}

}  // namespace
}  // namespace dpcov::test
