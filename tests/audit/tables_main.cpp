// audit_tables: measures what docs/audit.md reports of the audit itself, as Markdown.
#include <cblas.h>
#include <fmt/format.h>

#include <cstdio>

#include "audit/controls.hpp"
#include "audit/seeded_audit.hpp"

namespace dpcov::test {
namespace {

constexpr std::uint64_t most_runs = 256000;

std::string claim_of(const Definition& claim) {
    return fmt::format("{} {:g}", std::holds_alternative<Rho>(claim) ? "rho" : "epsilon",
                       std::visit(
                           [](const auto& value) {
                               if constexpr (requires { value.value(); }) {
                                   return value.value();
                               } else {
                                   return value.epsilon.value();
                               }
                           },
                           claim));
}

// Every method in every definition that it claims.
void print_mechanisms() {
    constexpr std::uint64_t runs = 10000;
    fmt::print("{} runs on each table of each pair.\n\n", runs);
    fmt::print(
        "| method | claim | best, d = 1 | d = 2 | d = 5 | paper, d = 1 | d = 2 | d = 5 |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (const Method& method : methods()) {
        for (const Definition& claim : {Definition(Rho(0.5)), Definition(Epsilon(1.0))}) {
            if (std::holds_alternative<Rho>(claim) ? !method.zcdp : !method.pure_dp) {
                continue;
            }
            fmt::print("| {} | {} |", method.name, claim_of(claim));
            for (const Variant variant : {Variant::best, Variant::paper}) {
                for (const std::size_t d : {1U, 2U, 5U}) {
                    MechanismOptions options;
                    options.variant = variant;
                    const audit::AuditReport report = seeded_audit(method, claim, d, runs, options);
                    fmt::print(" {:.3f}{} |", report.lower_bound, report.refuted ? " REFUTED" : "");
                }
            }
            fmt::print("\n");
            std::fflush(stdout);
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
}

// The fewest runs, doubling, that refute noise scaled by the factor.
void print_power() {
    fmt::print(
        "\n| noise is | gauss spends | found with runs | laplace spends | found with runs |\n"
        "| --- | --- | --- | --- | --- |\n");
    for (const double factor : {0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95}) {
        const auto runs_to_refute = [](const Method& method, const Definition& claim,
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
                   runs_to_refute(gauss_with_noise_scaled(factor), Rho(1.0), 2), 1.0 / factor,
                   runs_to_refute(laplace_with_noise_scaled(factor), Epsilon(1.0), 1));
        std::fflush(stdout);
    }
}

}  // namespace
}  // namespace dpcov::test

int main() {
    openblas_set_num_threads(1);
    dpcov::test::print_mechanisms();
    dpcov::test::print_controls();
    dpcov::test::print_power();
    return 0;
}
