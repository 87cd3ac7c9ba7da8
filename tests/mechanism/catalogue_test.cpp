// The catalogue: what every method accepts, refuses and returns.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "dpcov/eigen.hpp"
#include "dpcov/error.hpp"
#include "dpcov/limits.hpp"
#include "dpcov/record.hpp"
#include "dpcov/release.hpp"
#include "dpcov/release_file.hpp"
#include "dpcov/second_moment.hpp"
#include "mechanism/catalogue.hpp"
#include "mechanism/noise_scale.hpp"
#include "mechanism/option_rules.hpp"
#include "mechanism/released_rows.hpp"
#include "support/decompositions.hpp"
#include "support/expected_error.hpp"
#include "support/failing_source.hpp"
#include "tables.hpp"

namespace dpcov::test {
namespace {

using Eigen::MatrixXd;

constexpr Variant variants[] = {Variant::paper, Variant::published, Variant::best};

ReleaseOptions options_for(const Method& method, Variant variant, bool center = false) {
    ReleaseOptions options;
    options.variant = variant;
    options.center = center;
    if (method.needs_clip) options.clip = 1.0;
    return options;
}

// A budget in each definition that the method can meet.
std::vector<Budget> budgets_of(const Method& method, double value = 1.0) {
    std::vector<Budget> budgets;
    if (method.zcdp) budgets.emplace_back(Rho(value));
    if (method.pure_dp) budgets.emplace_back(Epsilon(value));
    return budgets;
}

std::vector<Neighbours> neighbours_of(const Method& method) {
    std::vector<Neighbours> relations;
    for (const auto& [word, neighbours] : neighbours_words) {
        if (serves(method, neighbours)) relations.push_back(neighbours);
    }
    return relations;
}

TEST(Catalogue, FindsEveryMethodByItsName) {
    std::set<std::string_view> names;
    for (const Method& method : methods()) {
        EXPECT_EQ(&find_method(method.name), &method);
        EXPECT_FALSE(method.summary.empty());
        EXPECT_FALSE(method.source.empty());
        names.insert(method.name);
    }
    EXPECT_EQ(names.size(), methods().size());
    for (const char* name : {"auto", "gauss", "laplace", "wishart", "separate", "adaptive",
                             "stratified", "clip-gauss", "clip-laplace", "clip-separate", "zero"}) {
        EXPECT_EQ(names.count(name), 1U) << name;
    }
}

TEST(Catalogue, NamesTheMethodsThereAreForOneThatIsNot) {
    for (const char* name : {"", "Gauss", "gauss ", "lapcov"}) {
        std::vector<std::string> names;
        for (const Method& method : methods()) {
            names.emplace_back(method.name);
        }
        expect_error<UsageError>([&] { (void)find_method(name); }, names);
    }
}

// Rows of all norms below the bound, at either resolution.
detail::SecretMoment moment_in(const detail::NormBins& bins) {
    constexpr std::size_t d = 3;
    detail::SecretMoment moment({.columns = d, .norm_bound = 1.0, .keep_directions = true}, bins);
    for (int i = 0; i < 8; ++i) {
        moment.add(sphere_rows(50, d, std::exp2(-0.3 * i), static_cast<std::uint64_t>(i) + 1));
    }
    return moment;
}

// From the same words. What is given up forgets its sums, and what is lent stays as it was.
TEST(Catalogue, ReleasesTheSameOfRowsThatAreLentAndOfSuchThatAreGivenUp) {
    const detail::SecretMoment lent = moment_in(detail::NormBins::for_columns(3));
    int in_part = 0;
    for (const Method& method : methods()) {
        for (const Variant variant : variants) {
            for (const Neighbours neighbours : neighbours_of(method)) {
                for (const bool center : {false, true}) {
                    if (center && method.needs_clip) continue;
                    ReleaseOptions options = options_for(method, variant, center);
                    options.neighbours = neighbours;
                    options.keep_statistics = center && method.uses_norm_bins;
                    for (const Budget& budget : budgets_of(method)) {
                        SeededRandomSource first(8);
                        SeededRandomSource second(8);
                        const Release release =
                            detail::run_method(method, lent, budget, options, first);
                        const auto given = std::make_shared<detail::SecretMoment>(lent);
                        const Release same = detail::run_method(
                            method, detail::ReleasedRows::given(given), budget, options, second);
                        EXPECT_EQ(release.covariance, same.covariance) << method.name;
                        EXPECT_EQ(release.rows, same.rows) << method.name;
                        if (method.name == "stratified" || method.name == "gauss") {
                            for (std::size_t i = 0; i < given->norm_bins().size(); ++i) {
                                EXPECT_TRUE(given->bin(i).gram.empty()) << method.name;
                            }
                        }
                        in_part += release.stages.empty() ||
                                           release.stages.back().what.find("in two in part") ==
                                               std::string::npos
                                       ? 0
                                       : 1;
                    }
                }
            }
        }
    }
    EXPECT_GT(in_part, 0) << "rows that count in a stratum before theirs";
    EXPECT_EQ(lent, moment_in(detail::NormBins::for_columns(3)));
}

TEST(Catalogue, SaysWhichMethodsUseBinsOfNorms) {
    const detail::SecretMoment bins = moment_in(detail::NormBins::for_columns(3));
    const detail::SecretMoment octaves = moment_in(detail::NormBins::whole_octaves());
    ASSERT_GT(bins.norm_bins().size(), octaves.norm_bins().size());
    for (const Method& method : methods()) {
        for (const Variant variant : variants) {
            for (const bool center : {false, true}) {
                if (center && method.needs_clip) continue;
                const ReleaseOptions options = options_for(method, variant, center);
                for (const Budget& budget : budgets_of(method)) {
                    SeededRandomSource first(7);
                    SeededRandomSource second(7);
                    const bool same =
                        detail::run_method(method, bins, budget, options, first).covariance ==
                        detail::run_method(method, octaves, budget, options, second).covariance;
                    EXPECT_TRUE(same || method.uses_norm_bins) << method.name;
                    if (method.name == "stratified") {
                        EXPECT_FALSE(same) << name_of(variant);
                    }
                }
            }
        }
    }
}

TEST(Catalogue, SaysWhichMethodsHaveIntervals) {
    SecondMoment moment({.columns = 2, .norm_bound = 1.0});
    moment.add(MatrixXd::Constant(500, 2, 0.5));
    for (const Method& method : methods()) {
        for (const Variant variant : variants) {
            if (method.needs_directions(variant)) {
                continue;  // none of them has
            }
            for (const Budget& budget : budgets_of(method)) {
                ReleaseOptions options = options_for(method, variant);
                options.method = method.name;
                const Release drawn = release(
                    moment, std::visit([](auto one) { return Definition(one); }, budget), options);
                EXPECT_EQ(!drawn.statistics.strata.empty(), detail::could_have_intervals(drawn))
                    << method.name << ' ' << name_of(variant);
                if (variant == Variant::best) {
                    EXPECT_EQ(detail::could_have_intervals(drawn), method.has_intervals);
                }
            }
        }
    }
    EXPECT_EQ(methods_where(&Method::takes_steps), "coinpress");
}

// Nothing may have been drawn when a request is refused.
template <class Error>
void expect_refused(const Method& method, const detail::SecretMoment& moment, const Budget& budget,
                    const ReleaseOptions& options) {
    FailingRandomSource random(240);
    EXPECT_THROW((void)detail::run_method(method, moment, budget, options, random), Error)
        << method.name << (options.center ? ", centred" : "");
    EXPECT_EQ(random.used(), 0U) << method.name << (options.center ? ", centred" : "");
}

TEST(Catalogue, RefusesWhatAMethodCannotHonour) {
    const detail::SecretMoment moment = moment_of(sphere_rows(20, 3, 1.0, 1), 3);
    const detail::SecretMoment bare = moment_of(sphere_rows(20, 3, 1.0, 1), 3, 1.0, false);
    const detail::SecretMoment empty({.columns = 3, .norm_bound = 1.0, .keep_directions = true});
    for (const Method& method : methods()) {
        for (const bool center : {false, true}) {
            ReleaseOptions options = options_for(method, Variant::best, center);
            options.neighbours = center ? Neighbours::replace : Neighbours::add_remove;
            if (!method.pure_dp) {
                expect_refused<UsageError>(method, moment, Epsilon(1.0), options);
            }
            if (!method.zcdp) {
                expect_refused<UsageError>(method, moment, Rho(1.0), options);
            }
            for (const Budget& budget : budgets_of(method)) {
                options = options_for(method, Variant::best, center);
                if (method.name != "zero") {
                    expect_refused<DataError>(method, empty, budget, options);
                }
                // What is refused is so before the rows are counted.
                options.neighbours = Neighbours::add_remove;
                if (method.needs_directions(Variant::best)) {
                    expect_refused<UsageError>(method, bare, budget, options);
                }
                for (const double beta : {0.0, 1.0, -0.1, 2.0, std::nan("")}) {
                    options.beta = beta;
                    expect_refused<UsageError>(method, moment, budget, options);
                }
                options.beta = 0.1;
                options.clip = method.needs_clip ? std::optional<double>{} : 1.0;
                expect_refused<UsageError>(method, moment, budget, options);
            }
        }
    }
}

TEST(Catalogue, SaysWhatIsWrongWithPureBudgets) {
    const detail::SecretMoment moment = moment_of(sphere_rows(20, 3, 1.0, 1), 3);
    SeededRandomSource random(241);
    const auto run_with = [&](const char* method, const Budget& budget) {
        return [&, method, budget] {
            (void)detail::run_method(find_method(method), moment, budget, {}, random);
        };
    };
    expect_error<UsageError>(run_with("gauss", Epsilon(1.0)),
                             {"gauss", "rho", "auto, laplace, wishart"});
    expect_error<UsageError>(run_with("laplace", Rho(1.0)), {"laplace", "epsilon", "auto, gauss"});
}

TEST(Catalogue, AMethodMayServeOneKindOfNeighboursAlone) {
    Method method = find_method("gauss");
    method.add_remove = false;
    ReleaseOptions options;
    EXPECT_NO_THROW(detail::require_fitting(method, Rho(1.0), options, false));
    options.neighbours = Neighbours::add_remove;
    EXPECT_NO_THROW(detail::require_fitting(find_method("gauss"), Rho(1.0), options, false));
    expect_error<UsageError>([&] { detail::require_fitting(method, Rho(1.0), options, false); },
                             {"gauss", "add-remove", "auto, gauss, laplace"});
}

// What release() refuses of options without a look at the rows, and nothing else.
TEST(Catalogue, OptionsAreCheckedBeforeThereAreRows) {
    EXPECT_NO_THROW(check_options(Rho(1.0), {}));
    EXPECT_NO_THROW(check_options(Rho(1.0), {.method = "coinpress", .steps = 5}));
    EXPECT_NO_THROW(check_options(Rho(1.0), {.read_again = [](SecondMoment&) {}}));
    EXPECT_THROW(check_options(Epsilon(1.0), {.method = "gauss"}), UsageError);
    EXPECT_THROW(check_options(Rho(1.0), {.method = "laplace"}), UsageError);
    EXPECT_THROW(check_options(Rho(1.0), {.method = "clip-gauss"}), UsageError);
    EXPECT_THROW(check_options(Rho(1.0), {.method = "gauss", .clip = 1.0}), UsageError);
    EXPECT_THROW(check_options(Rho(1.0), {.method = "gauss", .full_norms = true}), UsageError);
    EXPECT_THROW(check_options(Rho(1.0), {.method = "gauss", .steps = 2}), UsageError);
    EXPECT_THROW(check_options(Rho(1.0), {.method = "coinpress", .steps = 6}), UsageError);
    EXPECT_THROW(check_options(Rho(1.0), {.method = "gauss", .read_again = [](SecondMoment&) {}}),
                 UsageError);
    EXPECT_NO_THROW(check_options(Rho(1.0), {}, 2));
    for (const int passes : {-1, 0, 3, 7}) {
        EXPECT_THROW(check_options(Rho(1.0), {}, passes), UsageError);
    }
    EXPECT_THROW(check_options(Rho(1.0), {.method = "gauss"}, 2), UsageError);
    EXPECT_THROW(check_options(Rho(1.0), {.variant = Variant::paper}, 2), UsageError);
    EXPECT_THROW(
        check_options(Rho(1.0), {.variant = Variant::paper, .read_again = [](SecondMoment&) {}}),
        UsageError);
}

// A number that was cast to an enum: half of the methods would ask whether it is one value, half
// whether it is the other.
TEST(Catalogue, NumbersThatAreNoValueAreRefused) {
    SecondMoment moment({.columns = 2, .norm_bound = 1.0});
    moment.add(MatrixXd::Constant(5, 2, 0.5));
    for (const Method& method : methods()) {
        ReleaseOptions options{.method = std::string(method.name)};
        if (method.needs_clip) {
            options.clip = 1.0;
        }
        const Definition budget = method.zcdp ? Definition(Rho(1.0)) : Definition(Epsilon(1.0));
        EXPECT_NO_THROW(check_options(budget, options));
        options.neighbours = static_cast<Neighbours>(2);
        EXPECT_THROW(check_options(budget, options), UsageError) << method.name;
        EXPECT_THROW(static_cast<void>(release(moment, budget, options)), UsageError);
        options.neighbours = Neighbours::replace;
        options.variant = static_cast<Variant>(3);
        EXPECT_THROW(static_cast<void>(release(moment, budget, options)), UsageError);
    }
    Release drawn = release(moment, Rho(1.0), {.method = "gauss"});
    drawn.neighbours = static_cast<Neighbours>(2);
    EXPECT_THROW(static_cast<void>(format_record(drawn)), UsageError);
    EXPECT_THROW(static_cast<void>(release_archive(drawn)), UsageError);
}

TEST(Catalogue, BudgetsThatNobodyCanDrawAreRefusedBeforeThereAreRows) {
    EXPECT_THROW(check_options(Rho(1e-13), {}), UsageError);
    EXPECT_THROW(check_options(Epsilon(1e-7), {}), UsageError);
    EXPECT_NO_THROW(check_options(Rho(1e-12), {}));
}

// The l1 sensitivity of a Gram grows with d, and the samplers' scales end at 2^100: what is refused
// is refused before the charge.
TEST(Catalogue, BudgetsAreDrawableWithAsManyColumnsAsThereMayBe) {
    constexpr auto most = static_cast<std::size_t>(limits::columns);
    const double least = static_cast<double>(most) * 0x1p-31;
    EXPECT_NO_THROW(detail::require_drawable(Epsilon(least), most));
    EXPECT_THROW(detail::require_drawable(Epsilon(std::nextafter(least, 0.0)), most), UsageError);
    EXPECT_NO_THROW(detail::require_drawable(Epsilon(1e-6), 2000));
    EXPECT_NO_THROW(detail::require_drawable(Rho(1e-12), most));
    // The greatest sensitivity over the least share, as noise_scale.hpp has them.
    const double scale =
        detail::laplace_noise_scale(static_cast<double>(most) * 0x1p65, Epsilon(least).share(1, 3));
    EXPECT_LE(scale, 0x1p100);
    EXPECT_GT(scale, 0x1p98);
}

std::vector<std::pair<Budget, Neighbours>> requests(const Method& method) {
    std::vector<std::pair<Budget, Neighbours>> requests;
    for (const double value : {1e-6, 0.1, 1e6}) {
        for (const Budget& budget : budgets_of(method, value)) {
            for (const Neighbours neighbours : neighbours_of(method)) {
                requests.emplace_back(budget, neighbours);
            }
        }
    }
    return requests;
}

// Every method, variant and budget, centred or not, on tables at the edges.
TEST(Catalogue, ReleasesAFiniteSymmetricMatrixWhateverTheTable) {
    struct Case {
        const char* name;
        std::size_t d;
        Rows rows;
        double norm_bound;
    };
    const Case cases[] = {
        {"one value", 1, {0.5}, 1.0},
        {"one zero", 1, {0.0}, 1.0},
        {"one column", 1, sphere_rows(50, 1, 0.7, 2), 1.0},
        {"one row", 5, sphere_rows(1, 5, 0.7, 3), 1.0},
        {"more columns than rows", 12, sphere_rows(4, 12, 1.0, 4), 1.0},
        {"all zero", 4, Rows(400, 0.0), 1.0},
        {"all zero, many rows", 2, Rows(20000, 0.0), 1.0},
        {"rows beyond the bound", 3, sphere_rows(20, 3, 50.0, 5), 1.0},
        {"tiny rows", 3, sphere_rows(20, 3, 1e-300, 6), 1.0},
        {"a huge bound", 3, sphere_rows(20, 3, 1e60, 7), 0x1p200},
        {"a tiny bound", 3, sphere_rows(20, 3, 1e-60, 8), 0x1p-200},
    };
    for (const Case& c : cases) {
        const detail::SecretMoment moment = moment_of(c.rows, c.d, c.norm_bound);
        for (const Method& method : methods()) {
            for (const Variant variant : variants) {
                for (const bool center : {false, true}) {
                    for (const auto& [budget, neighbours] : requests(method)) {
                        ReleaseOptions options = options_for(method, variant, center);
                        options.neighbours = neighbours;
                        if (method.needs_clip) options.clip = c.norm_bound;
                        const double value = amount_of(budget);
                        SeededRandomSource random(242);
                        const Release release =
                            detail::run_method(method, moment, budget, options, random);
                        const std::string what =
                            std::string(c.name) + ", " + std::string(method.name) +
                            (budget.index() == 0 ? ", rho " : ", epsilon ") + std::to_string(value);
                        ASSERT_EQ(release.covariance.rows(), static_cast<Eigen::Index>(c.d))
                            << what;
                        EXPECT_TRUE(release.covariance.allFinite()) << what;
                        EXPECT_EQ(release.covariance, release.covariance.transpose()) << what;
                        EXPECT_EQ(release.method, method.name);
                        EXPECT_EQ(release.variant, variant);
                        EXPECT_EQ(release.neighbours, neighbours);
                        const bool open = neighbours == Neighbours::replace;
                        EXPECT_EQ(release.rows, open ? std::optional(c.rows.size() / c.d)
                                                     : std::optional<std::uint64_t>());
                        EXPECT_EQ(release.noisy_rows.has_value(), !open && method.name != "zero");
                        EXPECT_LE(spent(release), value) << what;
                        if (release.estimated_frobenius_error) {
                            EXPECT_TRUE(std::isfinite(*release.estimated_frobenius_error)) << what;
                        }
                        if (center || variant == Variant::best) {
                            EXPECT_GE(spectrum(release.covariance).minCoeff(),
                                      -1e-12 * c.norm_bound * c.norm_bound)
                                << what;
                        }
                    }
                }
            }
        }
    }
}

// The exact trade-off curve is claimed where, and only where, every stage is Gaussian noise.
TEST(Catalogue, TheCurveIsGaussianWhereEveryStageIs) {
    const detail::SecretMoment moment = moment_of(sphere_rows(200, 3, 1.0, 1), 3);
    for (const Method& method : methods()) {
        if (!method.zcdp || method.name == "zero") {
            continue;
        }
        for (const Variant variant : variants) {
            for (const bool center : {false, true}) {
                for (const Neighbours neighbours : neighbours_of(method)) {
                    ReleaseOptions options = options_for(method, variant, center);
                    options.neighbours = neighbours;
                    SeededRandomSource random(245);
                    const Release made =
                        detail::run_method(method, moment, Rho(1.0), options, random);
                    bool gaussian = true;
                    for (const Stage<Budget>& stage : made.stages) {
                        gaussian = gaussian && stage.what.starts_with("Gaussian noise");
                    }
                    EXPECT_FALSE(made.stages.empty()) << method.name;
                    EXPECT_EQ(made.curve == Curve::gaussian, gaussian)
                        << method.name << ", " << name_of(variant);
                    EXPECT_EQ(made.curve, method.curve(variant));
                }
            }
        }
    }
}

TEST(Zero, IsZeroAndSpendsNothing) {
    const detail::SecretMoment moment = moment_of(sphere_rows(20, 3, 1.0, 9), 3);
    for (const bool center : {false, true}) {
        for (const Budget& budget : {Budget(Rho(1.0)), Budget(Epsilon(1.0))}) {
            FailingRandomSource random(243, 0);  // nor does it draw
            ReleaseOptions options;
            options.center = center;
            const Release release =
                detail::run_method(find_method("zero"), moment, budget, options, random);
            EXPECT_EQ(release.covariance, Eigen::MatrixXd::Zero(3, 3));
            EXPECT_TRUE(release.stages.empty());
            EXPECT_EQ(release.rows, 20U);
            EXPECT_FALSE(release.estimated_frobenius_error);
        }
    }
    // Where n is private it stays so.
    ReleaseOptions options;
    options.neighbours = Neighbours::add_remove;
    EXPECT_FALSE(run("zero", moment, 1.0, options, 244).rows);
}

}  // namespace
}  // namespace dpcov::test
