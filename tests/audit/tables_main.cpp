// audit_tables: measures what docs/audit.md reports of the audit itself, as Markdown.
#include <cblas.h>
#include <fmt/format.h>

#include "audit/controls.hpp"
#include "audit/seeded_audit.hpp"

namespace dpcov::test {
namespace {

constexpr std::uint64_t most_runs = 128000;

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

void print_controls() {
    fmt::print(
        "| mistake | d | claim | shown | runs | by |\n| --- | --- | --- | --- | --- | --- |\n");
    for (const Control& control : controls()) {
        const audit::AuditReport report =
            seeded_audit(control.method, control.claim, control.dimension, control.runs);
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
    dpcov::test::print_controls();
    dpcov::test::print_power();
    return 0;
}
