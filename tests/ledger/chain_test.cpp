// What others do to a ledger's file: SQL is refused by the triggers, and what is done without them
// shows in the chain of hashes. Also where that ends: what only a head noted elsewhere shows.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "dpcov/error.hpp"
#include "dpcov/ledger.hpp"
#include "ledger/ledger_chain.hpp"
#include "ledger/ledger_file.hpp"
#include "ledger/ledger_transaction.hpp"
#include "support/expected_error.hpp"
#include "support/temporary_folder.hpp"

namespace dpcov {
namespace {

/// The file as any program that speaks SQLite opens it.
class Database {
public:
    explicit Database(const std::string& path) {
        if (sqlite3_open(path.c_str(), &handle_) != SQLITE_OK) {
            throw std::runtime_error("cannot open " + path);
        }
        run("PRAGMA synchronous = OFF");  // nothing here outlives the test
    }
    ~Database() { sqlite3_close(handle_); }
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    int status_of(const std::string& sql) {
        return sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
    }
    void run(const std::string& sql) {
        if (status_of(sql) != SQLITE_OK) {
            throw std::runtime_error(sql + ": " + sqlite3_errmsg(handle_));
        }
    }
    std::vector<std::string> column(const std::string& sql) {
        std::vector<std::string> values;
        const auto keep = [](void* into, int, char** row, char**) {
            static_cast<std::vector<std::string>*>(into)->emplace_back(row[0] ? row[0] : "");
            return 0;
        };
        if (sqlite3_exec(handle_, sql.c_str(), keep, &values, nullptr) != SQLITE_OK) {
            throw std::runtime_error(sql + ": " + sqlite3_errmsg(handle_));
        }
        return values;
    }
    /// Runs `sql` with the triggers out of the way, and puts them back as they were.
    void run_without_triggers(const std::string& sql) {
        const auto names = column("SELECT name FROM sqlite_schema WHERE type = 'trigger'");
        const auto texts = column("SELECT sql FROM sqlite_schema WHERE type = 'trigger'");
        for (const std::string& name : names) {
            run("DROP TRIGGER " + name);
        }
        run(sql);
        for (const std::string& text : texts) {
            run(text);
        }
    }

private:
    sqlite3* handle_ = nullptr;
};

class ChainTest : public ::testing::Test {
protected:
    static void charge(Ledger& ledger, double rho, const std::string& dataset = "a") {
        ledger.charge({.dataset = dataset, .spent = Rho(rho), .method = "gauss"});
    }
    /// Two accounts, four charges: 0.1 and 0.2 and 0.3 of 1, and 0.5, of Gaussian noise, of 2.
    void make() const {
        std::filesystem::remove(path_);
        Ledger ledger(path_, Ledger::IfMissing::create);
        ledger.declare("a", Rho(1.0));
        charge(ledger, 0.1);
        charge(ledger, 0.2);
        ledger.declare("b", Rho(2.0));
        ledger.charge(
            {.dataset = "b", .spent = Rho(0.5), .curve = Curve::gaussian, .method = "auto"});
        charge(ledger, 0.3);
    }

    test::TemporaryFolder folder_;
    std::string path_ = folder_ / "budget.ledger";
};

TEST_F(ChainTest, TriggersRefuseWhateverSqlDoesToAnEntry) {
    make();
    const std::string head = Ledger(path_).head();
    Database database(path_);
    const auto as_they_are = [&] {
        return database.column(
            "SELECT dataset || amount FROM account UNION ALL "
            "SELECT id || amount FROM charge UNION ALL "
            "SELECT position || hash FROM link UNION ALL "
            "SELECT charge FROM gaussian_charge");
    };
    const auto before = as_they_are();
    for (const char* sql : {
             "UPDATE charge SET amount = '0'",
             "UPDATE OR REPLACE charge SET id = 1 WHERE id = 2",
             "DELETE FROM charge WHERE id = 4",
             "INSERT OR REPLACE INTO charge VALUES (1, 'a', '2026', 'rho', '0', 'gauss', 'best')",
             "REPLACE INTO charge (id, dataset, definition, amount, method, variant)"
             " VALUES (1, 'a', 'rho', '0', 'gauss', 'best')",
             "INSERT INTO charge VALUES (1, 'a', '2026', 'rho', '0', 'gauss', 'best')"
             " ON CONFLICT DO UPDATE SET amount = '0'",
             "UPDATE account SET amount = '9'",
             "DELETE FROM account",
             "INSERT OR REPLACE INTO account VALUES ('a', 'rho', '9', NULL, 'replace', '2026')",
             "INSERT OR REPLACE INTO account (rowid, dataset, definition, amount, neighbours)"
             " VALUES (1, 'c', 'rho', '9', 'replace')",
             "INSERT INTO account VALUES ('a', 'rho', '9', NULL, 'replace', '2026')"
             " ON CONFLICT DO UPDATE SET amount = '9'",
             "UPDATE link SET hash = ''",
             "DELETE FROM link WHERE position = 6",
             "INSERT OR REPLACE INTO link VALUES (6, NULL, 4, '')",
             "INSERT OR REPLACE INTO link (charge, hash) VALUES (4, '')",
             "INSERT OR REPLACE INTO link (account, hash) VALUES ('a', '')",
             "INSERT INTO gaussian_charge VALUES (1)",
             "INSERT INTO gaussian_charge VALUES (5)",
             "UPDATE gaussian_charge SET charge = 1",
             "INSERT OR REPLACE INTO gaussian_charge VALUES (3)",
             "DELETE FROM gaussian_charge",
         }) {
        EXPECT_EQ(database.status_of(sql), SQLITE_CONSTRAINT) << sql;
        EXPECT_EQ(as_they_are(), before) << sql;
    }
    EXPECT_EQ(Ledger(path_).head(), head);
}

struct Change {
    const char* name;
    const char* sql;
};

// By someone who knows how to put the triggers out of the way, and back.
constexpr Change changes[] = {
    {"an amount", "UPDATE charge SET amount = '0.01' WHERE id = 2"},
    {"the same amount, spelt otherwise", "UPDATE charge SET amount = '0.10' WHERE id = 1"},
    {"whose charge", "UPDATE charge SET dataset = 'b' WHERE id = 1"},
    {"a time", "UPDATE charge SET charged_at = '2020-01-01T00:00:00Z' WHERE id = 1"},
    {"a method", "UPDATE charge SET method = 'zero' WHERE id = 4"},
    {"a total", "UPDATE account SET amount = '100' WHERE dataset = 'a'"},
    {"the neighbours", "UPDATE account SET neighbours = 'add-remove' WHERE dataset = 'a'"},
    {"a delta", "UPDATE account SET delta = '0.1' WHERE dataset = 'a'"},
    {"a replaced charge",
     "INSERT OR REPLACE INTO charge VALUES (1, 'a', '2026', 'rho', '0', 'gauss', 'best')"},
    {"a replaced total",
     "INSERT OR REPLACE INTO account VALUES ('a', 'rho', '9', NULL, 'replace', '2026')"},
    {"no first charge", "DELETE FROM charge WHERE id = 1"},
    {"no first charge and link",
     "DELETE FROM link WHERE charge = 1; DELETE FROM charge WHERE id = 1"},
    {"no first charge and link, the rest moved up",
     "DELETE FROM link WHERE charge = 1; DELETE FROM charge WHERE id = 1;"
     "UPDATE link SET position = position - 1 WHERE position > 2;"
     "UPDATE charge SET id = id - 1; UPDATE link SET charge = charge - 1;"
     "UPDATE sqlite_sequence SET seq = seq - 1"},
    {"no account", "DELETE FROM link WHERE account = 'b'; DELETE FROM account WHERE dataset = 'b'"},
    {"no last charge", "DELETE FROM charge WHERE id = 4"},
    {"no last charge and link",
     "DELETE FROM link WHERE charge = 4; DELETE FROM charge WHERE id = 4"},
    {"nothing", "DELETE FROM link; DELETE FROM charge; DELETE FROM account"},
    {"two charges in each other's place",
     "UPDATE charge SET id = 9 WHERE id = 1; UPDATE charge SET id = 1 WHERE id = 2;"
     "UPDATE charge SET id = 2 WHERE id = 9"},
    {"two links in each other's place",
     "UPDATE link SET position = 9 WHERE position = 2; UPDATE link SET position = 2 WHERE position "
     "= 3; UPDATE link SET position = 3 WHERE position = 9"},
    {"a gap before the last link", "UPDATE link SET position = 9 WHERE position = 6"},
    {"a charge that dpcov did not make",
     "INSERT INTO charge VALUES (5, 'a', '2026', 'rho', '0.1', 'gauss', 'best')"},
    {"an account that dpcov did not declare",
     "INSERT INTO account VALUES ('c', 'rho', '9', NULL, 'replace', '2026')"},
    {"an entry with a made-up hash",
     "INSERT INTO charge VALUES (5, 'a', '2026', 'rho', '0.1', 'gauss', 'best');"
     "INSERT INTO link VALUES (7, NULL, 5, hex(zeroblob(32)))"},
    {"a charge that becomes Gaussian", "INSERT INTO gaussian_charge VALUES (1)"},
    {"a charge to come that becomes Gaussian",
     "PRAGMA foreign_keys = OFF; INSERT INTO gaussian_charge VALUES (5)"},
    {"a charge that is Gaussian no more", "DELETE FROM gaussian_charge"},
    {"a trigger more",
     "CREATE TRIGGER lose BEFORE INSERT ON charge BEGIN SELECT RAISE (IGNORE); END"},
    {"a table more", "CREATE TABLE other (x)"},
};

TEST_F(ChainTest, WhatIsDoneWithoutTheTriggersShows) {
    make();
    const std::string whole = folder_ / "whole.ledger";
    std::filesystem::copy_file(path_, whole);
    const auto restore = [&] {
        std::filesystem::remove(path_);
        std::filesystem::copy_file(whole, path_);
    };
    for (const Change& change : changes) {
        restore();
        Ledger open(path_);
        Database(path_).run_without_triggers(change.sql);
        EXPECT_THROW(Ledger{path_}, DataError) << change.name;
        // The one that was open all the time notices before it charges, and adds nothing.
        const auto entries = Database(path_).column("SELECT count(*) FROM charge");
        EXPECT_THROW(charge(open, 0.001), DataError) << change.name;
        EXPECT_THROW(open.declare("d", Rho(1.0)), DataError) << change.name;
        EXPECT_THROW(static_cast<void>(open.head()), DataError) << change.name;
        EXPECT_THROW(static_cast<void>(open.holds("")), DataError) << change.name;
        EXPECT_THROW(static_cast<void>(open.statement("a")), DataError) << change.name;
        EXPECT_THROW(static_cast<void>(open.statement("none")), DataError) << change.name;
        EXPECT_THROW(static_cast<void>(open.statements()), DataError) << change.name;
        EXPECT_THROW(static_cast<void>(open.charges("a")), DataError) << change.name;
        EXPECT_THROW(static_cast<void>(open.account("a")), DataError) << change.name;
        EXPECT_EQ(Database(path_).column("SELECT count(*) FROM charge"), entries) << change.name;
    }
    // The control: triggers away and back, and nothing done, is a ledger as it was.
    restore();
    Database(path_).run_without_triggers("SELECT 1");
    Ledger ledger(path_);
    charge(ledger, 0.4);
    EXPECT_EQ(ledger.statement("a").left, 0.0);

    Database(path_).run("DROP TRIGGER charge_stays");
    EXPECT_THROW(Ledger{path_}, DataError);
}

// An account that was declared last, without a charge: the chain before it is as it was.
TEST_F(ChainTest, ALastAccountThatIsGoneShows) {
    make();
    Ledger(path_).declare("last", Rho(1.0));
    Database(path_).run_without_triggers(
        "DELETE FROM link WHERE account = 'last'; DELETE FROM account WHERE dataset = 'last'");
    EXPECT_THROW(Ledger{path_}, DataError);
}

TEST_F(ChainTest, SaysThatOthersChangedIt) {
    make();
    Database(path_).run_without_triggers(changes[0].sql);
    test::expect_error<DataError>(
        [&] { const Ledger ledger(path_); },
        {"changed by other means than dpcov", "nothing was charged", path_});
}

// What the file alone cannot show, and a head noted elsewhere does.
TEST_F(ChainTest, OlderCopiesOpenAndDoNotHoldTheHead) {
    make();
    const std::string older = folder_ / "older.ledger";
    std::filesystem::copy_file(path_, older);
    const std::string early = Ledger(older).head();
    std::string late;
    {
        Ledger ledger(path_);
        charge(ledger, 0.4);
        late = ledger.head();
        EXPECT_TRUE(ledger.holds(early));
        EXPECT_TRUE(ledger.holds(late));
    }
    EXPECT_NE(early, late);
    EXPECT_EQ(late.size(), 64U);
    const Ledger restored(older);
    EXPECT_TRUE(restored.holds(early));
    EXPECT_FALSE(restored.holds(late));

    // The last entry taken away with all that counts it.
    Database(path_).run_without_triggers(
        "DELETE FROM link WHERE charge = 5; DELETE FROM charge WHERE id = 5;"
        "UPDATE sqlite_sequence SET seq = seq - 1");
    const Ledger cut(path_);
    EXPECT_EQ(cut.head(), early);
    EXPECT_FALSE(cut.holds(late));
}

TEST_F(ChainTest, TheHeadOfAnEmptyLedgerIsEmpty) {
    Ledger ledger(path_, Ledger::IfMissing::create);
    EXPECT_EQ(ledger.head(), "");
    EXPECT_TRUE(ledger.holds(""));
    ledger.declare("a", Rho(1.0));
    EXPECT_TRUE(ledger.holds(""));
    EXPECT_NE(ledger.head(), "");
}

// A name or a method cannot pass for the end of one field and the beginning of the next.
TEST_F(ChainTest, FieldsDoNotRunTogether) {
    make();
    Database(path_).run_without_triggers(
        "UPDATE charge SET method = 'gaus', variant = 'sbest' WHERE id = 1");
    EXPECT_THROW(Ledger{path_}, DataError);
}

// The tables of the first format, as it was made.
constexpr const char* first_tables = R"sql(
    CREATE TABLE account (
        dataset     TEXT PRIMARY KEY NOT NULL,
        definition  TEXT NOT NULL CHECK (definition IN ('rho', 'epsilon', 'epsilon+delta')),
        amount      TEXT NOT NULL,
        delta       TEXT,
        neighbours  TEXT NOT NULL CHECK (neighbours IN ('replace', 'add-remove')),
        declared_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))
    ) STRICT;
    CREATE TABLE charge (
        id          INTEGER PRIMARY KEY AUTOINCREMENT,
        dataset     TEXT NOT NULL REFERENCES account (dataset),
        charged_at  TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')),
        definition  TEXT NOT NULL CHECK (definition IN ('rho', 'epsilon')),
        amount      TEXT NOT NULL,
        method      TEXT NOT NULL,
        variant     TEXT NOT NULL
    ) STRICT;
    CREATE TRIGGER account_stays BEFORE UPDATE ON account
        BEGIN SELECT RAISE (ABORT, 'an account is not changed'); END;
    CREATE TRIGGER account_is_kept BEFORE DELETE ON account
        BEGIN SELECT RAISE (ABORT, 'an account is not deleted'); END;
    CREATE TRIGGER charge_stays BEFORE UPDATE ON charge
        BEGIN SELECT RAISE (ABORT, 'a charge is not changed'); END;
    CREATE TRIGGER charge_is_kept BEFORE DELETE ON charge
        BEGIN SELECT RAISE (ABORT, 'a charge is not taken back'); END;
)sql";

const std::string first_schema = std::string(first_tables) + R"sql(
    PRAGMA application_id = 1685087052;
    PRAGMA user_version = 1;
    INSERT INTO account (dataset, definition, amount, neighbours) VALUES
        ('b', 'rho', '1', 'replace'), ('a', 'rho', '2', 'replace');
    INSERT INTO charge (dataset, definition, amount, method, variant) VALUES
        ('a', 'rho', '0.5', 'gauss', 'best'), ('b', 'rho', '0.25', 'auto', 'best');
)sql";

TEST_F(ChainTest, LedgersWithoutAChainGetOne) {
    Database(path_).run(first_schema);
    std::string head;
    {
        Ledger ledger(path_);
        EXPECT_EQ(ledger.statement("a").left, 1.5);
        EXPECT_EQ(ledger.statement("b").left, 0.75);
        head = ledger.head();
        EXPECT_EQ(head.size(), 64U);
        charge(ledger, 1.5);
    }
    EXPECT_TRUE(Ledger(path_).holds(head));
    EXPECT_EQ(Database(path_).column("PRAGMA user_version"), std::vector<std::string>{"4"});
    EXPECT_EQ(Database(path_).status_of("INSERT OR REPLACE INTO charge"
                                        " VALUES (1, 'a', '2026', 'rho', '0', 'gauss', 'best')"),
              SQLITE_CONSTRAINT);
    Database(path_).run_without_triggers(changes[0].sql);
    EXPECT_THROW(Ledger{path_}, DataError);
}

// SQLite's "unable to open database file" does not say what to do.
TEST_F(ChainTest, SaysWhatAnUnwritableFolderLacks) {
    test::expect_error<DeviceError>(
        [] { const Ledger ledger("/proc/budget.ledger", Ledger::IfMissing::create); },
        {"/proc/budget.ledger", "folder", "written"});
}

// What already shows in such a file is not sealed with a chain.
// By another program's change of the version alone, say.
TEST_F(ChainTest, AVersionThatIsNotTheFilesIsAChange) {
    for (const char* version : {"1", "2", "3"}) {
        make();
        Database(path_).run_without_triggers(std::string("PRAGMA user_version = ") + version);
        EXPECT_THROW(Ledger{path_}, DataError);
        std::filesystem::remove(path_);
    }
}

TEST_F(ChainTest, LedgersWithoutAChainThatWereChangedStayAsTheyAre) {
    for (const char* sql : {"DELETE FROM charge WHERE id = 2", "DELETE FROM charge WHERE id = 1",
                            "CREATE TABLE other (x)"}) {
        std::filesystem::remove(path_);
        Database(path_).run(first_schema);
        Database(path_).run_without_triggers(sql);
        EXPECT_THROW(Ledger{path_}, DataError) << sql;
        EXPECT_EQ(Database(path_).column("PRAGMA user_version"), std::vector<std::string>{"1"});
        EXPECT_TRUE(
            Database(path_).column("SELECT name FROM sqlite_schema WHERE name = 'link'").empty());
    }
}

// Whoever writes the file can make the chain anew. What dpcov would not have written shows all the
// same, and counts as nothing else. Control: the first, which it would.
TEST_F(ChainTest, WhatIsNoAmountOfTheAccountIsDamage) {
    const auto opened = [&](const std::string& total, const std::string& charged) {
        std::filesystem::remove(path_);
        Database(path_).run(std::string(first_tables) +
                            "PRAGMA application_id = 1685087052; PRAGMA user_version = 1;"
                            "INSERT INTO account (dataset, definition, amount, delta, neighbours)"
                            " VALUES ('a', " +
                            total + ", 'replace');" +
                            "INSERT INTO charge (dataset, definition, amount, method, variant)"
                            " VALUES ('a', " +
                            charged + ", 'gauss', 'best');");
        Ledger ledger(path_);
        static_cast<void>(ledger.statements());
        static_cast<void>(ledger.charges("a"));
    };
    opened("'epsilon', '1', NULL", "'epsilon', '0.5'");
    const std::vector<std::pair<std::string, std::string>> damaged = {
        {"'epsilon', '1', NULL", "'rho', '0.5'"},
        {"'epsilon', '1', NULL", "'epsilon', '-0.5'"},
        {"'epsilon', '1', NULL", "'epsilon', 'nan'"},
        {"'rho', '1', NULL", "'rho', '0'"},
        {"'rho', '1', NULL", "'rho', 'inf'"},
        {"'rho', '1', NULL", "'rho', '0.5' || char(0)"},
        {"'rho', '1', NULL", "'epsilon', '1e200'"},
        {"'epsilon+delta', '1e-300', '1e-300'", "'rho', '0.5'"},
        {"'rho', '-1', NULL", "'rho', '0.5'"},
        {"'epsilon+delta', '1', '2'", "'rho', '0.5'"},
        {"'epsilon+delta', '1', NULL", "'rho', '0.5'"}};
    for (const auto& [total, charged] : damaged) {
        EXPECT_THROW(opened(total, charged), DataError) << total << "; " << charged;
    }
}

// The same where the chain over it was made anew, too, while the ledger was open.
TEST_F(ChainTest, WordsThatDpcovDoesNotWriteAreDamage) {
    for (const char* sql : {
             "UPDATE account SET neighbours = 'some' WHERE dataset = 'a'",
             "UPDATE account SET definition = 'sigma', delta = '0.1' WHERE dataset = 'a'",
             "UPDATE account SET amount = 'much' WHERE dataset = 'a'",
             "UPDATE charge SET definition = 'sigma' WHERE id = 1",
             "UPDATE charge SET amount = '0.1 or so' WHERE id = 1",
         }) {
        make();
        Ledger open(path_);
        detail::LedgerFile forger(path_, false);
        Database(path_).run_without_triggers(
            std::string("PRAGMA ignore_check_constraints = ON;") + sql +
            "; DELETE FROM link; UPDATE sqlite_sequence SET seq = 0 WHERE name = 'link'");
        {
            detail::LedgerTransaction forging(forger);
            detail::link_all(forger);
            forging.commit();
        }
        EXPECT_NO_THROW(static_cast<void>(open.head())) << "the chain is whole: " << sql;
        const auto expect_told = [&](const auto& read) {
            try {
                read();
                ADD_FAILURE() << sql;
            } catch (const DataError& error) {
                EXPECT_NE(std::string(error.what()).find("changed by other means"),
                          std::string::npos)
                    << error.what();
            }
        };
        expect_told([&] { static_cast<void>(open.statement("a")); });
        expect_told([&] { static_cast<void>(open.statements()); });
        expect_told([&] { static_cast<void>(open.account("a")); });
        expect_told([&] { charge(open, 0.1); });
        if (std::string(sql).starts_with("UPDATE charge")) {
            expect_told([&] { static_cast<void>(open.charges("a")); });
        }
    }
}

// A ledger of the version before charges were told apart by their noise, as it was written.
const std::string second_schema = std::string(first_tables) + R"sql(
    CREATE TABLE link (
        position    INTEGER PRIMARY KEY AUTOINCREMENT,
        account     TEXT UNIQUE REFERENCES account (dataset),
        charge      INTEGER UNIQUE REFERENCES charge (id),
        hash        TEXT NOT NULL,
        CHECK ((account IS NULL) <> (charge IS NULL))
    ) STRICT;
    CREATE TRIGGER account_is_new BEFORE INSERT ON account
        WHEN EXISTS (SELECT 1 FROM account WHERE dataset = NEW.dataset OR rowid = NEW.rowid)
        BEGIN SELECT RAISE (ABORT, 'an account is not replaced'); END;
    CREATE TRIGGER charge_is_new BEFORE INSERT ON charge
        WHEN EXISTS (SELECT 1 FROM charge WHERE id = NEW.id)
        BEGIN SELECT RAISE (ABORT, 'a charge is not replaced'); END;
    CREATE TRIGGER link_is_new BEFORE INSERT ON link
        WHEN EXISTS (SELECT 1 FROM link WHERE position = NEW.position
                     OR account = NEW.account OR charge = NEW.charge)
        BEGIN SELECT RAISE (ABORT, 'a link is not replaced'); END;
    CREATE TRIGGER link_stays BEFORE UPDATE ON link
        BEGIN SELECT RAISE (ABORT, 'a link is not changed'); END;
    CREATE TRIGGER link_is_kept BEFORE DELETE ON link
        BEGIN SELECT RAISE (ABORT, 'a link is not deleted'); END;
    PRAGMA application_id = 1685087052;
    PRAGMA user_version = 2;
    INSERT INTO account VALUES
        ('a', 'epsilon+delta', '1', '1e-06', 'replace', '2026-11-22T14:28:40Z'),
        ('b', 'epsilon+delta', '1', '1e-06', 'replace', '2026-11-22T14:28:41Z');
    INSERT INTO charge VALUES
        (1, 'a', '2026-11-22T14:28:41Z', 'rho', '0.01', 'gauss', 'best');
    INSERT INTO link VALUES
        (1, 'a', NULL, 'be2dcf6404cd34e2b71912e8a2fa6abfdce8d53362b681e3d34de382740219b3'),
        (2, NULL, 1, '92abdf90a08d3ffa5b835781611252fa45d4d2d6fc9f3eabd5e24b7320b4d966'),
        (3, 'b', NULL, '82232727f3d11c6e9d1614f362e016c4f9167c0b4f28a5fd752958017d90f440');
)sql";

// Its heads stay what they were. What it charged counts as of any noise, whatever the method: the
// account keeps the limit by which it was charged. One without charges begins by its first.
TEST_F(ChainTest, LedgersWithoutCurvesKeepTheirHeadsAndLimits) {
    Database(path_).run(second_schema);
    const auto charge_gaussian = [](Ledger& ledger, double rho, const std::string& dataset) {
        ledger.charge(
            {.dataset = dataset, .spent = Rho(rho), .curve = Curve::gaussian, .method = "gauss"});
    };
    {
        Ledger ledger(path_);
        EXPECT_EQ(ledger.head(),
                  "82232727f3d11c6e9d1614f362e016c4f9167c0b4f28a5fd752958017d90f440");
        EXPECT_EQ(ledger.statement("a").curve, Curve::zcdp);
        EXPECT_THROW(charge_gaussian(ledger, 0.0144, "a"), BudgetError);
        charge_gaussian(ledger, 0.0143, "a");
        charge_gaussian(ledger, 0.028, "b");
    }
    Ledger ledger(path_);
    EXPECT_TRUE(ledger.holds("82232727f3d11c6e9d1614f362e016c4f9167c0b4f28a5fd752958017d90f440"));
    EXPECT_EQ(ledger.statement("a").curve, Curve::zcdp);
    EXPECT_EQ(ledger.statement("b").curve, Curve::gaussian);
    EXPECT_EQ(Database(path_).column("PRAGMA user_version"), std::vector<std::string>{"4"});
}

TEST_F(ChainTest, LedgersWithoutCurvesThatWereChangedStayAsTheyAre) {
    for (const char* sql : {"UPDATE charge SET amount = '0.001'", "CREATE TABLE other (x)"}) {
        std::filesystem::remove(path_);
        Database(path_).run(second_schema);
        Database(path_).run_without_triggers(sql);
        EXPECT_THROW(Ledger{path_}, DataError) << sql;
        EXPECT_EQ(Database(path_).column("PRAGMA user_version"), std::vector<std::string>{"2"});
    }
}

TEST_F(ChainTest, HowManyRowsAPersonHasStandsInTheChain) {
    const auto declare = [&] {
        std::filesystem::remove(path_);
        Ledger ledger(path_, Ledger::IfMissing::create);
        ledger.declare("a", Rho(1.0), Neighbours::replace, 4);
        ledger.declare("b", Rho(1.0));
    };
    for (const char* sql :
         {"UPDATE several_rows SET most = 2", "DELETE FROM several_rows",
          "INSERT INTO several_rows VALUES ('b', 4)", "INSERT INTO several_rows VALUES ('c', 4)",
          "INSERT OR REPLACE INTO several_rows VALUES ('a', 2)",
          "INSERT OR REPLACE INTO several_rows (rowid, dataset, most) VALUES (1, 'b', 2)"}) {
        declare();
        EXPECT_NE(Database(path_).status_of(sql), SQLITE_OK) << sql;
        EXPECT_EQ(Ledger(path_).statement("a").rows_per_person, 4U);
        Database(path_).run_without_triggers(std::string("PRAGMA foreign_keys = OFF; ") + sql);
        EXPECT_THROW(Ledger{path_}, DataError) << sql;
    }
}

// Nothing is said of an account for single rows, so a ledger of the version before is one of this
// one without the table; its heads stay what they were.
TEST_F(ChainTest, LedgersOfSingleRowsKeepTheirHeads) {
    std::string head;
    {
        Ledger ledger(path_, Ledger::IfMissing::create);
        ledger.declare("a", Rho(1.0));
        charge(ledger, 0.25);
        head = ledger.head();
    }
    Database(path_).run("DROP TABLE several_rows; PRAGMA user_version = 3");
    Ledger ledger(path_);
    EXPECT_EQ(ledger.head(), head);
    EXPECT_EQ(ledger.statement("a").rows_per_person, 1U);
    EXPECT_EQ(Database(path_).column("PRAGMA user_version"), std::vector<std::string>{"4"});
    ledger.declare("b", Rho(1.0), Neighbours::replace, 2);
    EXPECT_EQ(ledger.statement("b").rows_per_person, 2U);
    EXPECT_TRUE(ledger.holds(head));
}

}  // namespace
}  // namespace dpcov
