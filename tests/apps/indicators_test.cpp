// Columns NAME=VALUE through all that calls columns: what they give is what columns of 0 and 1 in
// the table give.
#include <string>
#include <vector>

#include "apps/program.hpp"

namespace dpcov::test {
namespace {

class IndicatorsTest : public ProgramTest {
protected:
    IndicatorsTest() {
        std::string by_hand = "age,sex=m,\"region=a, b\"\n";
        std::string people = "age,sex,region\n";
        for (int i = 0; i < 400; ++i) {
            const std::string age = std::to_string(20 + i % 50);
            const bool man = i % 3 == 0;
            const bool listed = i % 7 < 4;
            people += age + (man ? ", m ," : ",f,") + (listed ? "\"a, b\"" : "c") + "\n";
            by_hand += age + (man ? ",1," : ",0,") + (listed ? "1" : "0") + "\n";
        }
        write("by_hand.csv", by_hand);
        write("people.csv", people);
        write("rows.csv", people.substr(people.find('\n') + 1));
        write("bounds.csv", "age,0,100\nsex=m,0,1\n\"region=a, b\",0,1\n");
        write("places.csv", "0,0,100\n1=m,0,1\n\"2=a, b\",0,1\n");
        write("scales.csv", "sex=m,2\n");
    }

    [[nodiscard]] std::string printed(const std::vector<std::string>& arguments) const {
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        return outcome.out;
    }

    [[nodiscard]] std::string released(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), "estimate");
        arguments.insert(arguments.end(), {"--rho", "5", "--insecure-seed", "9"});
        return printed(arguments);
    }
};

TEST_F(IndicatorsTest, GiveWhatColumnsOfZerosAndOnesGive) {
    const std::string expected = released({"by_hand.csv", "--bounds", "bounds.csv", "--names"});
    EXPECT_EQ(expected.substr(0, expected.find('\n')), ",age,sex=m,\"region=a, b\"");
    EXPECT_EQ(released({"people.csv", "--bounds", "bounds.csv", "--names"}), expected);
    const std::string by_place = released({"rows.csv", "--bounds", "places.csv", "--names"});
    EXPECT_EQ(by_place.substr(0, by_place.find('\n')), ",0,1=m,\"2=a, b\"");
    for (const char* table : {"by_hand.csv", "people.csv"}) {
        (void)printed(
            {"moment", "add", table, "--into", "people.moment", "--bounds", "bounds.csv"});
    }
    (void)printed({"moment", "add", "rows.csv", "--into", "rows.moment", "--bounds", "places.csv"});
    (void)printed({"moment", "add", "rows.csv", "--into", "rows.moment"});
    EXPECT_EQ(released({"people.moment"}), released({"rows.moment"}));
    const std::vector<std::string> scaled = {"--columns",  "sex=m,age",    "--column-scale",
                                             "scales.csv", "--norm-bound", "60"};
    std::vector<std::string> of_hand = {"by_hand.csv"};
    std::vector<std::string> of_people = {"people.csv"};
    of_hand.insert(of_hand.end(), scaled.begin(), scaled.end());
    of_people.insert(of_people.end(), scaled.begin(), scaled.end());
    EXPECT_EQ(released(of_people), released(of_hand));
}

TEST_F(IndicatorsTest, AreCalledByDeriveAndPlan) {
    (void)released({"rows.csv", "--bounds", "places.csv", "--release", "rows.npz", "--output",
                    "rows.csv.npy"});
    expect_told(printed({"derive", "rows.npz", "regression", "--target", "0", "--features", "1=m"}),
                {"1=m"});
    // Places are those of the table that was released: they are not counted once more.
    expect_told(run({"derive", "rows.npz", "regression", "--target", "0", "--features", "1"}).err,
                {"there is no column '1'", "'1=m'"});
    expect_told(run({"derive", "rows.npz", "regression", "--target=1=n"}).err,
                {"there is no column '1=n'"});
    for (const std::string bounds : {"bounds.csv", "places.csv"}) {
        const std::string name = bounds == "bounds.csv" ? "sex=m" : "1=m";
        expect_told(printed({"plan", "--rows", "1000", "--bounds", bounds, "--rho", "1", "--mean",
                             name + "=0.5", "--deviation=" + name + "=0.5"}),
                    {name});
    }
}

}  // namespace
}  // namespace dpcov::test
