#include "ledger/ledger_chain.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "ledger/ledger_file.hpp"
#include "ledger/ledger_query.hpp"
#include "text/digest.hpp"

namespace dpcov::detail {
namespace {

// What an entry says: all columns of an account or a charge, those of the other being NULL. `link`
// is the table, or one row that is to become part of it. The last two, that a charge is of Gaussian
// noise alone and how many rows a person of an account may have, came later: where one is NULL it
// is no part of the hash. An entry has one of them at most, for it is a charge or an account.
constexpr std::string_view content =
    "SELECT link.account, link.charge, account.definition, account.amount, account.delta,"
    " account.neighbours, account.declared_at, charge.dataset, charge.charged_at,"
    " charge.definition, charge.amount, charge.method, charge.variant, gaussian_charge.charge,"
    " several_rows.most";
constexpr int first_columns = 13;
constexpr int content_columns = 15;
constexpr std::string_view with_charge =
    " LEFT JOIN account ON account.dataset = link.account"
    " LEFT JOIN charge ON charge.id = link.charge"
    " LEFT JOIN gaussian_charge ON gaussian_charge.charge = charge.id"
    " LEFT JOIN several_rows ON several_rows.dataset = account.dataset";

class Hash {
public:
    // Each field's length stands before it: no two lists of fields are the same bytes.
    void add(const std::optional<std::string_view>& field) {
        const unsigned char present = field ? 1 : 0;
        bytes_.update(&present, sizeof present);
        bytes_.update(field ? field->size() : std::uint64_t{0});
        if (field) {
            bytes_.update(field->data(), field->size());
        }
    }

    std::string digits() { return hexadecimal(bytes_.finish()); }

private:
    Blake2b bytes_;
};

// The hash of the entry that `row` holds, standing after one with the hash `before`.
std::string hash_of(const std::string& before, const LedgerQuery& row) {
    Hash hash;
    hash.add("dpcov ledger entry");
    hash.add(before);
    for (int column = 0; column < first_columns; ++column) {
        hash.add(row.bytes(column));
    }
    for (int column = first_columns; column < content_columns; ++column) {
        if (const auto later = row.bytes(column)) {
            hash.add(later);
        }
    }
    return hash.digits();
}

// One of `account` and `charge` is empty.
ChainHead append(LedgerFile& file, const ChainHead& head, const std::string& account,
                 const std::string& charge) {
    const std::string sql = std::string(content) +
                            " FROM (SELECT nullif(?, '') AS account, nullif(?, '') AS charge)"
                            " AS link" +
                            std::string(with_charge);
    LedgerQuery entry(file, sql.c_str());
    entry.bind(account).bind(charge).step();
    ChainHead next{.entries = head.entries + 1, .hash = hash_of(head.hash, entry)};
    LedgerQuery(file,
                "INSERT INTO link (position, account, charge, hash)"
                " VALUES (?, nullif(?, ''), nullif(?, ''), ?)")
        .bind(std::to_string(next.entries))
        .bind(account)
        .bind(charge)
        .bind(next.hash)
        .step();
    return next;
}

}  // namespace

ChainHead check_chain(LedgerFile& file) {
    file.check_schema();
    // Every entry is linked once (the columns are UNIQUE), so equal counts leave none outside. The
    // counters are SQLite's own, and stay where the last entries are deleted. What is said of a
    // charge that is yet to come would be said of that one.
    if (file.number("SELECT (SELECT count(*) FROM account) + (SELECT count(*) FROM charge)"
                    " <> (SELECT count(*) FROM link)"
                    " OR EXISTS (SELECT 1 FROM sqlite_sequence"
                    " WHERE name = 'charge' AND seq <> (SELECT count(*) FROM charge)"
                    " OR name = 'link' AND seq <> (SELECT count(*) FROM link))"
                    " OR EXISTS (SELECT 1 FROM gaussian_charge"
                    " WHERE charge NOT IN (SELECT id FROM charge))"
                    " OR EXISTS (SELECT 1 FROM several_rows"
                    " WHERE dataset NOT IN (SELECT dataset FROM account))") != 0) {
        file.changed();
    }
    ChainHead head;
    const std::string sql = std::string(content) + ", link.position, link.hash FROM link" +
                            std::string(with_charge) + " ORDER BY link.position";
    LedgerQuery entries(file, sql.c_str());
    while (entries.step()) {
        ++head.entries;
        head.hash = hash_of(head.hash, entries);
        if (entries.integer(content_columns) != head.entries ||
            entries.bytes(content_columns + 1) != head.hash) {
            file.changed();
        }
    }
    return head;
}

ChainHead link_account(LedgerFile& file, const ChainHead& head, const std::string& dataset) {
    return append(file, head, dataset, "");
}

ChainHead link_charge(LedgerFile& file, const ChainHead& head, std::int64_t id) {
    return append(file, head, "", std::to_string(id));
}

void link_all(LedgerFile& file) {
    std::vector<std::string> datasets;
    LedgerQuery accounts(file, "SELECT dataset FROM account ORDER BY rowid");
    while (accounts.step()) {
        datasets.push_back(accounts.text(0));
    }
    std::vector<std::int64_t> ids;
    LedgerQuery charges(file, "SELECT id FROM charge ORDER BY id");
    while (charges.step()) {
        ids.push_back(charges.integer(0));
    }
    ChainHead head;
    for (const std::string& dataset : datasets) {
        head = link_account(file, head, dataset);
    }
    for (const std::int64_t id : ids) {
        head = link_charge(file, head, id);
    }
}

}  // namespace dpcov::detail
