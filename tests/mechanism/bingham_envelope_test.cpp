// What envelopes claim of themselves, against long doubles.
#include "mechanism/bingham_envelope.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <random>

#include "mechanism/bingham_frame.hpp"
#include "mechanism/exact_reflections.hpp"
#include "support/decompositions.hpp"

namespace dpcov::detail {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::as_matrix;
using test::LongMatrix;
using test::LongVector;

class Normals {
public:
    explicit Normals(unsigned seed) : generator_(seed) {}
    MatrixXd matrix(Index rows, Index columns) {
        return MatrixXd::NullaryExpr(rows, columns, [&] { return normal_(generator_); });
    }

private:
    std::mt19937_64 generator_;
    std::normal_distribution<double> normal_;
};

// Eigenvalues from 1 down to 2^-9 and less.
MatrixXd steep_form(Index d, Normals& normals) {
    const MatrixXd basis =
        eigen_decomposition(MatrixXd(normals.matrix(d, d).selfadjointView<Eigen::Upper>())).vectors;
    const VectorXd values =
        VectorXd::NullaryExpr(d, [](Index i) { return std::exp2(-static_cast<double>(i)); });
    const MatrixXd form = basis * values.asDiagonal() * basis.transpose();
    return 0.5 * (form + form.transpose());
}

// How far the eigenvalues of A^T M A are outside what the envelope claims, P being `narrowed`:
// negative where they are inside. Long doubles err by some 2^-60 beta at these sizes.
double outside(const BinghamEnvelope& envelope, const MatrixXd& vectors,
               const Reflections& narrowed, const MatrixXd& form) {
    const Index n = form.rows();
    const LongMatrix p = as_matrix(narrowed, n);
    const LongMatrix a = p.transpose() * vectors.cast<long double>() *
                         envelope.scale.cast<long double>().asDiagonal() *
                         as_matrix(envelope.inward, n);
    const LongMatrix m =
        envelope.beta * LongMatrix::Identity(p.cols(), p.cols()) -
        2.0L * envelope.concentration * (p.transpose() * form.cast<long double>() * p);
    const LongMatrix inside = a.transpose() * m * a;
    const LongVector values = test::long_spectrum(inside);
    const long double fit = envelope.fit;
    return static_cast<double>(
        std::max(fit - values.minCoeff(), values.maxCoeff() - fit * (1.0L + envelope.slack)));
}

// And |A z| near |S J z|, for some z.
double astray(const BinghamEnvelope& envelope, const MatrixXd& vectors, const Reflections& narrowed,
              Normals& normals) {
    const Index n = vectors.rows();
    const LongVector z = normals.matrix(narrowed.columns(), 1).cast<long double>();
    const LongVector x =
        envelope.scale.cast<long double>().asDiagonal() * (as_matrix(envelope.inward, n) * z);
    const LongVector w =
        as_matrix(narrowed, n).transpose() * (vectors.cast<long double>() * x).eval();
    return static_cast<double>(std::fabs(w.norm() - x.norm()) -
                               (envelope.skew * x.norm() + envelope.astray * z.norm()));
}

// On every complement, at concentrations from none to 2^30. Controls: the form moved by 64 times
// what is claimed of each envelope's fit, and another direction left out than P leaves out.
TEST(BinghamEnvelope, FitsAsItClaimsOnEveryComplement) {
    constexpr Index d = 24;
    Normals normals(1);
    const MatrixXd form = steep_form(d, normals);
    std::size_t found_late = 0;
    double least_slack = 1.0;
    for (const double concentration : {0.0, 3.0, 0x1p12, 0x1p30}) {
        BinghamEnvelopes envelopes(form, 0.0, eigen_decomposition(form));
        BinghamEnvelopes misled = envelopes;
        const double noise = 0x1p-58 * (1.0 + concentration);
        for (Index left = d; left > d / 2; --left) {
            const auto found = envelopes.find(concentration, 1.0);
            ASSERT_TRUE(found || envelopes.narrowed().count() > 0);
            if (found) {
                found_late += envelopes.narrowed().count() > 4 ? 1 : 0;
                least_slack = std::min(least_slack, found->slack);
                EXPECT_LT(found->slack, 0x1p-10);
                EXPECT_LT(outside(*found, envelopes.vectors(), envelopes.narrowed(), form), noise);
                EXPECT_LE(astray(*found, envelopes.vectors(), envelopes.narrowed(), normals),
                          0x1p-60);
                if (concentration > 0.0) {
                    const double moved = 64.0 * found->slack * found->beta / concentration;
                    EXPECT_GT(outside(*found, envelopes.vectors(), envelopes.narrowed(),
                                      form + moved * MatrixXd::Identity(d, d)),
                              noise);
                }
            }
            if (left < d) {
                const auto wrong = misled.find(concentration, 1.0);
                if (wrong && concentration > 0.0) {
                    EXPECT_GT(outside(*wrong, envelopes.vectors(), envelopes.narrowed(), form),
                              noise)
                        << concentration << ' ' << left;
                }
            }
            const VectorXd y = normals.matrix(left, 1).normalized();
            const VectorXd other = (y + 1e-4 * normals.matrix(left, 1)).normalized();
            envelopes.narrow(BinghamFrame::reflection(y));
            misled.narrow(BinghamFrame::reflection(other));
        }
    }
    EXPECT_GT(found_late, 20U);
    EXPECT_LT(least_slack, 1e-9);
}

// A basis that is none, one that is not quite orthonormal, values of another matrix: a wide
// envelope, or none yet, but never one that does not hold.
TEST(BinghamEnvelope, HoldsWhateverBasisItIsGiven) {
    constexpr Index d = 12;
    constexpr double concentration = 50.0;
    Normals normals(2);
    const MatrixXd form = steep_form(d, normals);
    const EigenDecomposition right = eigen_decomposition(form);
    const EigenDecomposition given[] = {{right.values, normals.matrix(d, d)},
                                        {right.values, (1.0 + 1e-8) * right.vectors},
                                        {right.values.reverse(), right.vectors},
                                        {(1.0 + 1e-7) * right.values, right.vectors},
                                        {VectorXd::Zero(d), MatrixXd::Identity(d, d)},
                                        {VectorXd::Constant(d, std::nan("")), right.vectors},
                                        {right.values, MatrixXd::Constant(d, d, std::nan(""))}};
    for (const EigenDecomposition& found : given) {
        const BinghamEnvelopes envelopes(form, 0.0, found);
        std::optional<BinghamEnvelope> envelope;
        for (double wider = 1.0; !envelope && wider < 0x1p60; wider *= 2.0) {
            envelope = envelopes.find(concentration, wider);
        }
        ASSERT_TRUE(envelope);
        EXPECT_LT(outside(*envelope, envelopes.vectors(), envelopes.narrowed(), form), 1e-15);
    }
}

// The true form may be anywhere within form_error.
TEST(BinghamEnvelope, AllowsForTheErrorOfTheForm) {
    constexpr Index d = 10;
    Normals normals(3);
    const MatrixXd form = steep_form(d, normals);
    for (const double error : {1e-12, 1e-8, 1e-4}) {
        BinghamEnvelopes envelopes(form, error, eigen_decomposition(form));
        BinghamEnvelopes certain(form, 0.0, eigen_decomposition(form));
        for (int left_out = 0; left_out < 3; ++left_out) {
            const auto found = envelopes.find(20.0, 1.0);
            const auto too_certain = certain.find(20.0, 1.0);
            ASSERT_TRUE(found && too_certain);
            double worst = -1.0;
            for (const double sign : {-1.0, 1.0}) {
                MatrixXd away = sign * MatrixXd::Identity(d, d);
                away *= error / away.norm();
                EXPECT_LT(outside(*found, envelopes.vectors(), envelopes.narrowed(), form + away),
                          1e-15);
                worst = std::max(worst, outside(*too_certain, certain.vectors(), certain.narrowed(),
                                                form + away));
            }
            EXPECT_GT(worst, 1e-15);  // control
            const VectorXd v = BinghamFrame::reflection(
                normals.matrix(envelopes.narrowed().columns(), 1).normalized());
            envelopes.narrow(v);
            certain.narrow(v);
        }
    }
}

}  // namespace
}  // namespace dpcov::detail
