#include "research/stress_tables.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "dpcov/error.hpp"
#include "research/synthetic.hpp"
#include "text/in_quotes.hpp"

namespace dpcov::research {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

VectorXd powers(Index d, double base) {
    return VectorXd::NullaryExpr(d, [=](Index i) { return std::pow(base, double(i)); });
}

VectorXd falling(Index d, double exponent) {
    return VectorXd::NullaryExpr(d, [=](Index i) { return std::pow(double(i + 1), -exponent); });
}

MatrixXd elliptical(const VectorXd& axes, Index n, Draws& draws) {
    return axes.asDiagonal() * draws.normals(axes.size(), n);
}

// Every row at the norm that `norm` draws for it.
template <class Norm>
MatrixXd with_norms(MatrixXd rows, Norm norm) {
    for (auto row : rows.colwise()) {
        row *= norm() / row.norm();
    }
    return rows;
}

MatrixXd unit_rows(const MatrixXd& rows) {
    return with_norms(rows, [] { return 1.0; });
}

// Each coordinate of each row by itself.
template <class Value>
MatrixXd entries(Index d, Index n, Value value) {
    MatrixXd rows(d, n);
    for (Index row = 0; row < n; ++row) {
        for (Index i = 0; i < d; ++i) {
            rows(i, row) = value(i);
        }
    }
    return rows;
}

// Some rows at the end replaced by long ones of norm 1 in a subspace that the others do not reach.
MatrixXd with_long_rows(MatrixXd rows, double others, Index count, Index dimensions, Draws& draws) {
    const Index d = rows.rows();
    rows.bottomRows(dimensions).setZero();
    rows *= others / rows.colwise().norm().maxCoeff();
    rows.rightCols(count).setZero();
    MatrixXd directions = unit_rows(draws.normals(dimensions, count));
    rows.block(d - dimensions, rows.cols() - count, dimensions, count) = directions;
    return rows;
}

template <int Bins>
MatrixXd paper(Index d, Index n, Draws& draws) {
    const std::vector<double> table = synthetic_table({.d = static_cast<std::size_t>(d),
                                                       .n = static_cast<std::size_t>(n),
                                                       .bins = Bins,
                                                       .seed = draws.seed()});
    return Eigen::Map<const MatrixXd>(table.data(), d, n);
}

// One of `levels` for each of `variables`, the first ones the most frequent.
MatrixXd one_hot(Index variables, Index levels, Index n, Draws& draws) {
    MatrixXd rows = MatrixXd::Zero(variables * levels, n);
    for (Index row = 0; row < n; ++row) {
        for (Index variable = 0; variable < variables; ++variable) {
            const auto level = static_cast<Index>(
                static_cast<double>(levels) *
                std::pow(draws.uniform(), 1.0 + static_cast<double>(variable) / 3.0));
            rows(variable * levels + std::min(level, levels - 1), row) = 1.0;
        }
    }
    return rows;
}

// Groups of rows, each in coordinates of its own: group g has the norms norms[g] times [0.85, 1].
MatrixXd blocks(Index d, Index n, const std::vector<double>& norms, Draws& draws) {
    const auto groups = static_cast<Index>(norms.size());
    const Index width = d / groups;
    MatrixXd rows = MatrixXd::Zero(d, n);
    for (Index row = 0; row < n; ++row) {
        const Index group = row % groups;
        VectorXd part = falling(width, 0.5).cwiseProduct(draws.normals(width, 1));
        part *= norms[static_cast<std::size_t>(group)] * draws.between(0.85, 1.0) / part.norm();
        rows.col(row).segment(group * width, width) = part;
    }
    return rows;
}

MatrixXd time_series(Index d, Index n, double memory, Draws& draws) {
    MatrixXd rows(d, n);
    for (Index row = 0; row < n; ++row) {
        double value = draws.normal() / std::sqrt(std::max(1e-2, 1.0 - memory * memory));
        for (Index i = 0; i < d; ++i) {
            value = memory * value + draws.normal();
            rows(i, row) = value;
        }
    }
    return rows;
}

MatrixXd words(Index d, Index n, double skew, Draws& draws) {
    MatrixXd rows(d, n);
    for (auto row : rows.colwise()) {
        const double length = 10.0 * std::exp(draws.normal());
        for (Index i = 0; i < d; ++i) {
            row[i] = draws.count(length * std::pow(double(i + 1), -skew));
        }
        row[0] += row.isZero(0.0) ? 1.0 : 0.0;
    }
    return rows;
}

MatrixXd smooth_images(Index d, Index n, Draws& draws) {
    const auto side = static_cast<Index>(std::lround(std::sqrt(static_cast<double>(d))));
    MatrixXd rows(d, n);
    for (auto row : rows.colwise()) {
        const double x = draws.between(0.2, 0.8);
        const double y = draws.between(0.2, 0.8);
        const double width = draws.between(0.1, 0.35);
        for (Index i = 0; i < d; ++i) {
            const double u = (double(i % side) + 0.5) / double(side) - x;
            const Index line = i / side;
            const double v = (double(line) + 0.5) / double(side) - y;
            const double light = std::exp(-0.5 * (u * u + v * v) / (width * width));
            row[i] = std::max(0.0, light + 0.1 * draws.normal());
        }
    }
    return rows;
}

// Gaussians with a common factor, each mapped to [low, 1].
MatrixXd cube(Index d, Index n, double low, Draws& draws) {
    MatrixXd rows(d, n);
    for (auto row : rows.colwise()) {
        const double common = draws.normal();
        for (Index i = 0; i < d; ++i) {
            const double z = 0.6 * common + 0.8 * draws.normal();
            row[i] = low + (1.0 - low) * 0.5 * std::erfc(-z / std::numbers::sqrt2);
        }
    }
    return rows;
}

// Columns in [-1, 1]: ages, hours, many zeros of money, years of school, and yes or no.
MatrixXd census(Index d, Index n, Draws& draws) {
    MatrixXd rows(d, n);
    for (auto row : rows.colwise()) {
        const double class_of_income = draws.normal();
        row[0] = std::clamp(-0.4 + 0.3 * draws.normal(), -1.0, 1.0);
        row[1] = std::clamp(-0.2 + 0.15 * draws.normal() + 0.1 * class_of_income, -1.0, 1.0);
        row[2] = -1.0 + (draws.chance(0.05) ? draws.uniform() : 0.0);
        row[3] = std::clamp(0.2 + 0.3 * class_of_income, -1.0, 1.0);
        for (Index i = 4; i < d; ++i) {
            const double rare = 0.02 + 0.5 * double(i - 4) / double(d);
            row[i] = draws.chance(rare) ? 1.0 : -1.0;
        }
    }
    return rows;
}

MatrixXd clusters(Index d, Index n, Index count, Draws& draws) {
    const MatrixXd centres = draws.normals(d, count);
    MatrixXd rows = 0.4 * draws.normals(d, n);
    for (Index row = 0; row < n; ++row) {
        rows.col(row) += centres.col(row % count);
    }
    return rows;
}

MatrixXd with_last_reversed(MatrixXd rows, double shorter, Draws& draws) {
    for (auto row : rows.colwise()) {
        const bool is_long = draws.chance(0.15);
        if (is_long) {
            row.reverseInPlace();
        }
        row *= (is_long ? 1.0 : shorter) * draws.between(0.7, 1.0) / row.norm();
    }
    return rows;
}

}  // namespace

MatrixXd Draws::normals(Index rows, Index columns) {
    return MatrixXd::NullaryExpr(rows, columns, [&] { return normal(); });
}

const std::vector<StressKind>& stress_kinds() {
    static const std::vector<StressKind> all = {
        {"unit norm, embeddings", 48,
         [](Index d, Index n, Draws& r) { return unit_rows(elliptical(falling(d, 0.5), n, r)); }},
        {"unit norm, isotropic", 40,
         [](Index d, Index n, Draws& r) { return unit_rows(r.normals(d, n)); }},
        {"unit norm, clusters", 40,
         [](Index d, Index n, Draws& r) { return unit_rows(clusters(d, n, 12, r)); }, 1.0, true},
        {"isotropic, uniform norms", 40,
         [](Index d, Index n, Draws& r) {
             return with_norms(r.normals(d, n), [&] { return r.uniform(); });
         }},
        {"isotropic, Gaussian", 60, [](Index d, Index n, Draws& r) { return r.normals(d, n); },
         0.999},
        {"isotropic, log-normal norms", 40,
         [](Index d, Index n, Draws& r) {
             return with_norms(r.normals(d, n), [&] { return std::exp(0.5 * r.normal()); });
         },
         0.999, true},
        {"Gaussian, axes 0.9^i", 40,
         [](Index d, Index n, Draws& r) { return elliptical(powers(d, 0.9), n, r); }, 0.999},
        {"Gaussian, axes 1/i", 30,
         [](Index d, Index n, Draws& r) { return elliptical(falling(d, 1.0), n, r); }, 1.0, true},
        {"elliptical, log-normal norms", 40,
         [](Index d, Index n, Draws& r) {
             return with_norms(elliptical(falling(d, 0.7), n, r),
                               [&] { return std::exp(0.7 * r.normal()); });
         },
         0.999},
        {"Gaussian off centre", 30,
         [](Index d, Index n, Draws& r) {
             MatrixXd rows = elliptical(powers(d, 0.95), n, r);
             rows.array() += 1.0;
             return rows;
         }},
        {"rank 3", 40,
         [](Index d, Index n, Draws& r) { return MatrixXd(r.normals(d, 3) * r.normals(3, n)); },
         0.999},
        {"rank 1", 20,
         [](Index d, Index n, Draws& r) { return MatrixXd(r.normals(d, 1) * r.normals(1, n)); }},
        {"rank 5 and a floor", 50,
         [](Index d, Index n, Draws& r) {
             return MatrixXd(r.normals(d, 5) * r.normals(5, n) + 0.3 * r.normals(d, n));
         },
         0.999, true},
        {"orthogonal octaves", 48,
         [](Index d, Index n, Draws& r) {
             return blocks(d, n, {0.125, 0.25, 0.5, 1.0}, r);
         }},
        {"orthogonal, 0.35 and 1", 40,
         [](Index d, Index n, Draws& r) {
             return blocks(d, n, {0.35, 1.0}, r);
         },
         1.0, true},
        {"long rows reversed", 40,
         [](Index d, Index n, Draws& r) {
             return with_last_reversed(elliptical(powers(d, 0.9), n, r), 0.4, r);
         }},
        {"binary, 5 %", 60,
         [](Index d, Index n, Draws& r) {
             return entries(d, n, [&](Index) { return r.chance(0.05) ? 1.0 : 0.0; });
         }},
        {"binary, Zipf", 60,
         [](Index d, Index n, Draws& r) {
             return entries(d, n,
                            [&](Index i) { return r.chance(0.6 / double(i + 1)) ? 1.0 : 0.0; });
         }},
        {"one-hot, 8 of 40", 40, [](Index, Index n, Draws& r) { return one_hot(8, 5, n, r); }},
        {"one-hot and numbers", 36,
         [](Index d, Index n, Draws& r) {
             MatrixXd rows(d, n);
             rows.topRows(28) = one_hot(7, 4, n, r);
             rows.bottomRows(d - 28) = time_series(d - 28, n, 0.7, r);
             return rows;
         },
         0.999, true},
        {"census", 17, census},
        {"cube [-1, 1]", 20, [](Index d, Index n, Draws& r) { return cube(d, n, -1.0, r); }},
        {"cube [0, 1]", 20, [](Index d, Index n, Draws& r) { return cube(d, n, 0.0, r); }, 1.0,
         true},
        {"Student t, 3 degrees", 40,
         [](Index d, Index n, Draws& r) {
             MatrixXd rows = elliptical(powers(d, 0.95), n, r);
             for (auto row : rows.colwise()) {
                 row /= std::sqrt(r.normals(3, 1).squaredNorm() / 3.0);
             }
             return rows;
         }},
        {"Pareto norms, 1.5", 40,
         [](Index d, Index n, Draws& r) {
             return with_norms(elliptical(falling(d, 0.5), n, r),
                               [&] { return std::pow(1.0 - r.uniform(), -1.0 / 1.5); });
         },
         0.999},
        {"Cauchy norms", 40,
         [](Index d, Index n, Draws& r) {
             return with_norms(elliptical(falling(d, 0.5), n, r),
                               [&] { return std::abs(r.normal() / r.normal()); });
         },
         0.99, true},
        {"time series, AR 0.9", 32,
         [](Index d, Index n, Draws& r) { return time_series(d, n, 0.9, r); }},
        {"random walks", 32, [](Index d, Index n, Draws& r) { return time_series(d, n, 1.0, r); },
         0.999},
        {"sine waves", 48,
         [](Index d, Index n, Draws& r) {
             MatrixXd rows(d, n);
             for (auto row : rows.colwise()) {
                 const double speed = r.between(0.05, 0.8);
                 const double phase = r.between(0.0, 6.3);
                 const double height = r.between(0.2, 1.0);
                 for (Index i = 0; i < d; ++i) {
                     row[i] = height * std::sin(speed * double(i) + phase) + 0.1 * r.normal();
                 }
             }
             return rows;
         },
         1.0, true},
        {"duplicated columns", 40,
         [](Index d, Index n, Draws& r) {
             MatrixXd rows = r.normals(d / 5, n).replicate(5, 1);
             return MatrixXd(rows + 0.05 * r.normals(d, n));
         },
         0.999},
        {"20 long rows apart", 40,
         [](Index d, Index n, Draws& r) {
             return with_long_rows(elliptical(falling(d, 0.5), n, r), 0.4, 20, 1, r);
         }},
        {"200 long rows apart", 40,
         [](Index d, Index n, Draws& r) {
             return with_long_rows(elliptical(falling(d, 0.5), n, r), 0.3, 200, 4, r);
         }},
        {"60 long rows apart", 30,
         [](Index d, Index n, Draws& r) { return with_long_rows(r.normals(d, n), 0.2, 60, 2, r); },
         1.0, true},
        {"1 % long rows alike", 40,
         [](Index d, Index n, Draws& r) {
             return with_norms(elliptical(falling(d, 0.5), n, r), [&] {
                 return r.chance(0.01) ? r.between(0.6, 1.0) : r.between(0.1, 0.2);
             });
         }},
        {"two lengths, 0.3 and 0.6", 40,
         [](Index d, Index n, Draws& r) {
             return with_norms(elliptical(powers(d, 0.92), n, r),
                               [&] { return r.chance(0.3) ? 0.6 : 0.3; });
         },
         1.0, false, 0.6},
        {"bag of words", 60, [](Index d, Index n, Draws& r) { return words(d, n, 1.0, r); }, 0.999},
        {"ratings", 50,
         [](Index d, Index n, Draws& r) {
             MatrixXd rows(d, n);
             for (auto row : rows.colwise()) {
                 const double active = r.between(0.02, 0.3);
                 for (Index i = 0; i < d; ++i) {
                     row[i] = r.chance(active) ? 1.0 + r.count(2.5) : 0.0;
                 }
                 row[0] += row.isZero(0.0) ? 3.0 : 0.0;
             }
             return rows;
         },
         0.999, true},
        {"smooth images", 49, [](Index d, Index n, Draws& r) { return smooth_images(d, n, r); }},
        {"the paper's, N = 1, times 0.55", 50, paper<1>, 1.0, false, 0.55},
        {"the paper's, N = 2, times 0.75", 50, paper<2>, 1.0, false, 0.75},
        {"the paper's, N = 4, times 0.6", 50, paper<4>, 1.0, false, 0.6},
        {"the paper's, N = 4, times 0.95", 50, paper<4>, 1.0, false, 0.95},
        {"the paper's, N = 8, times 0.85", 50, paper<8>, 1.0, true, 0.85},
        {"narrow", 3, [](Index d, Index n, Draws& r) { return elliptical(powers(d, 0.6), n, r); },
         0.999},
        {"narrow, off centre", 8,
         [](Index d, Index n, Draws& r) {
             MatrixXd rows = r.normals(d, n);
             rows.row(0).array() += 3.0;
             return rows;
         },
         1.0, true},
        {"wide, unit norm", 120,
         [](Index d, Index n, Draws& r) { return unit_rows(elliptical(powers(d, 0.95), n, r)); }},
        {"wide, Gaussian", 100,
         [](Index d, Index n, Draws& r) { return elliptical(falling(d, 0.5), n, r); }, 0.999, true},
    };
    return all;
}

const StressKind& stress_kind(std::string_view name) {
    for (const StressKind& kind : stress_kinds()) {
        if (kind.name == name) {
            return kind;
        }
    }
    throw UsageError("there is no kind of table " + in_quotes(name));
}

const std::vector<StressBudget>& stress_budgets() {
    static const std::vector<StressBudget> all = {
        {16000, Rho(0.5)}, {16000, Epsilon(2.0)}, {4000, Rho(0.05)}, {4000, Epsilon(0.5)}};
    return all;
}

MatrixXd stress_table(const StressKind& kind, Index n, std::uint64_t seed) {
    Draws draws(seed);
    MatrixXd rows = kind.drawn(kind.columns, n, draws);
    VectorXd norms = rows.colwise().norm();
    std::vector<double> sorted(norms.begin(), norms.end());
    const auto place =
        static_cast<std::ptrdiff_t>(std::ceil(kind.clipped_above * static_cast<double>(n)) - 1.0);
    std::nth_element(sorted.begin(), sorted.begin() + place, sorted.end());
    const double bound = sorted[static_cast<std::size_t>(place)];
    for (Index row = 0; row < n; ++row) {
        rows.col(row) *= kind.longest / std::max(bound, norms[row]);
    }
    return rows;
}

}  // namespace dpcov::research
