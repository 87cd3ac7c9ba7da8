// audit_tables [replace] [add-remove] [controls] [power] [columns] [METHOD ...]: measures what
// docs/audit.md reports, as Markdown; all tables, unless some are named, and all methods likewise.
#include <cblas.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string_view>
#include <vector>

#include "audit/controls.hpp"
#include "audit/seeded_audit.hpp"

namespace dpcov::test {
namespace {

constexpr std::uint64_t most_runs = 256000;

std::string claim_of(const Definition& claim) {
    if (const auto* approximate = std::get_if<ApproximateDp>(&claim)) {
        return fmt::format("epsilon {:g}, delta {:g}", approximate->epsilon.value(),
                           approximate->delta.value());
    }
    if (const auto* epsilon = std::get_if<Epsilon>(&claim)) {
        return fmt::format("epsilon {:g}", epsilon->value());
    }
    return fmt::format("rho {:g}", std::get<Rho>(claim).value());
}

struct Columns {
    std::size_t dimension;
    std::uint64_t runs;  // on each table of each pair
};

// A run takes longer the more columns there are.
constexpr Columns audited[] = {{1, 10000}, {2, 10000}, {5, 10000}, {10, 2000}, {20, 1000}};

// Those methods in every definition that they claim.
void print_mechanisms(Neighbours neighbours, const std::vector<Method>& wanted) {
    fmt::print("| method | claim | variant |");
    for (const Columns& columns : audited) {
        fmt::print(" d = {}, {} runs |", columns.dimension, columns.runs);
    }
    fmt::print("\n| --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (const Method& method : wanted) {
        for (const Definition& claim : {Definition(Rho(0.5)), Definition(Epsilon(1.0))}) {
            if (!meets(method, claim)) {
                continue;
            }
            for (const Variant variant : {Variant::best, Variant::paper}) {
                fmt::print("| {} | {} | {} |", method.name, claim_of(claim),
                           variant == Variant::best ? "best" : "paper");
                ReleaseOptions options;
                options.variant = variant;
                options.neighbours = neighbours;
                for (const Columns& columns : audited) {
                    const audit::AuditReport report =
                        seeded_audit(method, claim, columns.dimension, columns.runs, options);
                    fmt::print(" {:.3f}{} |", report.lower_bound, report.refuted ? " REFUTED" : "");
                    std::fflush(stdout);
                }
                fmt::print("\n");
            }
        }
    }
    fmt::print("\n");
}

void print_controls() {
    fmt::print(
        "| mistake | d | claim | shown | runs | by |\n| --- | --- | --- | --- | --- | --- |\n");
    for (const Control& control : controls()) {
        const audit::AuditReport report = seeded_audit(control);
        fmt::print("| {} | {} | {} | {:.2f} | {} | {} |\n", control.mistake, control.dimension,
                   claim_of(control.claim), report.lower_bound, control.runs, report.distinguisher);
    }
    fmt::print("\n");
}

// The fewest runs, doubling, that refute noise scaled by the factor.
void print_power() {
    fmt::print(
        "| noise is | gauss spends | found with runs | laplace spends | found with runs |\n"
        "| --- | --- | --- | --- | --- |\n");
    for (const double factor : {0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95}) {
        const auto runs_to_refute = [](const audit::Suspect& method, const Definition& claim,
                                       std::size_t d) {
            for (std::uint64_t runs = 250; runs <= most_runs; runs *= 2) {
                if (seeded_audit(method, claim, d, runs).refuted) {
                    return fmt::format("{}", runs);
                }
            }
            return fmt::format("not with {}", most_runs);
        };
        fmt::print("| {:g} of what it should be | {:.2f} rho | {} | {:.2f} epsilon | {} |\n",
                   factor, 1.0 / (factor * factor),
                   runs_to_refute(matrix_with_noise_scaled(factor), Rho(1.0), 2), 1.0 / factor,
                   runs_to_refute(matrix_with_noise_scaled(factor), Epsilon(1.0), 1));
        std::fflush(stdout);
    }
}

// What the runs on many columns can show: GaussCov with too little noise.
void print_power_by_columns() {
    fmt::print("\n| d | runs | noise is | spends | shown |\n| --- | --- | --- | --- | --- |\n");
    for (const Columns& columns : audited) {
        for (const double factor : {0.5, 0.25}) {
            const audit::AuditReport report = seeded_audit(
                matrix_with_noise_scaled(factor), Rho(0.5), columns.dimension, columns.runs);
            fmt::print("| {} | {} | {:g} of what it should be | {:g} rho | {:.2f} |\n",
                       columns.dimension, columns.runs, factor, 0.5 / (factor * factor),
                       report.lower_bound);
        }
    }
}

}  // namespace
}  // namespace dpcov::test

int main(int argc, char** argv) {
    using namespace dpcov;
    openblas_set_num_threads(1);
    std::vector<std::string_view> tables(argv + 1, argv + argc);
    std::vector<Method> wanted_methods;
    for (const Method& method : methods()) {
        if (std::erase(tables, method.name) > 0) {
            wanted_methods.push_back(method);
        }
    }
    if (wanted_methods.empty()) {
        wanted_methods = methods();
    }
    const auto wanted = [&](std::string_view table) {
        return tables.empty() || std::find(tables.begin(), tables.end(), table) != tables.end();
    };
    if (wanted("replace")) {
        test::print_mechanisms(Neighbours::replace, wanted_methods);
    }
    if (wanted("add-remove")) {
        test::print_mechanisms(Neighbours::add_remove, wanted_methods);
    }
    if (wanted("controls")) {
        test::print_controls();
    }
    if (wanted("power")) {
        test::print_power();
    }
    if (wanted("columns")) {
        test::print_power_by_columns();
    }
    return 0;
}
