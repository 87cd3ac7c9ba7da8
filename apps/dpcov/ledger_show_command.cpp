// dpcov ledger show: what is spent, and what is left.
#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "command_line/arguments.hpp"
#include "commands.hpp"
#include "definition_text.hpp"
#include "dpcov/error.hpp"
#include "dpcov/ledger.hpp"
#include "ledger_path.hpp"
#include "report/json_values.hpp"
#include "text/in_quotes.hpp"

namespace dpcov {
namespace {

struct LedgerShowArguments {
    std::string path;
    std::string dataset;
    std::optional<double> delta;
    std::string head;  ///< noted earlier; empty: none
    bool json = false;
};

bool in_epsilon(const LedgerStatement& account) {
    return std::holds_alternative<Epsilon>(account.total);
}

/// What an account in (epsilon, delta)-DP is kept as; the first charge decides.
double kept_rho(const ApproximateDp& total, const LedgerStatement& account) {
    return rho_for(total, account.curve.value_or(Curve::zcdp)).value();
}

std::string spell_total(const LedgerStatement& account) {
    if (const auto* approximate = std::get_if<ApproximateDp>(&account.total)) {
        const std::string note =
            account.curve == Curve::gaussian ? " of Gaussian noise"
            : account.curve
                ? ""
                : fmt::format(", or as {} if all noise of the first release is Gaussian",
                              rho_for(*approximate, Curve::gaussian).value());
        return fmt::format("({}, {})-DP, kept as rho {}{}", approximate->epsilon.value(),
                           approximate->delta.value(), kept_rho(*approximate, account), note);
    }
    if (const auto* epsilon = std::get_if<Epsilon>(&account.total)) {
        return fmt::format("epsilon {} of pure DP", epsilon->value());
    }
    return fmt::format("rho {} of zCDP", std::get<Rho>(account.total).value());
}

/// The delta to tell the spent rho's epsilon at: asked for, or the account's own.
std::optional<Delta> delta_of(const LedgerStatement& account,
                              const LedgerShowArguments& arguments) {
    if (arguments.delta) {
        return Delta(*arguments.delta);
    }
    const auto* approximate = std::get_if<ApproximateDp>(&account.total);
    return approximate == nullptr ? std::nullopt : std::optional(approximate->delta);
}

/// The epsilon of (epsilon, delta)-DP that these releases satisfy together, had their budgets been
/// fixed beforehand. What is promised of budgets chosen on the way is the total
/// (docs/privacy.md#ledger).
std::optional<double> epsilon_spent(const LedgerStatement& account,
                                    const std::optional<Delta>& delta) {
    if (!delta || in_epsilon(account)) {
        return std::nullopt;
    }
    return account.spent == 0.0
               ? 0.0
               : epsilon_of(Rho(account.spent), *delta, account.curve.value_or(Curve::zcdp))
                     .value();
}

std::string accounts_as_text(const std::vector<LedgerStatement>& accounts, const std::string& head,
                             const LedgerShowArguments& arguments) {
    std::string text;
    for (const LedgerStatement& account : accounts) {
        const char* unit = in_epsilon(account) ? "epsilon" : "rho";
        text += fmt::format(
            "data set    {}\ntotal       {}\nneighbours  {}{}\ndeclared    {}\nreleases    {}\n"
            "spent       {} {}\n",
            printable(account.dataset), spell_total(account), name_of(account.neighbours),
            text_of_rows_per_person(account.rows_per_person), account.declared_at, account.releases,
            unit, account.spent);
        const auto delta = delta_of(account, arguments);
        if (const auto epsilon = epsilon_spent(account, delta)) {
            text += fmt::format(
                "            ({:.6g}, {})-DP, if these releases were planned beforehand\n",
                *epsilon, delta->value());
        }
        text += fmt::format("left        {} {}\n\n", unit, account.left);
    }
    return text + fmt::format("head        {}\n", head);
}

// The head is the whole ledger's. It stands in every account: the array has always been one of
// accounts.
std::string accounts_as_json(const std::vector<LedgerStatement>& accounts, const std::string& head,
                             const LedgerShowArguments& arguments) {
    detail::OrderedJson list = detail::OrderedJson::array();
    for (const LedgerStatement& account : accounts) {
        detail::OrderedJson entry = {{"dataset", account.dataset}};
        entry["total"] = detail::named_definition(account.total);
        if (const auto* approximate = std::get_if<ApproximateDp>(&account.total)) {
            entry["total"]["rho"] = kept_rho(*approximate, account);
        }
        const char* unit = in_epsilon(account) ? "epsilon" : "rho";
        entry["neighbours"] = name_of(account.neighbours);
        if (account.rows_per_person > 1) {
            entry["rows_per_person"] = account.rows_per_person;
        }
        entry["declared_at"] = account.declared_at;
        entry["releases"] = account.releases;
        if (account.curve && !in_epsilon(account)) {
            entry["curve"] = name_of(*account.curve);
        }
        entry["spent"] = {{unit, account.spent}};
        entry["left"] = {{unit, account.left}};
        const auto delta = delta_of(account, arguments);
        if (const auto epsilon = epsilon_spent(account, delta)) {
            entry["spent"]["epsilon"] = *epsilon;
            entry["spent"]["delta"] = delta->value();
        }
        entry["head"] = head;
        list.push_back(std::move(entry));
    }
    return detail::json_text(list);
}

void run_ledger_show(const LedgerShowArguments& arguments) {
    require_ledger(arguments.path);
    const Ledger ledger(arguments.path);
    if (!arguments.head.empty() && !ledger.holds(arguments.head)) {
        throw DataError("the ledger " + arguments.path + " does not hold the head " +
                        arguments.head +
                        ": it is an older copy, lost its last entries, or was written anew, unless "
                        "that is another ledger's");
    }
    const std::vector<LedgerStatement> accounts =
        arguments.dataset.empty()
            ? ledger.statements()
            : std::vector<LedgerStatement>{ledger.statement(arguments.dataset)};
    const std::string head = accounts.empty() ? ledger.head() : accounts.front().head;
    std::cout << (arguments.json ? accounts_as_json : accounts_as_text)(accounts, head, arguments);
}

}  // namespace

void add_ledger_show_command(CLI::App& group) {
    auto* command = group.add_subcommand("show", "Print what is spent, and what is left");
    auto arguments = std::make_shared<LedgerShowArguments>();
    add_ledger_path(*command, arguments->path);
    command->add_option("--dataset", arguments->dataset, "Only this one")->type_name("NAME");
    add_positive_number(*command, "--delta", arguments->delta,
                        "Also tell which (epsilon, D)-DP the spent rho is, if those releases "
                        "were planned beforehand")
        ->type_name("D");
    command
        ->add_option("--head", arguments->head,
                     "A head that was shown and noted earlier: exit with 3 unless this ledger "
                     "still holds it")
        ->type_name("HASH")
        ->check([](const std::string& text) {
            const bool is_hash =
                text.size() == 64 && text.find_first_not_of("0123456789abcdef") == text.npos;
            return is_hash ? ""
                           : "a head has 64 hexadecimal digits, as 'dpcov ledger show' prints them";
        });
    command->add_flag("--json", arguments->json, "As a JSON array of objects");
    command->footer(
        "The head stands for every account and charge so far. Noted in another place, it shows "
        "later whether the ledger was put back to an older copy or written anew, which the file "
        "alone cannot.\n\n"
        "Example:\n"
        "  dpcov ledger show budget.ledger --delta 1e-8");
    command->callback([arguments] { run_ledger_show(*arguments); });
}

}  // namespace dpcov
