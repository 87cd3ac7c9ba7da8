// Every mechanism of the catalogue, in every definition that it claims, under the audit: by day a
// short one, which sees gross mistakes, by night a longer one. A stronger audit takes longer still:
// docs/audit.md has its table.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "audit/seeded_audit.hpp"
#include "dpcov/error.hpp"
#include "mechanism/tables.hpp"
#include "support/test_size.hpp"

namespace dpcov::test {
namespace {

const auto runs = test_size<std::uint64_t>(200, 600);

using Dimensions = std::vector<std::size_t>;

// `auto` releases these tables by strata.
const std::string same_as_auto = "stratified";

std::vector<std::string> other_names() {
    std::vector<std::string> names;
    for (const Method& method : methods()) {
        if (method.name != same_as_auto) {
            names.emplace_back(method.name);
        }
    }
    return names;
}

std::vector<std::string> names_without_strata() {
    std::vector<std::string> names = other_names();
    std::erase_if(names, [](const std::string& name) {
        return name == "auto" || name == "gauss" || name == "wishart";
    });
    return names;
}

std::vector<Definition> claims_of(const Method& method) {
    std::vector<Definition> claims;
    if (method.zcdp) {
        claims.emplace_back(Rho(0.5));
        claims.emplace_back(ApproximateDp{Epsilon(1.0), Delta(1e-3)});
    }
    if (method.pure_dp) {
        claims.emplace_back(Epsilon(0.5));
    }
    return claims;
}

class MechanismAudit : public ::testing::TestWithParam<std::string> {
protected:
    // By day each kind of noise once: under (epsilon, delta) it is that of zCDP at another level.
    static std::vector<Definition> claims() {
        const std::vector<Definition> all = claims_of(find_method(GetParam()));
        std::vector<Definition> without_delta = all;
        std::erase_if(without_delta, [](const Definition& claim) {
            return std::holds_alternative<ApproximateDp>(claim);
        });
        return test_size(without_delta, all);
    }

    static void expect_to_stand(const Dimensions& dimensions, const ReleaseOptions& options,
                                const std::vector<Definition>& claims) {
        const Method& method = find_method(GetParam());
        if (!serves(method, options.neighbours)) {
            GTEST_SKIP() << method.name << " is not for these neighbours";
        }
        for (const Definition& claim : claims) {
            for (const std::size_t d : dimensions) {
                const audit::AuditReport report = seeded_audit(method, claim, d, runs, options);
                EXPECT_FALSE(report.refuted)
                    << method.name << ", d = " << d << ": shown " << report.lower_bound << " of "
                    << report.claimed << " by " << report.distinguisher << " on " << report.pair;
                EXPECT_EQ(report.lower_bound > 0.0, !report.pair.empty());
                if (method.name == "zero") {
                    EXPECT_EQ(report.lower_bound, 0.0);
                }
            }
        }
    }
};

TEST_P(MechanismAudit, BestStands) {
    expect_to_stand(test_size<Dimensions>({1, 2}, {1, 2, 5}), {},
                    claims_of(find_method(GetParam())));
}

// Without post-processing: what is released is what the noise was added to.
TEST_P(MechanismAudit, PaperStands) {
    ReleaseOptions options;
    options.variant = Variant::paper;
    expect_to_stand(test_size<Dimensions>({2}, {1, 2}), options, claims());
}

TEST_P(MechanismAudit, CentredStands) {
    ReleaseOptions options;
    options.center = true;
    expect_to_stand({2}, options, claims());
}

TEST_P(MechanismAudit, AddRemoveStands) {
    ReleaseOptions options;
    options.neighbours = Neighbours::add_remove;
    expect_to_stand(test_size<Dimensions>({2}, {1, 2, 5}), options, claims());
}

TEST_P(MechanismAudit, PaperUnderAddRemoveStands) {
    ReleaseOptions options;
    options.neighbours = Neighbours::add_remove;
    options.variant = Variant::paper;
    expect_to_stand(test_size<Dimensions>({1}, {1, 2}), options, claims());
}

TEST_P(MechanismAudit, CentredUnderAddRemoveStands) {
    ReleaseOptions options;
    options.neighbours = Neighbours::add_remove;
    options.center = true;
    expect_to_stand({2}, options, claims());
}

// The rows about a rough mean, where that is chosen. Columns are 1 and 2: a full row is as long as
// the norm bound in the first.
class TwoPassesAudit : public testing::TestWithParam<std::tuple<Neighbours, bool>> {};

TEST_P(TwoPassesAudit, Stands) {
    const auto [neighbours, pure] = GetParam();
    ReleaseOptions options;
    options.neighbours = neighbours;
    options.keep_statistics = true;
    const Definition claim = pure ? Definition(Epsilon(4.0)) : Definition(Rho(1.0));
    for (const std::size_t d : test_size<Dimensions>({2}, {1, 2})) {
        const audit::AuditReport report = seeded_audit(in_two_passes(), claim, d, runs, options);
        EXPECT_FALSE(report.refuted)
            << "d = " << d << ": shown " << report.lower_bound << " of " << report.claimed << " by "
            << report.distinguisher << " on " << report.pair;
    }
}

INSTANTIATE_TEST_SUITE_P(
    , TwoPassesAudit,
    testing::Combine(testing::Values(Neighbours::replace, Neighbours::add_remove), testing::Bool()),
    [](const auto& each) {
        return std::string(std::get<0>(each.param) == Neighbours::replace ? "Replace"
                                                                          : "AddRemove") +
               (std::get<1>(each.param) ? "PureDp" : "Zcdp");
    });

class KeptStatisticsAudit : public MechanismAudit {};

// What `dpcov estimate --release` hands out: matrix and mean before anything was made of them, of
// every stratum, and what the partition left out.
TEST_P(KeptStatisticsAudit, Stand) {
    for (const Neighbours neighbours : {Neighbours::replace, Neighbours::add_remove}) {
        for (const bool center : test_size<std::vector<bool>>({true}, {false, true})) {
            ReleaseOptions options;
            options.keep_statistics = true;
            options.neighbours = neighbours;
            options.center = center;
            expect_to_stand({2}, options, claims());
        }
    }
}

std::string test_name(const ::testing::TestParamInfo<std::string>& tested) {
    std::string name = tested.param;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

INSTANTIATE_TEST_SUITE_P(Catalogue, MechanismAudit, ::testing::ValuesIn(other_names()), test_name);
// Left to the night.
INSTANTIATE_TEST_SUITE_P(Night, MechanismAudit, ::testing::Values(same_as_auto), test_name);

// Those with strata of known laws; the others keep a mean at most.
INSTANTIATE_TEST_SUITE_P(Strata, KeptStatisticsAudit, ::testing::Values("auto", "gauss", "wishart"),
                         test_name);
INSTANTIATE_TEST_SUITE_P(Night, KeptStatisticsAudit, ::testing::ValuesIn(names_without_strata()),
                         test_name);

TEST(MechanismAudits, LeaveOutNothingByDay) {
    SecondMoment rows({.columns = 2, .norm_bound = 1.0});
    rows.add(Eigen::MatrixXd::Constant(4, 2, 0.5));
    for (const Definition& claim : claims_of(find_method(same_as_auto))) {
        const auto made_by = [&](const std::string& method) {
            return release(rows, claim, {.method = method, .insecure_seed = 1}).covariance;
        };
        EXPECT_EQ(made_by("auto"), made_by(same_as_auto));
    }
}

// Negative control, for each of the claims: with a tenth of the noise no mechanism would stand.
TEST(MechanismAudits, SeeATenthOfTheNoise) {
    for (const Definition& claim : claims_of(find_method("gauss"))) {
        const auto report = seeded_audit(matrix_with_noise_scaled(0.1), claim, 2, runs);
        EXPECT_TRUE(report.refuted) << report.lower_bound << " of " << report.claimed;
    }
    const auto report = seeded_audit(matrix_with_noise_scaled(0.1), Epsilon(0.5), 1, runs);
    EXPECT_TRUE(report.refuted) << report.lower_bound << " of " << report.claimed;
}

TEST(Audit, DoesNotDependOnThreads) {
    audit::AuditOptions options;
    options.runs = 200;
    options.random = [](std::uint64_t stream) {
        return std::make_unique<SeededRandomSource>(3, stream);
    };
    const Method& gauss = find_method("gauss");
    const audit::AuditReport one = audit::audit_method(gauss, Rho(5.0), options);
    options.threads = 3;
    const audit::AuditReport three = audit::audit_method(gauss, Rho(5.0), options);
    EXPECT_EQ(one.lower_bound, three.lower_bound);
    EXPECT_EQ(one.distinguisher, three.distinguisher);
    EXPECT_GT(one.lower_bound, 1.0);
}

TEST(Audit, RefusesWhatMakesNoSense) {
    const Method& gauss = find_method("gauss");
    audit::AuditOptions options;
    for (const std::size_t d : {0U, 21U}) {
        options.dimension = d;
        EXPECT_THROW((void)audit::audit_method(gauss, Rho(1.0), options), UsageError);
    }
    options = {};
    options.runs = 3;
    EXPECT_THROW((void)audit::audit_method(gauss, Rho(1.0), options), UsageError);
    options = {};
    for (const double confidence : {0.0, 1.0, -1.0, std::nan("")}) {
        options.confidence = confidence;
        EXPECT_THROW((void)audit::audit_method(gauss, Rho(1.0), options), UsageError);
    }
    options = {};
    options.threads = 2;  // an error inside a thread comes out
    EXPECT_THROW((void)audit::audit_method(gauss, Epsilon(1.0), options), UsageError);
}

}  // namespace
}  // namespace dpcov::test
