// dpcov audit: tries to refute the mechanisms' privacy claims on tables made for it.
#include <cblas.h>
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "audit/audit.hpp"
#include "command_line/arguments.hpp"
#include "command_line/exit_status.hpp"
#include "command_line/progress.hpp"
#include "command_line/suggestions.hpp"
#include "commands.hpp"
#include "definition_text.hpp"
#include "dpcov/error.hpp"
#include "privacy_arguments.hpp"
#include "report/json_values.hpp"

namespace dpcov {
namespace {

struct AuditArguments {
    std::vector<std::string> methods;
    bool all = false;
    PrivacyArguments privacy;
    audit::AuditOptions options;
    std::optional<std::uint64_t> seed;
    bool json = false;
    RunningArguments running;
};

struct Line {
    std::string_view method;
    audit::AuditReport report;
};

std::vector<const Method*> chosen_methods(const AuditArguments& arguments,
                                          const Definition& claim) {
    if (arguments.all != arguments.methods.empty()) {
        throw UsageError(
            "say which methods: either --method M, as often as you like, or --all, not both");
    }
    std::vector<const Method*> chosen;
    for (const std::string& name : arguments.methods) {
        chosen.push_back(&asked_method(name));
        if (!meets(*chosen.back(), claim)) {
            throw UsageError("--method " + name +
                             " does not claim that definition; 'dpcov methods' says which it does");
        }
    }
    if (arguments.all) {
        for (const Method& method : methods()) {
            if (meets(method, claim) && serves(method, arguments.privacy.neighbours)) {
                chosen.push_back(&method);
            }
        }
    }
    return chosen;
}

std::string loss_name(const Definition& claim) {
    return std::holds_alternative<Rho>(claim) ? "rho" : "epsilon";
}

std::string audit_text(const AuditArguments& arguments, const Definition& claim,
                       const std::vector<Line>& lines) {
    std::size_t width = std::string_view("method").size();
    for (const Line& line : lines) {
        width = std::max(width, line.method.size());
    }
    std::string text = fmt::format(
        "claim       {}, neighbours: {}\ntables      {} columns, {} runs on each of a pair\n"
        "confidence  {} of all lines together\n\n{:<{}}  {:>8}  {:>8}  {:<8}  {}\n",
        text_of(claim), name_of(arguments.privacy.neighbours), arguments.options.dimension,
        arguments.options.runs, arguments.options.confidence, "method", width, loss_name(claim),
        "at least", "claim", "found by");
    for (const auto& [method, report] : lines) {
        text +=
            fmt::format("{:<{}}  {:>8.4g}  {:>8.4f}  {:<8}  {}\n", method, width, report.claimed,
                        report.lower_bound, report.refuted ? "REFUTED" : "stands",
                        report.pair.empty() ? "-" : report.distinguisher + " on: " + report.pair);
    }
    return text;
}

std::string audit_json(const AuditArguments& arguments, const Definition& claim,
                       const std::vector<Line>& lines) {
    detail::OrderedJson list = detail::OrderedJson::array();
    for (const auto& [method, report] : lines) {
        list.push_back({{"method", method},
                        {"claimed", report.claimed},
                        {"lower_bound", report.lower_bound},
                        {"refuted", report.refuted},
                        {"pair", report.pair},
                        {"distinguisher", report.distinguisher}});
    }
    const detail::OrderedJson report = {{"claim", text_of(claim)},
                                        {"neighbours", name_of(arguments.privacy.neighbours)},
                                        {"loss", loss_name(claim)},
                                        {"dimension", arguments.options.dimension},
                                        {"runs", arguments.options.runs},
                                        {"statistics", arguments.options.mechanism.keep_statistics},
                                        {"confidence", arguments.options.confidence},
                                        {"methods", list}};
    return detail::json_text(report);
}

/// Of one of so many methods, for all of which together the confidence is to hold.
audit::AuditOptions options_of_each(const AuditArguments& arguments, std::size_t methods) {
    audit::AuditOptions options = arguments.options;
    options.threads = arguments.running.threads;
    options.mechanism.neighbours = arguments.privacy.neighbours;
    options.confidence = 1.0 - (1.0 - arguments.options.confidence) / static_cast<double>(methods);
    if (arguments.seed) {
        options.random = [seed = *arguments.seed](std::uint64_t stream) {
            return std::make_unique<SeededRandomSource>(seed, stream);
        };
    }
    return options;
}

std::vector<Line> audit_each(const AuditArguments& arguments, const Definition& claim,
                             const std::vector<const Method*>& methods) {
    // One table of the audit is small: its threads run mechanisms side by side instead.
    openblas_set_num_threads(1);
    audit::AuditOptions options = options_of_each(arguments, methods.size());
    Progress progress(arguments.running);
    std::vector<Line> lines;
    for (const Method* method : methods) {
        options.progress = [&progress, method](const std::string& pair) {
            progress.show(fmt::format("auditing {}: {}", method->name, pair));
        };
        lines.push_back({method->name, audit::audit_method(*method, claim, options)});
    }
    return lines;
}

void run_audit(const AuditArguments& arguments) {
    const Definition claim = asked_definition(arguments.privacy);
    const std::vector<Line> lines = audit_each(arguments, claim, chosen_methods(arguments, claim));
    std::cout << (arguments.json ? audit_json : audit_text)(arguments, claim, lines);
    for (const auto& [method, report] : lines) {
        if (report.refuted) {
            throw ClaimRefuted(
                fmt::format("the claim of method {} is refuted: its {} is at least "
                            "{:.4g}, not {:.4g}; do not use it, and please report it",
                            method, loss_name(claim), report.lower_bound, report.claimed));
        }
    }
}

void add_audited_methods(CLI::App& command, AuditArguments& arguments) {
    const OptionsUnder title(command, "Method");
    command
        .add_option("--method", arguments.methods,
                    "The mechanism, as often as you like; see 'dpcov methods'")
        ->type_name("M");
    command.add_flag("--all", arguments.all, "Every mechanism that claims the definition");
    add_choice(command, "--variant", arguments.options.mechanism.variant, variant_words,
               "As in 'dpcov estimate' (default best)");
    command.add_flag("--center", arguments.options.mechanism.center,
                     "Audit the centred covariance");
    command.add_flag("--statistics", arguments.options.mechanism.keep_statistics,
                     "Audit the noisy statistics, too, which 'dpcov estimate --release' keeps");
}

void add_audit_options(CLI::App& command, AuditArguments& arguments) {
    const OptionsUnder title(command, "Audit");
    command
        .add_option("--runs", arguments.options.runs,
                    "Runs on each table of each pair (default 5000): with more runs, less "
                    "escapes")
        ->check(whole_number(1, 1'000'000'000))
        ->type_name("N");
    command
        .add_option("--confidence", arguments.options.confidence,
                    "With which all lower bounds hold at once (default 0.99)")
        ->type_name("C");
    command
        .add_option("--dimension", arguments.options.dimension,
                    "Columns of the tables, 1 to 20 (default 2)")
        ->check(whole_number(1, 20))
        ->type_name("D");
    command
        .add_option("--seed", arguments.seed,
                    "Noise from a seed, so that the audit can be repeated")
        ->check(whole_number())
        ->type_name("N");
    command.add_flag("--json", arguments.json, "As a JSON object");
}

}  // namespace

void add_audit_command(CLI::App& program) {
    auto* command = program.add_subcommand(
        "audit", "Try to refute a mechanism's privacy claim: a lower bound on its loss");
    auto arguments = std::make_shared<AuditArguments>();
    arguments->options.mechanism.keep_statistics = false;  // as 'dpcov estimate' by itself
    arguments->options.runs = 5000;
    arguments->options.confidence = 0.99;
    add_audited_methods(*command, *arguments);
    add_privacy_options(*command, arguments->privacy);
    add_audit_options(*command, *arguments);
    add_running_options(*command, arguments->running);
    command->footer(
        "Runs the mechanism again and again on pairs of neighbouring tables that are hard to hide "
        "from each other, and tells the releases apart as well as it can. It takes no data of "
        "yours. A claim that stands is not proved: the proofs are in docs/privacy.md.\n\n"
        "Examples:\n"
        "  dpcov audit --method gauss --rho 0.5\n"
        "  dpcov audit --all --epsilon 1 --dimension 5 --runs 20000 --json\n\n"
        "Exit status: 0 every claim stands; 6 a claim is refuted; 2 usage.");
    command->callback([arguments] { run_audit(*arguments); });
}

}  // namespace dpcov
