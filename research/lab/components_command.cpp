// How much variance released principal components capture, as CSV for research/pages/derived.py.
//
//   dpcov-lab components --data DIR --runs 10 > components.csv
#include <fmt/core.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "arithmetic/eigen_decomposition.hpp"
#include "dpcov/derive.hpp"
#include "dpcov/release.hpp"
#include "dpcov/second_moment.hpp"
#include "dpcov/table.hpp"
#include "research/bounded_tables.hpp"
#include "research/lab/commands.hpp"
#include "research/lab/options.hpp"

namespace dpcov::research {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

// A table whose components are wanted, in mapped units, with its covariance about the mean.
struct ComponentsTable {
    std::string name;
    SecondMoment moment;
    MatrixXd covariance;
    double rows;
    std::vector<Definition> budgets;
};

std::vector<Definition> rhos(std::initializer_list<double> values) {
    std::vector<Definition> definitions;
    for (const double value : values) {
        definitions.emplace_back(Rho(value));
    }
    return definitions;
}

ComponentsTable of_rows(std::string name, const MatrixXd& rows, double norm_bound,
                        std::vector<Definition> budgets) {
    const auto n = static_cast<double>(rows.rows());
    const MatrixXd centred = rows.rowwise() - rows.colwise().mean();
    ComponentsTable table{
        std::move(name),
        SecondMoment({.columns = static_cast<std::size_t>(rows.cols()), .norm_bound = norm_bound}),
        centred.transpose() * centred / n, n, std::move(budgets)};
    table.moment.add(rows);
    return table;
}

ComponentsTable bounded(const BoundedTable& table) {
    return of_rows(table.name, table.rows, std::sqrt(static_cast<double>(table.rows.cols())),
                   rhos({1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1, 0.3, 1.0}));
}

ComponentsTable mnist(const std::string& folder) {
    const auto reader =
        open_table(folder + "/mnist/train-images-idx3-ubyte.gz", {.scale = 255.0 * 28.0});
    return of_rows("MNIST", all_rows(*reader), 1.0,
                   rhos({1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1}));
}

// 200 columns, 20,000 rows: unit variance, two directions of 10 more; clipped to the norm that
// nearly all are below.
ComponentsTable spiked() {
    constexpr Index d = 200;
    constexpr Index n = 20000;
    std::mt19937_64 generator(1);
    std::normal_distribution<double> normal;
    MatrixXd rows(n, d);
    for (double& value : rows.reshaped()) {
        value = normal(generator);
    }
    rows.leftCols<2>() *= std::sqrt(11.0);
    const double bound = 1.3 * std::sqrt(static_cast<double>(d + 20));
    const Eigen::ArrayXd norms = rows.rowwise().norm().array();
    rows = (norms > bound).select(bound / norms, 1.0).matrix().asDiagonal() * rows;
    return of_rows("spiked", rows, bound,
                   {ApproximateDp{Epsilon(1.0), Delta(0.01)}, Rho(0.01), Rho(0.1), Rho(1.0)});
}

// The noisy power method (Hardt, Price 2014) on the covariance about the exact mean, which it is
// given for nothing: L steps of A X + G, each with a share 1/L of rho. Rows differ by one replaced,
// so A X moves by sqrt(2) B^2 / n at most in the Frobenius norm.
MatrixXd noisy_power_method(const ComponentsTable& table, Index components, double rho, int steps,
                            std::mt19937_64& generator) {
    std::normal_distribution<double> normal;
    const double bound = table.moment.layout().norm_bound;
    const double deviation =
        std::numbers::sqrt2 * bound * bound / table.rows / std::sqrt(2.0 * rho / steps);
    const Index d = table.covariance.rows();
    const auto draws = [&] {
        MatrixXd values(d, components);
        for (double& value : values.reshaped()) {
            value = normal(generator);
        }
        return values;
    };
    const auto basis_of = [&](const MatrixXd& columns) {
        const auto [values, vectors] = detail::eigen_decomposition(columns.transpose() * columns);
        return MatrixXd(columns * vectors * values.cwiseSqrt().cwiseInverse().asDiagonal());
    };
    MatrixXd basis = basis_of(draws());
    for (int step = 0; step < steps; ++step) {
        basis = basis_of(table.covariance * basis + deviation * draws());
    }
    return basis;
}

double captured(const MatrixXd& covariance, const MatrixXd& rows) {
    return (rows * covariance).cwiseProduct(rows).sum();
}

double rho_of_definition(const Definition& definition) {
    const auto* approximate = std::get_if<ApproximateDp>(&definition);
    return approximate != nullptr ? rho_for(*approximate, Curve::gaussian).value()
                                  : std::get<Rho>(definition).value();
}

void print_table(const ComponentsTable& table, int runs, const std::vector<std::string>& methods) {
    const Index d = table.covariance.rows();
    const Eigen::VectorXd values = detail::eigenvalues(table.covariance).reverse();
    std::vector<Index> counts;
    for (const Index count : {1, 2, 5, 10, 50}) {
        if (count < d) {
            counts.push_back(count);
        }
    }
    for (const Definition& definition : table.budgets) {
        const double rho = rho_of_definition(definition);
        const auto print = [&](const std::string& method, Index count, double share) {
            fmt::print("\"{}\",{},{:.4g},{},{},{:.5f}\n", table.name, d, rho, method, count, share);
            std::fflush(stdout);
        };
        for (const std::string& method : methods) {
            std::vector<double> shares(counts.size(), 0.0);
            for (int run = 0; run < runs; ++run) {
                const bool gauss = method == "gauss";
                const Release released =
                    release(table.moment, definition,
                            {.method = method,
                             .variant = gauss ? Variant::paper : Variant::best,
                             .center = true,
                             .insecure_seed = static_cast<std::uint64_t>(run)});
                const MatrixXd rows = derive_pca(released, counts.back()).components;
                for (std::size_t i = 0; i < counts.size(); ++i) {
                    shares[i] += captured(table.covariance, rows.topRows(counts[i])) /
                                 values.head(counts[i]).sum() / runs;
                }
            }
            for (std::size_t i = 0; i < counts.size(); ++i) {
                print(method, counts[i], shares[i]);
            }
        }
        std::mt19937_64 generator(1);
        for (const Index count : counts) {
            double best = 0.0;  // of the numbers of steps, in hindsight
            for (const int steps : {1, 2, 4, 8, 16}) {
                double share = 0.0;
                for (int run = 0; run < runs; ++run) {
                    const MatrixXd basis = noisy_power_method(table, count, rho, steps, generator);
                    share += captured(table.covariance, basis.transpose()) /
                             values.head(count).sum() / runs;
                }
                best = std::max(best, share);
            }
            print("power", count, best);
        }
    }
}

struct ComponentsArguments {
    std::string folder;
    int runs = 10;
};

void run_components(const ComponentsArguments& arguments) {
    fmt::print("table,d,rho,method,components,captured\n");
    const std::vector<std::string> methods = {"auto", "gauss", "em"};
    for (const BoundedTable& table : bounded_tables(arguments.folder)) {
        print_table(bounded(table), arguments.runs, methods);
    }
    print_table(spiked(), arguments.runs, methods);
    print_table(mnist(arguments.folder), std::min(arguments.runs, 3), methods);
}

}  // namespace

void add_components_command(CLI::App& program) {
    auto* command = program.add_subcommand(
        "components", "How much variance released principal components capture, as CSV");
    auto arguments = std::make_shared<ComponentsArguments>();
    command->add_option("--data", arguments->folder, "Folder with the real data")
        ->option_text("DIR")
        ->required();
    add_runs(*command, arguments->runs, "Releases of a cell (default: 10; MNIST 3)");
    command->callback([arguments] { run_components(*arguments); });
}

}  // namespace dpcov::research
