// The account: sums, refusals, and what a mechanism may draw before it is paid for.
#include "dpcov/ledger.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "dpcov/error.hpp"
#include "dpcov/release.hpp"
#include "ledger/ledger_file.hpp"
#include "ledger/ledger_lock.hpp"
#include "support/expected_error.hpp"
#include "support/mounted_by_itself.hpp"
#include "support/temporary_folder.hpp"
#include "tables/table_support.hpp"

namespace dpcov {
namespace {

class LedgerTest : public ::testing::Test {
protected:
    std::int64_t charge(Ledger& ledger, const Budget& budget, const std::string& dataset = "a",
                        Neighbours neighbours = Neighbours::replace) {
        return ledger.charge(
            {.dataset = dataset, .spent = budget, .neighbours = neighbours, .method = "gauss"});
    }

    test::TemporaryFolder folder_;
    std::string path_ = folder_ / "budget.ledger";
};

template <class Exception, class Body>
std::string told_by(Body&& body) {
    try {
        body();
    } catch (const Exception& error) {
        return error.what();
    }
    ADD_FAILURE() << "nothing of the kind was thrown";
    return "";
}

// Whoever is forked off while another thread charges holds the ledger's descriptors, but not its
// lock: else nobody could charge for as long as that process lives.
TEST_F(LedgerTest, AProcessThatWasForkedMeanwhileHoldsNoLock) {
    { Ledger ledger(path_, Ledger::IfMissing::create); }
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe(ends.data()), 0);
    auto lock = std::make_unique<detail::LedgerLock>(path_);
    const pid_t child = ::fork();
    if (child == 0) {
        ::close(ends[1]);
        char none = 0;
        _exit(::read(ends[0], &none, 1) == 0 ? 0 : 1);  // until the parent has tried
    }
    lock.reset();
    EXPECT_NO_THROW(detail::LedgerLock{path_});
    ::close(ends[0]);
    ::close(ends[1]);
    int status = 1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
}

TEST_F(LedgerTest, TenTenthsFillOneAndNoMore) {
    Ledger ledger(path_, Ledger::IfMissing::create);
    ledger.declare("a", Rho(1.0));
    for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(charge(ledger, Rho(0.1)), i + 1);
    }
    const auto told = told_by<BudgetError>([&] { charge(ledger, Rho(1e-300)); });
    EXPECT_NE(told.find("1e-300"), std::string::npos) << told;
    const LedgerStatement account = ledger.statement("a");
    EXPECT_EQ(account.releases, 10U);
    EXPECT_EQ(account.spent, 1.0);
    EXPECT_EQ(account.left, 0.0);
    EXPECT_EQ(ledger.charges("a").size(), 10U);
}

TEST_F(LedgerTest, AnAccountIsForSoManyRowsPerPerson) {
    {
        Ledger ledger(path_, Ledger::IfMissing::create);
        ledger.declare("visits", Rho(1.0), Neighbours::replace, 4);
        ledger.declare("people", Rho(1.0));
    }
    Ledger ledger(path_);
    EXPECT_EQ(ledger.statement("visits").rows_per_person, 4U);
    EXPECT_EQ(ledger.statement("people").rows_per_person, 1U);
    const auto charge_for = [&](const std::string& dataset, std::uint32_t rows) {
        ledger.charge(
            {.dataset = dataset, .spent = Rho(0.25), .rows_per_person = rows, .method = "gauss"});
    };
    charge_for("visits", 4);
    charge_for("people", 1);
    const auto is_refused = [&](const std::string& dataset, std::uint32_t rows) {
        const auto told = told_by<BudgetError>([&] { charge_for(dataset, rows); });
        EXPECT_NE(told.find("rows per person"), std::string::npos) << told;
    };
    for (const std::uint32_t rows : {1U, 3U, 5U}) {
        is_refused("visits", rows);
    }
    is_refused("people", 4);
    for (const char* dataset : {"visits", "people"}) {
        EXPECT_EQ(ledger.statement(dataset).releases, 1U);
        EXPECT_EQ(ledger.statement(dataset).left, 0.75);
    }
    for (const std::uint32_t rows : {0U, 1'000'001U}) {
        EXPECT_THROW(Ledger::check_declaration("new", Rho(1.0), rows), UsageError);
        EXPECT_THROW(ledger.declare("new", Rho(1.0), Neighbours::replace, rows), UsageError);
    }
    EXPECT_EQ(ledger.statements().size(), 2U);
}

// SQLite finds what a crash left by the name alone under which it was left.
TEST_F(LedgerTest, HasOneName) {
    {
        Ledger ledger(path_, Ledger::IfMissing::create);
        ledger.declare("a", Rho(1.0));
    }
    std::filesystem::create_hard_link(path_, folder_ / "other.ledger");
    const auto told = told_by<DeviceError>([&] { const Ledger ledger(path_); });
    EXPECT_NE(told.find("hard links"), std::string::npos) << told;
    EXPECT_THROW(Ledger(folder_ / "other.ledger", Ledger::IfMissing::create), DeviceError);
    std::filesystem::remove(folder_ / "other.ledger");
    std::filesystem::create_symlink(path_, folder_ / "link.ledger");
    Ledger ledger(folder_ / "link.ledger");
    charge(ledger, Rho(0.5));
}

TEST_F(LedgerTest, IsNotReadWhereItIsMountedByItself) {
    {
        Ledger ledger(path_, Ledger::IfMissing::create);
        ledger.declare("a", Rho(1.0));
    }
    const auto told = test::told_where_mounted(path_, [&] { const Ledger ledger(path_); });
    if (!told) {
        GTEST_SKIP() << "this process may not mount";
    }
    EXPECT_NE(told->find("mounted by itself"), std::string::npos) << *told;
    const Ledger ledger(path_);  // where it is not
}

// What declare() refuses for itself can be refused before there is a ledger.
TEST_F(LedgerTest, ADeclarationIsCheckedWithoutAFile) {
    Ledger ledger(path_, Ledger::IfMissing::create);
    for (const std::string& name : {std::string("a\nb"), std::string(), std::string(201, 'a')}) {
        EXPECT_THROW(Ledger::check_declaration(name, Rho(1.0)), UsageError);
        EXPECT_THROW(ledger.declare(name, Rho(1.0)), UsageError);
    }
    EXPECT_NO_THROW(Ledger::check_declaration("a", Rho(1.0)));
    EXPECT_TRUE(ledger.statements().empty());
}

TEST_F(LedgerTest, AStatementHasTheHeadOfItsState) {
    Ledger ledger(path_, Ledger::IfMissing::create);
    ledger.declare("a", Rho(1.0));
    ledger.declare("b", Rho(1.0));
    const std::string before = ledger.head();
    EXPECT_EQ(ledger.statement("a").head, before);
    charge(ledger, Rho(0.5));
    EXPECT_NE(ledger.head(), before);
    for (const LedgerStatement& account : ledger.statements()) {
        EXPECT_EQ(account.head, ledger.head()) << account.dataset;
    }
}

TEST_F(LedgerTest, RemembersAfterClosing) {
    {
        Ledger ledger(path_, Ledger::IfMissing::create);
        ledger.declare("a", Rho(1.0));
        charge(ledger, Rho(0.75));
    }
    Ledger ledger(path_);
    EXPECT_EQ(ledger.statement("a").left, 0.25);
    EXPECT_THROW(charge(ledger, Rho(0.3)), BudgetError);
    charge(ledger, Rho(0.25));
}

// A process that closes any descriptor of the file lets go of all POSIX locks that it has there,
// and SQLite's are such. Without dpcov's own this failed in 6 of 6 runs.
TEST_F(LedgerTest, KeepsEveryChargeWhateverElseReadsTheFile) {
    Ledger(path_, Ledger::IfMissing::create).declare("a", Rho(1.0));
    constexpr int charges = 40;
    std::vector<pid_t> children;
    for (int process = 0; process < 2; ++process) {
        children.push_back(::fork());
        ASSERT_GE(children.back(), 0);
        if (children.back() == 0) {
            std::atomic<bool> done{false};
            std::thread reader([&] {
                while (!done) {
                    std::ifstream(path_).get();
                    std::this_thread::sleep_for(std::chrono::milliseconds(1));
                }
            });
            int failed = 0;
            try {
                for (int i = 0; i < charges; ++i) {
                    Ledger ledger(path_);  // to open it reads it, too
                    charge(ledger, Rho(1e-3));
                }
            } catch (const Error&) {
                failed = 1;
            }
            done = true;
            reader.join();
            ::_exit(failed);
        }
    }
    for (const pid_t child : children) {
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        EXPECT_EQ(status, 0);
    }
    EXPECT_EQ(Ledger(path_).statement("a").releases, 2U * charges);
}

TEST_F(LedgerTest, IsSharedByThreads) {
    Ledger ledger(path_, Ledger::IfMissing::create);
    ledger.declare("a", Rho(1.0));
    std::vector<std::thread> threads;
    for (int k = 0; k < 4; ++k) {
        threads.emplace_back([&] {
            for (int i = 0; i < 5; ++i) {
                charge(ledger, Rho(1e-3));
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(ledger.statement("a").releases, 20U);
}

TEST_F(LedgerTest, AccountsAreApart) {
    Ledger ledger(path_, Ledger::IfMissing::create);
    ledger.declare("b", Rho(1.0));
    ledger.declare("a", Epsilon(2.0));
    charge(ledger, Rho(1.0), "b");
    charge(ledger, Epsilon(1.5), "a");
    ASSERT_EQ(ledger.statements().size(), 2U);
    EXPECT_EQ(ledger.statements()[0].dataset, "a");
    EXPECT_EQ(ledger.statements()[0].left, 0.5);
    EXPECT_EQ(ledger.statements()[1].left, 0.0);
    EXPECT_EQ(ledger.charges("a").size(), 1U);
    EXPECT_EQ(ledger.charges().size(), 2U);
}

TEST_F(LedgerTest, PureReleasesCostRhoInAnAccountOfRho) {
    Ledger ledger(path_, Ledger::IfMissing::create);
    ledger.declare("a", Rho(1.0));
    charge(ledger, Epsilon(1.0));
    EXPECT_EQ(ledger.statement("a").spent, 0.5);
    EXPECT_TRUE(std::holds_alternative<Epsilon>(ledger.charges("a")[0].spent));
}

TEST_F(LedgerTest, ApproximateTotalsAreKeptAsRho) {
    const ApproximateDp total{Epsilon(1.0), Delta(1e-6)};
    const double rho = rho_for(total).value();
    Ledger ledger(path_, Ledger::IfMissing::create);
    ledger.declare("a", total);
    EXPECT_FALSE(ledger.statement("a").curve);
    EXPECT_EQ(ledger.statement("a").left, rho);
    EXPECT_THROW(charge(ledger, Rho(rho * 1.001)), BudgetError);
    charge(ledger, Rho(rho));
    EXPECT_EQ(ledger.statement("a").curve, Curve::zcdp);
    EXPECT_EQ(ledger.statement("a").left, 0.0);
    const auto kept = std::get<ApproximateDp>(ledger.statement("a").total);
    EXPECT_EQ(kept.epsilon.value(), 1.0);
    EXPECT_EQ(kept.delta.value(), 1e-6);
}

// As release() charges what is of Gaussian noise alone.
std::int64_t charge_gaussian(Ledger& ledger, const Budget& budget) {
    return ledger.charge(
        {.dataset = "a", .spent = budget, .curve = Curve::gaussian, .method = "auto"});
}

TEST_F(LedgerTest, GaussianChargesAddUpByTheirCurve) {
    const ApproximateDp total{Epsilon(1.0), Delta(1e-6)};
    const double limit = rho_for(total, Curve::gaussian).value();
    ASSERT_GT(limit, 1.15 * rho_for(total).value());
    Ledger ledger(path_, Ledger::IfMissing::create);
    ledger.declare("a", total);
    EXPECT_THROW(charge_gaussian(ledger, Rho(std::nextafter(limit, 1.0))), BudgetError);
    charge_gaussian(ledger, Rho(0.02));
    EXPECT_EQ(ledger.statement("a").curve, Curve::gaussian);
    EXPECT_GT(ledger.statement("a").left, 0.008);
    EXPECT_THROW(charge_gaussian(ledger, Rho(limit - 0.0199)), BudgetError);
    charge_gaussian(ledger, Rho(0.008));
    EXPECT_NEAR(ledger.statement("a").left, limit - 0.028, 1e-12);
    for (const LedgerCharge& charge : ledger.charges("a")) {
        EXPECT_EQ(charge.curve, Curve::gaussian);
    }
}

// The first charge decides: what began by one curve does not go on by the other, in the same
// process or in a later one.
TEST_F(LedgerTest, TheCurveOfAnAccountIsThatOfItsFirstCharge) {
    const ApproximateDp total{Epsilon(1.0), Delta(1e-6)};
    {
        Ledger ledger(path_, Ledger::IfMissing::create);
        ledger.declare("a", total);
        // What is refused decides nothing.
        EXPECT_THROW(charge(ledger, Rho(0.025)), BudgetError);
        charge_gaussian(ledger, Rho(0.001));
    }
    Ledger ledger(path_);
    const auto told = told_by<BudgetError>([&] { charge(ledger, Rho(1e-9)); });
    EXPECT_NE(told.find("other noise"), std::string::npos) << told;
    EXPECT_THROW(charge(ledger, Epsilon(1e-9)), BudgetError);
    EXPECT_THROW(charge_gaussian(ledger, Epsilon(1e-9)), BudgetError) << "pure DP is not Gaussian";
    EXPECT_EQ(ledger.statement("a").releases, 1U);

    std::filesystem::remove(path_);
    Ledger other(path_, Ledger::IfMissing::create);
    other.declare("a", total);
    charge(other, Rho(0.001));
    charge_gaussian(other, Rho(0.02));
    EXPECT_EQ(other.statement("a").curve, Curve::zcdp);
    EXPECT_EQ(other.charges("a")[1].curve, Curve::gaussian);
    EXPECT_THROW(charge_gaussian(other, Rho(0.006)), BudgetError) << "within the other limit only";
    charge(other, Rho(0.003));
}

// Accounts in rho pay for everything, and count a charge for what it is by either curve.
TEST_F(LedgerTest, AccountsInRhoTakeChargesOfEitherCurve) {
    Ledger ledger(path_, Ledger::IfMissing::create);
    ledger.declare("a", Rho(1.0));
    charge_gaussian(ledger, Rho(0.25));
    EXPECT_EQ(ledger.statement("a").curve, Curve::gaussian);
    charge(ledger, Rho(0.25));
    charge(ledger, Epsilon(1.0));
    EXPECT_EQ(ledger.statement("a").curve, Curve::zcdp);
    EXPECT_EQ(ledger.statement("a").left, 0.0);
}

// What release() charges under (epsilon, delta): one release fills an account of the same total,
// whatever its noise is, and says by which curve.
TEST_F(LedgerTest, OneReleaseFillsAnAccountOfItsOwnDefinition) {
    const ApproximateDp total{Epsilon(1.0), Delta(1e-6)};
    SecondMoment rows({.columns = 2, .norm_bound = 1.0, .keep_directions = true});
    for (int i = 0; i < 100; ++i) {
        rows.add_row_major(std::vector<double>{0.6, 0.3, 0.0, 0.5});
    }
    Ledger ledger(path_, Ledger::IfMissing::create);
    for (const Method& method : methods()) {
        if (!method.zcdp || method.name == "zero") {
            continue;
        }
        for (const Variant variant : {Variant::best, Variant::paper}) {
            if (variant == Variant::paper && method.name != "auto") {
                continue;  // whose curve is another then
            }
            const std::string name = std::string(method.name) + "/" + std::string(name_of(variant));
            ledger.declare(name, total);
            ReleaseOptions options{.method = std::string(method.name),
                                   .variant = variant,
                                   .accountant = &ledger.account(name)};
            if (method.needs_clip) {
                options.clip = 0.5;
            }
            const Release made = release(rows, total, options);
            ASSERT_FALSE(made.stages.empty()) << name;
            const LedgerStatement account = ledger.statement(name);
            EXPECT_EQ(account.left, 0.0) << name;
            EXPECT_EQ(account.curve, method.curve(variant)) << name;
            EXPECT_EQ(made.curve, method.curve(variant)) << name;
            EXPECT_EQ(account.spent, rho_for(total, made.curve).value()) << name;
            EXPECT_THROW(static_cast<void>(release(rows, Rho(1e-4), options)), BudgetError) << name;
        }
    }
}

TEST_F(LedgerTest, RefusesWhatDoesNotAddUp) {
    Ledger ledger(path_, Ledger::IfMissing::create);
    ledger.declare("a", Epsilon(10.0));
    EXPECT_THROW(charge(ledger, Rho(1e-9)), BudgetError);
    EXPECT_THROW(charge(ledger, Epsilon(1.0), "a", Neighbours::add_remove), BudgetError);
    EXPECT_EQ(ledger.statement("a").releases, 0U);
}

TEST_F(LedgerTest, RefusesMistakes) {
    EXPECT_THROW(Ledger{path_}, DeviceError);
    Ledger ledger(path_, Ledger::IfMissing::create);
    ledger.declare("a", Rho(1.0));
    EXPECT_THROW(ledger.declare("a", Rho(2.0)), UsageError);
    EXPECT_EQ(ledger.statement("a").left, 1.0);
    EXPECT_THROW(ledger.declare("", Rho(2.0)), UsageError);
    EXPECT_THROW(ledger.declare("new\nline", Rho(2.0)), UsageError);
    EXPECT_THROW(ledger.declare(std::string(201, 'x'), Rho(2.0)), UsageError);
    const auto told = told_by<UsageError>([&] { charge(ledger, Rho(0.1), "other"); });
    EXPECT_NE(told.find("but for 'a'"), std::string::npos) << told;
}

// A method is a name that others read in their terminals and spreadsheets, as a data set's is.
TEST_F(LedgerTest, ChargesForNothingThatIsNoName) {
    Ledger ledger(path_, Ledger::IfMissing::create);
    ledger.declare("a", Rho(1.0));
    for (const std::string& method :
         {std::string(), std::string("new\nline"), std::string("\x1b[31m"), std::string("nul\0", 4),
          std::string("\xE9"), std::string(201, 'x')}) {
        const auto told = told_by<UsageError>(
            [&] { ledger.charge({.dataset = "a", .spent = Rho(0.1), .method = method}); });
        EXPECT_NE(told.find("method"), std::string::npos) << told;
    }
    EXPECT_EQ(ledger.statement("a").releases, 0U);
    ledger.charge({.dataset = "a", .spent = Rho(0.1), .method = "ours, \"v2\""});
    EXPECT_EQ(ledger.charges("a").at(0).method, "ours, \"v2\"");
}

TEST_F(LedgerTest, TellsForeignFilesFromLedgers) {
    std::ofstream(path_) << "id,amount\n1,2\n";
    EXPECT_THROW(Ledger{path_}, DataError);
    EXPECT_THROW((Ledger{path_, Ledger::IfMissing::create}), DataError);

    const std::string foreign = folder_ / "foreign.db";
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open(foreign.c_str(), &handle), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(handle, "CREATE TABLE t (x)", nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(handle);
    EXPECT_THROW(Ledger{foreign}, DataError);
    EXPECT_THROW((Ledger{foreign, Ledger::IfMissing::create}), DataError);
    EXPECT_THROW(Ledger{folder_.path()}, DeviceError);
}

// A file cut short or overwritten is an error, never an account with something left.
// Whether there is one cannot be told: so it is not said that there is none.
TEST_F(LedgerTest, ThatCannotBeLookedAtIsNotMissing) {
    std::filesystem::create_symlink(path_, path_);
    try {
        const Ledger ledger(path_);
        ADD_FAILURE() << "opened";
    } catch (const DeviceError& error) {
        EXPECT_EQ(error.system_error(), ELOOP) << error.what();
    }
}

TEST_F(LedgerTest, DamageIsAnError) {
    {
        Ledger ledger(path_, Ledger::IfMissing::create);
        ledger.declare("a", Rho(1.0));
        for (int i = 0; i < 100; ++i) {
            charge(ledger, Rho(0.01));
        }
    }
    const auto size = std::filesystem::file_size(path_);
    for (std::uintmax_t keep = 1; keep < size; keep += 501) {
        const std::string cut = folder_ / "cut.ledger";
        std::filesystem::copy_file(path_, cut, std::filesystem::copy_options::overwrite_existing);
        std::filesystem::resize_file(cut, keep);
        EXPECT_THROW(
            {
                Ledger ledger(cut);
                charge(ledger, Rho(0.01));
            },
            Error)
            << keep << " of " << size << " bytes";
    }
}

// Each index is found to be wrong, also those that no entry is read by. It is the name of an
// account that stands in them, in a page of its own kind.
TEST_F(LedgerTest, DamageOfAnIndexIsToldAsDamage) {
    const std::string name = "stands_out";
    {
        Ledger ledger(path_, Ledger::IfMissing::create);
        ledger.declare(name, Rho(1.0));
    }
    const std::string whole = test::read_file(path_);
    constexpr std::size_t page_bytes = 4096;
    constexpr char leaf_of_index = 0x0a;
    int indices = 0;
    for (std::size_t page = page_bytes; page < whole.size(); page += page_bytes) {
        const std::size_t at = whole.find(name, page);
        if (whole[page] != leaf_of_index || at >= page + page_bytes) {
            continue;
        }
        ++indices;
        std::string damaged = whole;
        damaged[at] = 'S';
        test::write_file(path_, damaged);
        test::expect_error<DataError>([&] { const Ledger ledger(path_); },
                                      {"is damaged, or its device fails"});
    }
    EXPECT_EQ(indices, 2);  // of accounts, and of links
    test::write_file(path_, whole);
    EXPECT_NO_THROW(Ledger{path_}) << "the control";
}

// What SQLite is told: a commit is on the disk when it returns, with the folder; no charge without
// an account; and nothing in the file is run that is not SQLite's own.
TEST_F(LedgerTest, AsksSqliteForDurableAndCheckedEntries) {
    detail::LedgerFile file(path_, true);
    EXPECT_EQ(file.number("PRAGMA synchronous"), 3);
    EXPECT_EQ(file.number("PRAGMA foreign_keys"), 1);
    EXPECT_EQ(file.number("PRAGMA trusted_schema"), 0);
}

TEST_F(LedgerTest, OnlyGrowsWhoeverWrites) {
    {
        Ledger ledger(path_, Ledger::IfMissing::create);
        ledger.declare("a", Rho(1.0));
        charge(ledger, Rho(0.5));
    }
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open(path_.c_str(), &handle), SQLITE_OK);
    for (const char* sql : {"DELETE FROM charge", "UPDATE charge SET amount = '0'",
                            "DELETE FROM account", "UPDATE account SET amount = '9'"}) {
        EXPECT_EQ(sqlite3_exec(handle, sql, nullptr, nullptr, nullptr), SQLITE_CONSTRAINT) << sql;
    }
    sqlite3_close(handle);
    EXPECT_EQ(Ledger(path_).statement("a").left, 0.5);
}

// What charge() would refuse check() refuses, and neither changes the ledger.
TEST_F(LedgerTest, ChecksWithoutCharging) {
    Ledger ledger(path_, Ledger::IfMissing::create);
    ledger.declare("a", Rho(0.5));
    const auto check = [&](const Charge& charge) { ledger.check(charge); };
    const std::string head = ledger.head();
    check({.dataset = "a", .spent = Rho(0.5), .method = "gauss"});
    check({.dataset = "a", .spent = Rho(0.5), .method = "gauss"});
    EXPECT_THROW(check({.dataset = "a", .spent = Rho(0.51), .method = "gauss"}), BudgetError);
    EXPECT_THROW(check({.dataset = "b", .spent = Rho(0.1), .method = "gauss"}), UsageError);
    EXPECT_THROW(check({.dataset = "a",
                        .spent = Rho(0.1),
                        .neighbours = Neighbours::add_remove,
                        .method = "gauss"}),
                 BudgetError);
    EXPECT_THROW(check({.dataset = "a", .spent = Rho(0.1), .method = ""}), UsageError);
    EXPECT_EQ(ledger.head(), head);
    charge(ledger, Rho(0.5));
    EXPECT_THROW(check({.dataset = "a", .spent = Rho(1e-6), .method = "gauss"}), BudgetError);
    ReleaseOptions options{.method = "gauss", .accountant = &ledger.account("a")};
    EXPECT_THROW(check_options(Rho(0.1), options), BudgetError);
    options.method = "zero";
    check_options(Rho(0.1), options);
}

// Whoever copies or moves a file in WAL mode leaves charges behind. Control: set back, it pays.
TEST_F(LedgerTest, KeepsNoChargesInASecondFile) {
    sqlite3* handle = nullptr;
    const auto set = [&](const char* sql) {
        ASSERT_EQ(sqlite3_exec(handle, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sql;
    };
    {
        Ledger ledger(path_, Ledger::IfMissing::create);
        ledger.declare("a", Rho(1.0));
        charge(ledger, Rho(0.25));
        ASSERT_EQ(sqlite3_open(path_.c_str(), &handle), SQLITE_OK);
        set("PRAGMA journal_mode = WAL");
        EXPECT_THROW(charge(ledger, Rho(0.25)), DeviceError);
        EXPECT_THROW(Ledger{path_}, DeviceError);
    }
    set("PRAGMA journal_mode = DELETE");
    sqlite3_close(handle);
    Ledger ledger(path_);
    EXPECT_EQ(ledger.statement("a").left, 0.75);
    charge(ledger, Rho(0.25));
    EXPECT_EQ(ledger.statement("a").left, 0.5);
}

// A path is a file's: none of those that SQLite takes for memory, or for a URI that says so. Two
// ledgers in memory would both allow the whole total.
TEST_F(LedgerTest, IsAFileWhateverItIsCalled) {
    EXPECT_THROW(Ledger("", Ledger::IfMissing::create), UsageError);
    const std::filesystem::path before = std::filesystem::current_path();
    std::filesystem::current_path(std::filesystem::path(path_).parent_path());
    for (const std::string name : {":memory:", "file:u.db?vfs=memdb&mode=memory", "file:n.db"}) {
        {
            Ledger ledger(name, Ledger::IfMissing::create);
            ledger.declare("a", Rho(1.0));
            charge(ledger, Rho(0.75));
        }
        EXPECT_TRUE(std::filesystem::is_regular_file(name)) << name;
        EXPECT_EQ(Ledger(name).statement("a").left, 0.25) << name;
    }
    std::filesystem::current_path(before);
}

// Writes down what it is charged, and refuses where told to.
class Books final : public Accountant {
public:
    explicit Books(bool refuses = false) : refuses_(refuses) {}
    void charge(const Charge& charge) override {
        if (refuses_) {
            throw BudgetError("no");
        }
        charges.push_back(charge);
    }
    std::vector<Charge> charges = {};

private:
    bool refuses_;
};

SecondMoment some_rows(const std::string& dataset = "") {
    SecondMoment secret(
        {.columns = 2, .norm_bound = 1.0, .keep_directions = true, .dataset = dataset});
    secret.add_row_major(std::vector<double>{0.6, 0.0, 0.0, 0.5, 0.1, 0.1});
    return secret;
}

double sum_of(const std::vector<Stage<Budget>>& stages) {
    double sum = 0.0;
    for (const Stage<Budget>& stage : stages) {
        sum += std::get<Rho>(stage.spent).value();
    }
    return sum;
}

// Every release is charged once, with what its own stages add up to: no charge can be less than
// what is drawn, pay for two releases, or be forgotten.
TEST(Accountants, AreChargedWhatIsDrawn) {
    const SecondMoment rows = some_rows();
    for (const Method& method : methods()) {
        for (const double rho : {0.001, 50.0}) {
            for (const Neighbours neighbours : {Neighbours::replace, Neighbours::add_remove}) {
                if (!method.zcdp) {
                    continue;
                }
                Books books;
                ReleaseOptions options{.method = std::string(method.name),
                                       .neighbours = neighbours,
                                       .accountant = &books};
                if (method.needs_clip) {
                    options.clip = 0.5;
                }
                const Release made = release(rows, Rho(rho), options);
                if (made.stages.empty()) {  // zero, or nothing could be seen: nothing is spent
                    EXPECT_TRUE(books.charges.empty()) << method.name;
                    EXPECT_TRUE(made.covariance.isZero(0.0)) << method.name;
                    EXPECT_FALSE(made.charged) << method.name;
                    continue;
                }
                ASSERT_EQ(books.charges.size(), 1U) << method.name;
                const Charge& charge = books.charges.front();
                EXPECT_EQ(std::get<Rho>(charge.spent).value(), rho) << method.name;
                EXPECT_EQ(std::get<Rho>(*made.charged).value(), rho) << method.name;
                EXPECT_LE(sum_of(made.stages), rho) << method.name;
                if (method.name != "em") {  // composes in epsilon, which is less in rho
                    EXPECT_GE(sum_of(made.stages), 0.97 * rho) << method.name;
                }
                EXPECT_EQ(charge.method, method.name);
                EXPECT_EQ(charge.neighbours, neighbours);
                EXPECT_TRUE(made.secure_randomness);
            }
        }
    }
}

// Nothing is charged for what is refused before any noise.
TEST(Accountants, AreNotChargedForWhatIsRefused) {
    Books books;
    const auto refused = [&](const SecondMoment& rows, const Definition& definition,
                             ReleaseOptions options) {
        options.accountant = &books;
        EXPECT_THROW(static_cast<void>(release(rows, definition, options)), Error);
        EXPECT_TRUE(books.charges.empty());
    };
    const SecondMoment rows = some_rows();
    refused(rows, Epsilon(1.0), {.method = "gauss"});
    refused(rows, Rho(1.0), {.method = "laplace"});
    refused(rows, Rho(1.0), {.method = "clip-gauss"});
    refused(rows, Rho(1.0), {.method = "clip-gauss", .clip = 0.3});
    refused(rows, Rho(1.0), {.method = "gauss", .insecure_seed = 1});
    refused(rows, Rho(1e-300), {.method = "gauss"});
    refused(SecondMoment({.columns = 2, .norm_bound = 1.0}), Rho(1.0), {.method = "gauss"});
    EXPECT_NO_THROW(static_cast<void>(release(rows, Rho(1.0), {.accountant = &books})));
    EXPECT_EQ(books.charges.size(), 1U);
}

// A budget is refused for its size before the charge, whatever shares of it a method would have
// drawn with; and what is not refused then is not refused later.
TEST(Accountants, AreNotChargedForABudgetOfNoUse) {
    const SecondMoment rows = some_rows();
    int released = 0;
    for (const Method& method : methods()) {
        for (const auto& [definition, usable] : std::vector<std::pair<Definition, bool>>{
                 {Rho(0.999e-12), false},
                 {Rho(1e-12), true},
                 {Rho(1e30), true},
                 {Rho(1.001e30), false},
                 {Epsilon(0.999e-6), false},
                 {Epsilon(1e-6), true},
                 {Epsilon(1e30), true},
                 {Epsilon(1.001e30), false},
                 {ApproximateDp{Epsilon(1e-9), Delta(1e-9)}, false}}) {
            if (!meets(method, definition)) {
                continue;
            }
            for (const Neighbours neighbours : {Neighbours::replace, Neighbours::add_remove}) {
                for (const bool center : {false, true}) {
                    Books books;
                    ReleaseOptions options{.method = std::string(method.name),
                                           .neighbours = neighbours,
                                           .center = center,
                                           .accountant = &books};
                    if (method.needs_clip) {
                        options.clip = 1.0;
                    }
                    const std::string name = options.method + (center ? " centred" : "");
                    if (usable) {
                        const Release made = release(rows, definition, options);
                        EXPECT_TRUE(made.covariance.allFinite()) << name;
                        ++released;
                    } else {
                        EXPECT_THROW(static_cast<void>(release(rows, definition, options)),
                                     UsageError)
                            << name;
                        EXPECT_TRUE(books.charges.empty()) << name;
                    }
                }
            }
        }
    }
    EXPECT_GT(released, 100);
}

TEST(Accountants, CannotBeForgottenWhereRowsBearAName) {
    const SecondMoment rows = some_rows("people");
    EXPECT_THROW(static_cast<void>(release(rows, Rho(1.0))), UsageError);
    EXPECT_NO_THROW(static_cast<void>(release(rows, Rho(1.0), {.unaccounted = true})));
    Books books;
    EXPECT_EQ(release(rows, Rho(1.0), {.accountant = &books}).dataset, "people");
    EXPECT_EQ(books.charges.at(0).dataset, "people");
}

// A release that is given up at the check of that number; at none of number 0.
class Interrupted {
public:
    struct GivenUp {};

    Interrupted(std::size_t columns, int at)
        : at_(at), rows_({.columns = columns, .norm_bound = 1.0}) {
        rows_.add_row_major(std::vector<double>(columns, 0.5 / static_cast<double>(columns)));
    }

    void release() {
        ReleaseOptions options{.method = "gauss", .accountant = &books};
        options.check_interrupt = [this] {
            if (++checks == at_) {
                throw GivenUp();
            }
        };
        static_cast<void>(dpcov::release(rows_, Rho(1.0), options));
    }

    int checks = 0;
    Books books = Books();

private:
    int at_;
    SecondMoment rows_;
};

TEST(Interruptions, BeforeTheFirstNoiseCostNothing) {
    Interrupted early(2, 1);
    EXPECT_THROW(early.release(), Interrupted::GivenUp);
    EXPECT_TRUE(early.books.charges.empty());
}

TEST(Interruptions, LeaveChargedWhatWasCharged) {
    for (const std::size_t columns : {2U, 400U}) {  // in a decomposition, and while noise is drawn
        Interrupted late(columns, 2);
        EXPECT_THROW(late.release(), Interrupted::GivenUp);
        EXPECT_EQ(late.books.charges.size(), 1U);
        EXPECT_EQ(late.checks, 2);
    }
}

TEST(Interruptions, AreLookedForAsLongAsNoiseIsDrawn) {
    Interrupted narrow(2, 0);
    Interrupted wide(400, 0);
    EXPECT_NO_THROW(narrow.release());
    EXPECT_NO_THROW(wide.release());
    EXPECT_EQ(wide.books.charges.size(), 1U);
    EXPECT_GT(wide.checks, narrow.checks);
    const int before = wide.checks;
    static_cast<void>(release(some_rows(), Rho(1.0)));
    EXPECT_EQ(wide.checks, before) << "of a release that is over";
}

TEST_F(LedgerTest, AccountsAreAccountants) {
    Ledger ledger(path_, Ledger::IfMissing::create);
    ledger.declare("a", Rho(0.15));
    ledger.declare("b", Rho(0.15));
    const SecondMoment rows = some_rows("a");
    Accountant& account = ledger.account("a");
    static_cast<void>(release(rows, Rho(0.1), {.accountant = &account}));
    EXPECT_EQ(ledger.statement("a").releases, 1U);
    EXPECT_EQ(ledger.statement("a").spent, 0.1);
    EXPECT_THROW(static_cast<void>(release(rows, Rho(0.1), {.accountant = &account})), BudgetError);
    EXPECT_THROW(static_cast<void>(release(rows, Rho(0.1), {.accountant = &ledger.account("b")})),
                 UsageError)
        << "rows of another data set";
    EXPECT_EQ(ledger.statement("a").spent, 0.1);
    EXPECT_EQ(ledger.statement("b").spent, 0.0);
    EXPECT_THROW(static_cast<void>(ledger.account("c")), UsageError);
}

// What costs nothing under one kind of neighbours tells the number of rows, which the other
// protects: method zero, a budget at which nothing can be seen, and the refusal of no rows at all.
// Control: for the account's own neighbours zero is free, and tells nothing.
TEST_F(LedgerTest, AccountsTellNothingForOtherNeighbours) {
    Ledger ledger(path_, Ledger::IfMissing::create);
    ledger.declare("a", Rho(0.5), Neighbours::add_remove);
    const SecondMoment rows = some_rows("a");
    const SecondMoment none({.columns = 2, .norm_bound = 1.0, .dataset = "a"});
    const auto released = [&](const SecondMoment& of, double rho, const std::string& method,
                              Neighbours neighbours) {
        return release(
            of, Rho(rho),
            {.method = method, .neighbours = neighbours, .accountant = &ledger.account("a")});
    };
    const auto refusal = [&](const SecondMoment& of, double rho, const std::string& method) {
        try {
            static_cast<void>(released(of, rho, method, Neighbours::replace));
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    const std::string all = refusal(rows, 0.1, "gauss");
    EXPECT_NE(all.find("declared for neighbours add-remove"), std::string::npos) << all;
    EXPECT_EQ(refusal(rows, 0.1, "zero"), all);
    EXPECT_EQ(refusal(rows, 1e-9, "auto"), all);
    EXPECT_EQ(refusal(none, 0.1, "gauss"), all);
    EXPECT_EQ(refusal(none, 0.1, "zero"), all);
    const Release zero = released(rows, 0.1, "zero", Neighbours::add_remove);
    EXPECT_FALSE(zero.rows || zero.noisy_rows);
    EXPECT_EQ(ledger.statement("a").releases, 0U);
    EXPECT_FALSE(released(rows, 0.1, "gauss", Neighbours::add_remove).rows);
    EXPECT_EQ(ledger.statement("a").releases, 1U);
}

// A total that no amount of rho stands for would be in the file for good, and break its listing.
TEST_F(LedgerTest, DeclaresNoTotalThatNothingCanBeHeldAgainst) {
    Ledger ledger(path_, Ledger::IfMissing::create);
    ledger.declare("a", Rho(1.0));
    EXPECT_THROW(ledger.declare("b", ApproximateDp{Epsilon(1e-300), Delta(1e-300)}), UsageError);
    EXPECT_EQ(ledger.statements().size(), 1U);
}

// A disk that is full when the charge is already in the journal: it may have been written.
TEST_F(LedgerTest, AChargeThatMayStandAfterAFailureIsNamed) {
    Ledger ledger(path_, Ledger::IfMissing::create);
    ledger.declare("a", Rho(100.0));
    while (std::filesystem::file_size(path_) < 64'000) {
        charge(ledger, Rho(0.001));
    }
    struct rlimit before {};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    struct rlimit low = before;
    low.rlim_cur = 48'000;  // the journal has a few pages
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &low), 0);
    const auto told = told_by<DeviceError>([&] { charge(ledger, Rho(0.001)); });
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
    std::signal(SIGXFSZ, handler);
    EXPECT_NE(told.find("'a' may have been charged"), std::string::npos) << told;
}

}  // namespace
}  // namespace dpcov
