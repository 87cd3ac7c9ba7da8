// The paper's worked examples as tables of given norms, and what its bounds make of them. What the
// text has wrong about them, and the pair of tables that shows it: docs/paper.md#worked-examples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dpcov::research {

/// Rows of one norm.
struct NormGroup {
    double rows = 0.0;
    double squared_norm = 0.0;
};

struct ExampleTable {
    std::uint64_t n = 0;
    std::size_t d = 0;
    std::vector<NormGroup> groups;  ///< longest first; together n rows

    [[nodiscard]] double trace() const;
    /// The paper's tail: what rows longer than tau have of the trace.
    [[nodiscard]] double tail(double tau) const;
};

/// Noise(X, tau) + tail(X, tau) at rho = 1, beta = 0.1; tau = 0 is the trace.
[[nodiscard]] double clipped_error(const ExampleTable& table, double tau);

/// Section 1: three rows of norm 1, the others of norm n^(-1/4), d = n^(3/4).
[[nodiscard]] ExampleTable skewed_example(std::uint64_t n);

/// Two tables with the same d, n and trace, and the norms that they can be clipped at.
struct QuantileExample {
    ExampleTable first;
    ExampleTable second;
    std::vector<double> first_thresholds;   ///< descending
    std::vector<double> second_thresholds;  ///< descending
    double first_rank = 0.0;                ///< rows that the first table has of norm 1
    double second_rank = 0.0;               ///< rows that the second table has above its least norm
};

/// Example 1 as the text has it: d = n^(9/16).
[[nodiscard]] QuantileExample printed_quantile_example(std::uint64_t n);

/// The one that shows what the text says: d = n^(3/4).
[[nodiscard]] QuantileExample corrected_quantile_example(std::uint64_t n);

/// The threshold of the least clipped_error.
[[nodiscard]] double best_threshold(const ExampleTable& table,
                                    const std::vector<double>& thresholds);

}  // namespace dpcov::research
