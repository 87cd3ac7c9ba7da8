// dpcov budget: one guarantee in the other definitions, and in plain words.
#include <fmt/format.h>

#include <cmath>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "command_line/arguments.hpp"
#include "commands.hpp"
#include "definition_text.hpp"
#include "dpcov/budget.hpp"
#include "dpcov/error.hpp"
#include "dpcov/methods.hpp"
#include "privacy/decimal_sum.hpp"
#include "privacy_arguments.hpp"
#include "report/json_values.hpp"
#include "text/joined.hpp"
#include "text/number_text.hpp"

namespace dpcov {
namespace {

struct BudgetArguments {
    PrivacyArguments privacy;
    std::uint32_t rows_per_person = 1;
    bool json = false;
};

/// What one kind of methods spends for the asked guarantee, and what that means.
struct Reading {
    std::string_view name;                   ///< in JSON
    std::string_view title;                  ///< in text
    std::vector<std::string_view> methods;   ///< in their best form
    double rho = 0.0;                        ///< that it spends, or that an account in rho pays
    std::optional<double> mu;                ///< of Gaussian DP
    std::optional<double> epsilon;           ///< of pure DP
    std::vector<ApproximateDp> approximate;  ///< pairs that it satisfies
    double guess = 1.0;
};

/// What to ask of a release where one person may have up to `rows` rows, so that each person has
/// what the reading says: its epsilon / rows, or its rho / rows^2 (docs/privacy.md#groups).
Budget for_each_row(const Reading& reading, unsigned rows) {
    const double most = rows;
    if (reading.epsilon) {
        return Epsilon(detail::equal_part(*reading.epsilon, most));
    }
    return Rho(detail::equal_part(reading.rho, most * most));
}

// But for the baseline, which spends nothing.
template <class Predicate>
std::vector<std::string_view> names_of_methods(Neighbours neighbours, Predicate wanted) {
    std::vector<std::string_view> names;
    for (const Method& method : methods()) {
        if (method.name != "zero" && serves(method, neighbours) && wanted(method)) {
            names.push_back(method.name);
        }
    }
    return names;
}

Reading reading_of(Neighbours neighbours, Rho rho, Curve curve, const std::vector<double>& deltas) {
    const bool gaussian = curve == Curve::gaussian;
    Reading reading{.name = name_of(curve),
                    .title = gaussian ? "all noise Gaussian" : "other noise, under zCDP",
                    .methods = names_of_methods(neighbours,
                                                [&](const Method& method) {
                                                    return method.zcdp &&
                                                           method.curve(Variant::best) == curve;
                                                }),
                    .rho = rho.value(),
                    .mu = {},
                    .epsilon = {},
                    .approximate = {},
                    .guess = best_guess(rho, curve)};
    if (gaussian) {
        reading.mu = std::sqrt(2.0) * std::sqrt(rho.value());
    }
    for (const double delta : deltas) {
        reading.approximate.push_back({epsilon_of(rho, Delta(delta), curve), Delta(delta)});
    }
    return reading;
}

Reading reading_of(Neighbours neighbours, Epsilon epsilon) {
    return {.name = "pure",
            .title = "pure DP",
            .methods =
                names_of_methods(neighbours, [](const Method& method) { return method.pure_dp; }),
            .rho = rho_of(epsilon).value(),
            .mu = {},
            .epsilon = epsilon.value(),
            .approximate = {},
            .guess = best_guess(epsilon)};
}

std::vector<Reading> readings(const PrivacyArguments& asked) {
    if (asked.rho) {
        const Rho rho(*asked.rho);
        const std::vector<double> deltas =
            asked.delta ? std::vector<double>{*asked.delta} : std::vector<double>{1e-4, 1e-6, 1e-8};
        Reading pure = reading_of(asked.neighbours, epsilon_within(rho));
        pure.title = "pure DP that an account charges as much for; no rho implies pure DP";
        return {reading_of(asked.neighbours, rho, Curve::gaussian, deltas),
                reading_of(asked.neighbours, rho, Curve::zcdp, deltas), std::move(pure)};
    }
    const Epsilon epsilon(*asked.epsilon);
    if (!asked.delta) {
        return {reading_of(asked.neighbours, epsilon)};
    }
    const ApproximateDp target{epsilon, Delta(*asked.delta)};
    std::vector<Reading> all;
    for (const Curve curve : {Curve::gaussian, Curve::zcdp}) {
        all.push_back(reading_of(asked.neighbours, rho_for(target, curve), curve, {}));
        all.back().approximate.push_back(target);
    }
    all.push_back(reading_of(asked.neighbours, epsilon));
    return all;
}

void check(const PrivacyArguments& asked) {
    if (asked.rho.has_value() == asked.epsilon.has_value()) {
        throw UsageError(
            "give one guarantee: --rho R, --rho R --delta D, --epsilon E (pure DP), or --epsilon E "
            "--delta D");
    }
}

// What the guess is about.
std::string_view guessed(Neighbours neighbours, bool one_row) {
    if (neighbours == Neighbours::replace) {
        return one_row ? "which of two rows yours is" : "which of two sets of rows yours are";
    }
    return one_row ? "whether yours is in the table" : "whether yours are in the table";
}

std::string budget_text(const BudgetArguments& arguments, const std::vector<Reading>& all) {
    const PrivacyArguments& asked = arguments.privacy;
    const unsigned rows = arguments.rows_per_person;
    const Definition definition = asked.rho ? Definition(Rho(*asked.rho)) : asked_definition(asked);
    std::string text = fmt::format("asked    {}, neighbours: {}\n", text_of(definition),
                                   name_of(asked.neighbours));
    if (rows > 1) {
        text += fmt::format("for      each person, who has at most {} rows\n", rows);
    }
    for (const Reading& reading : all) {
        text += fmt::format("\n{}: {}\n", reading.title, detail::joined(reading.methods));
        if (reading.epsilon) {
            text += fmt::format("epsilon  {:.6g}\n", *reading.epsilon);
        }
        text += fmt::format(
            "rho      {:.6g}{}\n", reading.rho,
            reading.epsilon ? ": what an account in rho, or in epsilon and delta, is charged" : "");
        if (reading.mu) {
            text += fmt::format("mu       {:.6g}\n", *reading.mu);
        }
        for (const ApproximateDp& pair : reading.approximate) {
            // No epsilon is zero, and the least double is next to it.
            const double epsilon = pair.epsilon.value() < 1e-300 ? 0.0 : pair.epsilon.value();
            text += fmt::format("is       ({:.6g}, {:g})-DP\n", epsilon, pair.delta.value());
        }
        text += fmt::format("guess    {}\n", text_of_guess(reading.guess));
        if (rows > 1) {
            text += fmt::format("release  with --{} {}\n", reading.epsilon ? "epsilon" : "rho",
                                detail::number_text(amount_of(for_each_row(reading, rows))));
        }
    }
    text += fmt::format(
        "\nguess: how often, at most, somebody is right after the release who knows all other rows "
        "and has to say {}, both being equally likely before. Without the release it is 50 %. It "
        "covers whatever is done with what was released.\n",
        guessed(asked.neighbours, rows == 1));
    if (rows > 1) {
        text += fmt::format(
            "\nrelease: what one row may spend, so that a person with so many rows has all of the "
            "above. 'dpcov estimate --rows-per-person {}' takes the person's budget and divides it "
            "so itself; ask for this number only where a release or an account is not told of the "
            "rows. dpcov does not count a person's rows: see to it beforehand. Where they can be "
            "joined to one row, that costs less.\n",
            rows);
    }
    return text;
}

std::string budget_json(const BudgetArguments& arguments, const std::vector<Reading>& all) {
    const PrivacyArguments& asked = arguments.privacy;
    const unsigned rows = arguments.rows_per_person;
    detail::OrderedJson report = detail::OrderedJson::object();
    auto& question = report["asked"] = detail::OrderedJson::object();
    detail::put_if(question, "rho", asked.rho);
    detail::put_if(question, "epsilon", asked.epsilon);
    detail::put_if(question, "delta", asked.delta);
    report["neighbours"] = name_of(asked.neighbours);
    if (rows > 1) {
        report["rows_per_person"] = rows;
    }
    for (const Reading& reading : all) {
        detail::OrderedJson entry = {{"methods", reading.methods}};
        detail::put_if(entry, "epsilon", reading.epsilon);
        entry["rho"] = reading.rho;
        detail::put_if(entry, "mu", reading.mu);
        if (!reading.epsilon) {
            auto& pairs = entry["approximate"] = detail::OrderedJson::array();
            for (const ApproximateDp& pair : reading.approximate) {
                pairs.push_back({{"epsilon", pair.epsilon.value()}, {"delta", pair.delta.value()}});
            }
        }
        entry["guess"] = reading.guess;
        if (rows > 1) {
            entry["release"] = {
                {reading.epsilon ? "epsilon" : "rho", amount_of(for_each_row(reading, rows))}};
        }
        report[std::string(reading.name)] = entry;
    }
    return detail::json_text(report);
}

void run_budget(const BudgetArguments& arguments) {
    check(arguments.privacy);
    const std::vector<Reading> all = readings(arguments.privacy);
    std::cout << (arguments.json ? budget_json : budget_text)(arguments, all);
}

}  // namespace

void add_budget_command(CLI::App& program) {
    auto* command = program.add_subcommand(
        "budget", "Tell a privacy budget in the other definitions, and in plain words");
    auto arguments = std::make_shared<BudgetArguments>();
    PrivacyArguments& privacy = arguments->privacy;
    add_positive_number(*command, "--rho", privacy.rho, "rho-zCDP")->type_name("R");
    add_positive_number(*command, "--epsilon", privacy.epsilon,
                        "Pure epsilon-DP; with --delta, (epsilon, delta)-DP")
        ->type_name("E");
    command
        ->add_option_function<std::string>(
            "--delta", [&privacy](const std::string& text) { privacy.delta = parse_delta(text); },
            "With --epsilon: of (epsilon, delta)-DP. With --rho: tell the epsilon "
            "at D (without it, at 1e-4, 1e-6 and 1e-8)")
        ->type_name("D");
    add_choice(*command, "--neighbours", privacy.neighbours, neighbours_words,
               "Which tables must look alike: one row replaced (default), or one row "
               "more or less. The numbers are the same, what they protect is not");
    add_rows_per_person(*command, arguments->rows_per_person,
                        "One person may have up to K rows: tell too what one row gets of the "
                        "budget, so that the whole person has the guarantee.");
    command->add_flag("--json", arguments->json, "As a JSON object");
    command->footer(
        "It spends nothing and reads no data. A method that draws Gaussian noise alone gets more "
        "rho for the same (epsilon, delta) than one that draws other noise too, by the exact "
        "trade-off curve: 7 % less noise at (1, 1e-6). A method of pure DP may spend all of "
        "epsilon. mu is the parameter of Gaussian DP, sqrt(2 rho). Several releases of the same "
        "people add up their rho, or their epsilon.\n\n"
        "How strong a budget is: a guess that is right half of the time without a release of "
        "Gaussian noise is right at most 52.0 % of the time with one at rho 0.005, 58.9 % at 0.1, "
        "76.1 % at 1. Take delta far below 1 / (number of rows).\n\n"
        "Examples:\n"
        "  dpcov budget --epsilon 1 --delta 1e-6\n"
        "  dpcov budget --rho 0.1 --delta 1e-9 --json\n"
        "  dpcov budget --epsilon 0.5\n"
        "  dpcov budget --epsilon 1 --delta 1e-6 --rows-per-person 4");
    command->callback([arguments] { run_budget(*arguments); });
}

}  // namespace dpcov
