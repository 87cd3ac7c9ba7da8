// dpcov ledger, and releases that are charged: from outside, with the program killed at any moment.
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <set>
#include <thread>

#include "apps/program.hpp"
#include "apps/stopped_runs.hpp"
#include "dpcov/ledger.hpp"
#include "support/test_size.hpp"

namespace dpcov::test {
namespace {

class LedgerCommandTest : public ProgramTest {
protected:
    LedgerCommandTest() { write("table.csv", csv(3, some_values(50, 3))); }

    [[nodiscard]] std::vector<std::string> estimate(const std::string& output,
                                                    const std::string& rho) const {
        return {"estimate",  "table.csv", "--norm-bound", "2",    "--method", "gauss",
                "--rho",     rho,         "--output",     output, "--ledger", "budget.ledger",
                "--dataset", "survey",    "--header",     "no",   "--quiet"};
    }
    Outcome init(const std::string& rho) const {
        return run({"ledger", "init", "budget.ledger", "--dataset", "survey", "--rho", rho});
    }
    [[nodiscard]] nlohmann::json account() const {
        return nlohmann::json::parse(run({"ledger", "show", "budget.ledger", "--json"}).out)[0];
    }
};

TEST_F(LedgerCommandTest, ChargesAndRefuses) {
    ASSERT_EQ(init("0.3").status, 0);
    for (const char* output : {"one.csv", "two.csv", "three.csv"}) {
        EXPECT_EQ(run(estimate(output, "0.1")).status, 0);
    }
    EXPECT_EQ(account()["releases"], 3);
    EXPECT_EQ(account()["left"]["rho"], 0.0);

    const Outcome refused = run(estimate("four.csv", "0.1"));
    EXPECT_EQ(refused.status, 4);
    expect_told(refused.err, {"0.1", "survey", "left", "0.3"});
    EXPECT_EQ(files().size(), 5U);  // table, ledger, three matrices
    EXPECT_EQ(account()["releases"], 3);
}

// What an account does not pay for is refused before a row is read: a bad one is not told of, which
// it is while something is left. What costs nothing is still to be had.
TEST_F(LedgerCommandTest, RefusesBeforeItReads) {
    ASSERT_EQ(init("0.3").status, 0);
    write("table.csv", "1,2,3\n1,bad,3\n");
    const Outcome told = run(estimate("one.csv", "0.3"));
    EXPECT_EQ(told.status, 3);
    expect_told(told.err, {"row 2", "not a number"});
    const Outcome refused = run(estimate("one.csv", "0.31"));
    EXPECT_EQ(refused.status, 4);
    expect_told(refused.err, {"0.31", "survey", "left", "0.3"});
    EXPECT_EQ(refused.err.find("row"), std::string::npos) << refused.err;
    std::vector<std::string> neighbours = estimate("one.csv", "0.1");
    neighbours.insert(neighbours.end(), {"--neighbours", "add-remove"});
    EXPECT_EQ(run(neighbours).status, 4);

    write("table.csv", "1,2,3\n");
    std::vector<std::string> zero = estimate("zero.csv", "0.31");
    *std::find(zero.begin(), zero.end(), "gauss") = "zero";
    EXPECT_EQ(run(zero).status, 0);
    EXPECT_EQ(account()["releases"], 0);
}

// A release of single rows would cost a person with three of them nine times as much.
TEST_F(LedgerCommandTest, AnAccountOfPeopleWithSeveralRowsPaysForThem) {
    ASSERT_EQ(run({"ledger", "init", "budget.ledger", "--dataset", "survey", "--rho", "0.9",
                   "--rows-per-person", "3"})
                  .status,
              0);
    for (const char* rows : {"1", "2", "4"}) {
        std::vector<std::string> words = estimate("one.csv", "0.1");
        words.insert(words.end(), {"--rows-per-person", rows});
        const Outcome refused = run(words);
        EXPECT_EQ(refused.status, 4) << rows;
        expect_told(refused.err, {"at most 3 rows", "rows per person"});
    }
    EXPECT_EQ(account()["releases"], 0);
    std::vector<std::string> words = estimate("one.csv", "0.9");
    words.insert(words.end(), {"--rows-per-person", "3", "--record", "record.json"});
    EXPECT_EQ(run(words).status, 0);
    EXPECT_EQ(account()["left"]["rho"], 0.0);
    EXPECT_EQ(account()["rows_per_person"], 3);
    expect_told(run({"ledger", "show", "budget.ledger"}).out, {"for a person with at most 3 rows"});
    const auto record = nlohmann::json::parse(read("record.json"));
    EXPECT_EQ(record["rows_per_person"], 3);
    EXPECT_EQ(record["definition"]["rho"], 0.9);
    EXPECT_EQ(record["charge"]["rho"], 0.9);
}

// An account for add-remove protects the number of rows, which a release for replace tells, though
// it may cost nothing: of 0, 50 and 51 rows nothing is told then. Control: for the account's own
// neighbours zero is released.
TEST_F(LedgerCommandTest, NothingIsFreeForOtherNeighbours) {
    ASSERT_EQ(run({"ledger", "init", "budget.ledger", "--dataset", "survey", "--rho", "1",
                   "--neighbours", "add-remove"})
                  .status,
              0);
    std::vector<std::string> told;
    for (const std::size_t rows : {std::size_t{0}, std::size_t{50}, std::size_t{51}}) {
        write("table.csv", csv(3, some_values(rows, 3), "a,b,c"));
        ASSERT_EQ(run({"moment", "add", "table.csv", "--into", "t.moment", "--norm-bound", "2",
                       "--dataset", "survey", "--header", "yes"})
                      .status,
                  0);
        std::string all;
        for (const std::string input : {"table.csv", "t.moment"}) {
            for (const std::vector<std::string>& words :
                 {std::vector<std::string>{"--rho", "0.1", "--method", "zero"},
                  std::vector<std::string>{"--rho", "1e-9", "--method", "auto"},
                  std::vector<std::string>{"--rho", "0.1", "--method", "gauss"}}) {
                for (const bool named : {true, false}) {
                    if (input == "table.csv" && !named) {
                        continue;
                    }
                    std::vector<std::string> command = {"estimate", input, "--ledger",
                                                        "budget.ledger"};
                    command.insert(command.end(), words.begin(), words.end());
                    if (named) {
                        command.insert(command.end(), {"--dataset", "survey"});
                    }
                    if (input == "table.csv") {
                        command.insert(command.end(), {"--norm-bound", "2", "--header", "yes"});
                    }
                    const Outcome outcome = run(command);
                    EXPECT_EQ(outcome.status, 4) << input << ' ' << words[3];
                    all += outcome.out + outcome.err;
                }
            }
        }
        EXPECT_EQ(all.find("rows,"), std::string::npos) << all;
        told.push_back(all);
        EXPECT_EQ(run({"estimate", "t.moment", "--ledger", "budget.ledger", "--rho", "0.1",
                       "--method", "zero", "--neighbours", "add-remove"})
                      .status,
                  0);
        std::filesystem::remove(path("t.moment"));
    }
    EXPECT_EQ(told[0], told[1]);
    EXPECT_EQ(told[1], told[2]);
    EXPECT_EQ(account()["releases"], 0);
}

// A number that is no open descriptor when the program begins may be its own file's later.
TEST_F(LedgerCommandTest, NoDescriptorOfItsOwnIsATarget) {
    ASSERT_EQ(init("9").status, 0);
    for (int descriptor = 3; descriptor < 20; ++descriptor) {
        const int flags = ::fcntl(descriptor, F_GETFD);
        if (flags >= 0 && (flags & FD_CLOEXEC) == 0) {
            continue;  // the program has it from here
        }
        const std::string target = "/dev/fd/" + std::to_string(descriptor);
        for (const std::string method : {"zero", "gauss"}) {
            const auto before = files();
            const Outcome refused =
                run({"estimate", "table.csv",     "--header",  "no",        "--norm-bound",
                     "2",        "--rho",         "1",         "--method",  method,
                     "--ledger", "budget.ledger", "--dataset", "survey",    "--output",
                     "o.csv",    "--record",      "o.json",    "--release", target});
            EXPECT_EQ(refused.status, 5) << target << refused.err;
            EXPECT_EQ(files(), before);
        }
    }
    EXPECT_EQ(account()["releases"], 0);
}

// A named pipe for writing, when somebody reads it; -1 where nobody does within half a minute.
int opened_with_reader(const std::string& pipe) {
    for (int tries = 0; tries < 3000; ++tries) {
        if (const int file = ::open(pipe.c_str(), O_WRONLY | O_NONBLOCK); file >= 0) {
            return file;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return -1;
}

// While rows are read a target becomes a link to the ledger: what costs nothing is not charged, and
// so not looked at then. Control: what is charged.
TEST_F(LedgerCommandTest, NoLinkToTheLedgerIsReplaced) {
    ASSERT_EQ(init("9").status, 0);
    const std::string before = read("budget.ledger");
    for (const std::string method : {"zero", "gauss"}) {
        const std::string pipe = path("pipe.csv");
        ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
        const pid_t child = start({"estimate", "pipe.csv", "--header", "no", "--norm-bound", "2",
                                   "--rho", "1", "--method", method, "--ledger", "budget.ledger",
                                   "--dataset", "survey", "--output", "o.csv"});
        const int rows = opened_with_reader(pipe);  // its targets are checked then
        ASSERT_GE(rows, 0);
        std::filesystem::create_symlink(path("budget.ledger"), path("o.csv"));
        const std::string table = csv(3, some_values(50, 3));
        EXPECT_EQ(::write(rows, table.data(), table.size()), static_cast<ssize_t>(table.size()));
        ::close(rows);
        EXPECT_EQ(wait_for(child), 2) << method;
        ASSERT_EQ(read("budget.ledger"), before) << method;
        std::filesystem::remove(path("o.csv"));
        std::filesystem::remove(pipe);
    }
}

TEST_F(LedgerCommandTest, TellsRhoAndEpsilonDelta) {
    ASSERT_EQ(run({"ledger", "init", "budget.ledger", "--dataset", "survey", "--epsilon", "1",
                   "--delta", "1e-6"})
                  .status,
              0);
    EXPECT_EQ(run(estimate("one.csv", "0.001")).status, 0);
    const nlohmann::json json = account();
    EXPECT_EQ(json["total"]["epsilon"], 1.0);
    EXPECT_EQ(json["spent"]["rho"], 0.001);
    EXPECT_EQ(json["spent"]["delta"], 1e-6);
    EXPECT_GT(json["spent"]["epsilon"], 0.1);
    EXPECT_LT(json["spent"]["epsilon"], 1.0);
    const Outcome shown = run({"ledger", "show", "budget.ledger"});
    expect_told(shown.out, {"survey", "(1, 1e-06)-DP", "rho 0.001", "replace"});
    const Outcome refused = run({"ledger", "show", "budget.ledger", "--delta", "2"});
    EXPECT_EQ(refused.status, 2);
    EXPECT_EQ(refused.out, "");
    const Outcome exported = run({"ledger", "export", "budget.ledger"});
    expect_told(exported.out, {"id,dataset,charged_at,rho,epsilon,method,variant,curve\n1,survey,",
                               ",0.001,,gauss,best,gaussian\n"});
}

// What others charge for may be called anything that a name can be.
TEST_F(LedgerCommandTest, ExportsEveryNameAsOneField) {
    const std::string dataset = "a, \"b\"";
    ASSERT_EQ(run({"ledger", "init", "budget.ledger", "--dataset", dataset, "--rho", "1"}).status,
              0);
    Ledger(path("budget.ledger"))
        .charge({.dataset = dataset, .spent = Rho(0.25), .method = "ours, \"v2\""});
    const Outcome exported = run({"ledger", "export", "budget.ledger"});
    EXPECT_EQ(exported.status, 0);
    expect_told(exported.out, {"\n1,\"a, \"\"b\"\"\",", ",0.25,,\"ours, \"\"v2\"\"\",best,zcdp\n"});
}

TEST_F(LedgerCommandTest, ARefusedDeclarationMakesNoFile) {
    for (const char* name : {"a\nb", ""}) {
        EXPECT_EQ(run({"ledger", "init", "new.ledger", "--dataset", name, "--rho", "1"}).status, 2);
        EXPECT_FALSE(std::filesystem::exists(path("new.ledger")));
    }
}

TEST_F(LedgerCommandTest, SaysWhatIsWrong) {
    EXPECT_EQ(run(estimate("one.csv", "0.1")).status, 5);  // no ledger
    write("budget.ledger", "");  // as a declaration on a full disk leaves it
    const Outcome empty = run(estimate("one.csv", "0.1"));
    EXPECT_EQ(empty.status, 5);
    expect_told(empty.err, {"there is no ledger"});
    ASSERT_EQ(init("1").status, 0);
    EXPECT_EQ(init("2").status, 2);
    const auto with = [&](std::vector<std::string> more) {
        std::vector<std::string> words = {"estimate", "table.csv", "--norm-bound",
                                          "2",        "--rho",     "0.1"};
        words.insert(words.end(), more.begin(), more.end());
        return run(words);
    };
    EXPECT_EQ(with({"--ledger", "budget.ledger"}).status, 2);
    EXPECT_EQ(with({"--dataset", "survey"}).status, 2);
    expect_told(with({"--ledger", "budget.ledger", "--dataset", "other"}).err, {"survey", "init"});
    const Outcome seeded =
        with({"--ledger", "budget.ledger", "--dataset", "survey", "--insecure-seed", "1"});
    EXPECT_EQ(seeded.status, 2);
    expect_told(seeded.err, {"not private"});
    EXPECT_EQ(with({"--ledger", "table.csv", "--dataset", "survey"}).status, 3);
    EXPECT_EQ(run({"ledger", "show", "table.csv"}).status, 3);
    EXPECT_EQ(account()["releases"], 0);
}

// Bad input is found before the charge: it costs nothing.
TEST_F(LedgerCommandTest, BadInputCostsNothing) {
    ASSERT_EQ(init("1").status, 0);
    write("table.csv", "1,2,3\n4,nan,6\n");
    EXPECT_EQ(run(estimate("one.csv", "0.1")).status, 3);
    EXPECT_EQ(account()["releases"], 0);
}

TEST_F(LedgerCommandTest, MomentsBearTheNameOfTheirAccount) {
    ASSERT_EQ(init("1").status, 0);
    const auto add = [&](const std::string& into, const std::vector<std::string>& name) {
        std::vector<std::string> words = {"moment",       "add", "table.csv", "--into", into,
                                          "--norm-bound", "2",   "--header",  "no"};
        words.insert(words.end(), name.begin(), name.end());
        return run(words);
    };
    const auto estimate_moment = [&](const std::string& moment,
                                     const std::vector<std::string>& name) {
        std::vector<std::string> words = {"estimate", moment, "--method", "gauss",
                                          "--rho",    "0.1",  "--ledger", "budget.ledger"};
        words.insert(words.end(), name.begin(), name.end());
        return run(words);
    };
    ASSERT_EQ(add("named.moment", {"--dataset", "survey"}).status, 0);
    EXPECT_EQ(add("named.moment", {}).status, 2) << "rows of no name among rows of one";
    ASSERT_EQ(add("named.moment", {"--dataset", "survey"}).status, 0);
    const Outcome mixed = add("named.moment", {"--dataset", "other"});
    EXPECT_EQ(mixed.status, 2);
    expect_told(mixed.err, {"survey", "other"});
    expect_told(run({"moment", "show", "named.moment"}).out, {"survey"});

    EXPECT_EQ(estimate_moment("named.moment", {}).status, 0);
    EXPECT_EQ(account()["releases"], 1);
    EXPECT_EQ(estimate_moment("named.moment", {"--dataset", "survey"}).status, 0);
    ASSERT_EQ(run({"ledger", "init", "budget.ledger", "--dataset", "other", "--rho", "9"}).status,
              0);
    EXPECT_EQ(estimate_moment("named.moment", {"--dataset", "other"}).status, 2);

    ASSERT_EQ(add("plain.moment", {}).status, 0);
    EXPECT_EQ(estimate_moment("plain.moment", {}).status, 2);
    EXPECT_EQ(estimate_moment("plain.moment", {"--dataset", "other"}).status, 0);
    EXPECT_EQ(
        run({"moment", "merge", "plain.moment", "named.moment", "--into", "all.moment"}).status, 2);
}

// Whatever writes to the file but dpcov, and knows how to put a trigger out of the way and back.
void change(const std::string& ledger, const std::string& trigger, const char* sql) {
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open(ledger.c_str(), &handle), SQLITE_OK);
    std::string text;
    const auto keep = [](void* into, int, char** row, char**) {
        *static_cast<std::string*>(into) = row[0];
        return 0;
    };
    const std::string find = "SELECT sql FROM sqlite_schema WHERE name = '" + trigger + "'";
    EXPECT_EQ(sqlite3_exec(handle, find.c_str(), keep, &text, nullptr), SQLITE_OK);
    const std::string all = "DROP TRIGGER " + trigger + ";" + sql + ";" + text;
    EXPECT_EQ(sqlite3_exec(handle, all.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << all;
    sqlite3_close(handle);
}

TEST_F(LedgerCommandTest, ChangedByOtherMeansIsRefused) {
    ASSERT_EQ(init("0.3").status, 0);
    ASSERT_EQ(run(estimate("one.csv", "0.2")).status, 0);
    // The control: a trigger away and back, and nothing done, is no change.
    change(path("budget.ledger"), "charge_is_new", "SELECT 1");
    ASSERT_EQ(account()["left"]["rho"], 0.1);

    change(path("budget.ledger"), "charge_is_new",
           "INSERT OR REPLACE INTO charge SELECT id, dataset, charged_at, definition, '0', method,"
           " variant FROM charge");
    const auto before = files();
    const Outcome refused = run(estimate("two.csv", "0.2"));
    EXPECT_EQ(refused.status, 3);
    expect_told(refused.err, {"budget.ledger", "changed by other means than dpcov",
                              "nothing was "
                              "charged"});
    EXPECT_EQ(files(), before);
    for (const char* command : {"show", "export"}) {
        const Outcome shown = run({"ledger", command, "budget.ledger"});
        EXPECT_EQ(shown.status, 3) << command;
        EXPECT_EQ(shown.out, "") << command;
    }
    EXPECT_EQ(run({"ledger", "init", "budget.ledger", "--dataset", "other", "--rho", "1"}).status,
              3);
}

TEST_F(LedgerCommandTest, ANotedHeadTellsAnOlderCopy) {
    ASSERT_EQ(init("1").status, 0);
    std::filesystem::copy_file(path("budget.ledger"), path("older.ledger"));
    ASSERT_EQ(run(estimate("one.csv", "0.2")).status, 0);
    const std::string head = account()["head"];
    EXPECT_EQ(head.size(), 64U);
    expect_told(run({"ledger", "show", "budget.ledger"}).out, {"head        " + head + "\n"});
    ASSERT_EQ(run(estimate("two.csv", "0.2")).status, 0);
    EXPECT_NE(account()["head"], head);

    EXPECT_EQ(run({"ledger", "show", "budget.ledger", "--head", head}).status, 0);
    const Outcome older = run({"ledger", "show", "older.ledger", "--head", head});
    EXPECT_EQ(older.status, 3);
    EXPECT_EQ(older.out, "");
    expect_told(older.err, {"older.ledger", head});
    EXPECT_EQ(run({"ledger", "show", "budget.ledger", "--head", "12"}).status, 2);
}

TEST_F(LedgerCommandTest, ProcessesAtOnceSpendNoMoreThanThereIs) {
    ASSERT_EQ(init("0.12").status, 0);
    constexpr int rounds = 8;
    constexpr int at_once = 4;
    int done = 0;
    int refused = 0;
    for (int round = 0; round < rounds; ++round) {
        std::vector<pid_t> children;
        for (int i = 0; i < at_once; ++i) {
            children.push_back(
                start(estimate(std::to_string(round * at_once + i) + ".csv", "0.01")));
        }
        for (const pid_t child : children) {
            const int status = wait_for(child);
            done += status == 0 ? 1 : 0;
            refused += status == 4 ? 1 : 0;
        }
    }
    EXPECT_EQ(done, 12);
    EXPECT_EQ(refused, rounds * at_once - 12);
    EXPECT_EQ(account()["releases"], 12);
    EXPECT_EQ(account()["left"]["rho"], 0.0);
}

// Killed at any moment: what was released is charged, the ledger stays whole, and whoever comes
// next can use it.
TEST_F(LedgerCommandTest, KilledAtAnyMomentNeverUnderCharges) {
    ASSERT_EQ(init("1000").status, 0);
    int number = 0;
    int charges = 0;
    int charged_but_not_released = 0;
    const auto output = [&] { return "out" + std::to_string(number) + ".csv"; };
    const auto start_next = [&] {
        ++number;
        return start(estimate(output(), "0.1"));
    };
    stop_at_any_moment(start_next, SIGKILL, test_size(25, 60), [&](int status) {
        ASSERT_TRUE(status == 0 || status == 128 + SIGKILL) << status;
        const int now = account()["releases"].get<int>();  // opens: not corrupted
        ASSERT_TRUE(now == charges || now == charges + 1);
        const bool released = std::filesystem::exists(path(output()));
        ASSERT_TRUE(!released || now == charges + 1) << "released and not charged";
        ASSERT_TRUE(released || status != 0);
        charged_but_not_released += !released && now == charges + 1 ? 1 : 0;
        charges = now;
    });
    RecordProperty("charged_but_not_released", charged_but_not_released);
    EXPECT_EQ(run(estimate("last.csv", "0.1")).status, 0);
    EXPECT_EQ(account()["releases"], charges + 1);
}

}  // namespace
}  // namespace dpcov::test
