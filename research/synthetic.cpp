#include "research/synthetic.hpp"

#include <cblas.h>

#include <cmath>
#include <random>

namespace dpcov::research {
namespace {

// First row of each bin, and n behind the last: bin k holds its Zipf share of the rows, rounded
// down at either end.
std::vector<std::size_t> bin_edges(const SyntheticSettings& settings) {
    std::vector<double> cumulative = {0.0};
    for (int k = 1; k <= settings.bins; ++k) {
        cumulative.push_back(cumulative.back() + std::pow(k, -settings.skew));
    }
    std::vector<std::size_t> edges;
    edges.reserve(cumulative.size());
    for (const double weight : cumulative) {
        edges.push_back(
            static_cast<std::size_t>(static_cast<double>(settings.n) * weight / cumulative.back()));
    }
    edges.back() = settings.n;
    return edges;
}

}  // namespace

std::vector<double> synthetic_table(const SyntheticSettings& settings) {
    const std::size_t d = settings.d;
    const std::size_t n = settings.n;
    std::mt19937_64 generator(settings.seed);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform;
    std::vector<double> gaussian(n * d);
    for (double& x : gaussian) {
        x = normal(generator);
    }
    std::vector<double> mixing(d * d);
    for (double& x : mixing) {
        x = uniform(generator);
    }
    std::vector<double> table(n * d);
    const auto columns = static_cast<blasint>(d);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, static_cast<blasint>(n), columns,
                columns, 1.0, gaussian.data(), columns, mixing.data(), columns, 0.0, table.data(),
                columns);

    std::vector<double> mean(d);
    for (std::size_t i = 0; i < n * d; ++i) {
        mean[i % d] += table[i] / static_cast<double>(n);
    }
    const std::vector<std::size_t> edges = bin_edges(settings);
    for (int k = 0; k < settings.bins; ++k) {
        const double norm = std::ldexp(1.0, k + 1 - settings.bins);
        for (std::size_t row = edges[static_cast<std::size_t>(k)];
             row < edges[static_cast<std::size_t>(k) + 1]; ++row) {
            double* x = table.data() + row * d;
            double squares = 0.0;
            for (std::size_t j = 0; j < d; ++j) {
                x[j] -= mean[j];
                squares += x[j] * x[j];
            }
            const double factor = norm / std::sqrt(squares);
            for (std::size_t j = 0; j < d; ++j) {
                x[j] *= factor;
            }
        }
    }
    return table;
}

}  // namespace dpcov::research
