// The projection onto the solid simplex, and of matrices onto bounded trace, against iteration.
#include "estimate/simplex.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <random>

#include "arithmetic/eigen_decomposition.hpp"

namespace dpcov::detail {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Dykstra's alternating projections between {A psd} and {tr A <= bound}, which knows nothing of
// simplices. Diagonal matrices stay diagonal, so this projects vectors too.
MatrixXd dykstra(const MatrixXd& matrix, double bound) {
    const Index d = matrix.rows();
    MatrixXd x = matrix;
    MatrixXd p = MatrixXd::Zero(d, d);
    MatrixXd q = MatrixXd::Zero(d, d);
    for (int step = 0; step < 5000; ++step) {
        const EigenDecomposition eigen = eigen_decomposition(x + p);
        const MatrixXd y = assemble(eigen.vectors, eigen.values.cwiseMax(0.0));
        p += x - y;
        x = y + q;
        x.diagonal().array() -= std::max(0.0, x.trace() - bound) / static_cast<double>(d);
        q += y - x;
    }
    return x;
}

TEST(Simplex, MatchesAlternatingProjectionsOnMatrices) {
    std::mt19937_64 generator(1);
    std::normal_distribution<double> normal;
    for (const Index d : {1, 2, 3, 6}) {
        for (const double bound : {0.5, 2.0, 20.0}) {
            const MatrixXd a = MatrixXd::NullaryExpr(d, d, [&] { return normal(generator); });
            const MatrixXd matrix = a + a.transpose() + MatrixXd::Identity(d, d);
            const EigenDecomposition eigen = eigen_decomposition(matrix);
            const SimplexProjection projected = project_onto_simplex(eigen.values, bound);
            const MatrixXd nearest = assemble(eigen.vectors, projected.values);
            EXPECT_LT((nearest - dykstra(matrix, bound)).norm(), 1e-7) << d << ' ' << bound;
            // Control: cutting at zero and scaling to the bound is something else, where it binds.
            const VectorXd cut = eigen.values.cwiseMax(0.0);
            if (d > 1 && cut.sum() > 1.1 * bound && (cut.array() > 0.0).count() > 1) {
                const MatrixXd scaled = assemble(eigen.vectors, cut * (bound / cut.sum()));
                EXPECT_GT((scaled - dykstra(matrix, bound)).norm(), 1e-3) << d << ' ' << bound;
            }
        }
    }
}

// The projection x of v is the only point with (y - x)^T (v - x) <= 0 for every vertex y of the
// simplex: the origin, and bound times each unit vector.
TEST(Simplex, MeetsTheVariationalInequality) {
    std::mt19937_64 generator(2);
    std::normal_distribution<double> normal;
    for (const Index d : {1, 2, 5, 100}) {
        for (const double bound : {0.0, 1e-3, 1.0, 50.0}) {
            for (int draw = 0; draw < 20; ++draw) {
                const VectorXd v =
                    VectorXd::NullaryExpr(d, [&] { return 3.0 * normal(generator); });
                const SimplexProjection projected = project_onto_simplex(v, bound);
                const VectorXd& x = projected.values;
                EXPECT_GE(x.minCoeff(), 0.0);
                EXPECT_LE(x.sum(), bound * (1.0 + 1e-13) + 1e-13);
                const VectorXd away = v - x;
                EXPECT_LE(-x.dot(away), 1e-12);
                EXPECT_LE(bound * away.maxCoeff() - x.dot(away), 1e-11 * (1.0 + bound));
                EXPECT_EQ(projected.shift > 0.0, v.cwiseMax(0.0).sum() > bound);
            }
        }
    }
}

TEST(Simplex, LeavesItsPointsAlone) {
    const VectorXd inside = (VectorXd(3) << 0.2, 0.0, 0.3).finished();
    EXPECT_EQ(project_onto_simplex(inside, 1.0).values, inside);
    EXPECT_EQ(project_onto_simplex(inside, 1.0).shift, 0.0);
    EXPECT_EQ(project_onto_simplex(VectorXd::Constant(4, -1.0), 1.0).values, VectorXd::Zero(4));
    EXPECT_EQ(project_onto_simplex(VectorXd::Constant(1, 5.0), 2.0).values[0], 2.0);
    // Ties share alike.
    EXPECT_EQ(project_onto_simplex(VectorXd::Constant(4, 7.0), 2.0).values,
              VectorXd::Constant(4, 0.5));
}

}  // namespace
}  // namespace dpcov::detail
