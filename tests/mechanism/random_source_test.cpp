// What every mechanism does with its source of randomness.
#include <gtest/gtest.h>

#include <cstdint>
#include <set>

#include "dpcov/error.hpp"
#include "support/failing_source.hpp"
#include "tables.hpp"

namespace dpcov::test {
namespace {

struct Request {
    const Method* method;
    ReleaseOptions options;
    bool pure;
};

// Every method and variant, centred or not, in either definition that it meets.
std::vector<Request> requests() {
    std::vector<Request> all;
    for (const Method& method : methods()) {
        for (const Variant variant : {Variant::paper, Variant::published, Variant::best}) {
            for (const bool center : {false, true}) {
                Request request{&method, {}, false};
                request.options.variant = variant;
                request.options.center = center;
                if (method.needs_clip) request.options.clip = 1.0;
                if (method.zcdp) all.push_back(request);
                request.pure = true;
                if (method.pure_dp) all.push_back(request);
            }
        }
    }
    return all;
}

class RandomSourceOfMechanism : public ::testing::Test {
protected:
    const detail::SecretMoment moment_ =
        moment_of(sphere_rows(30, 3, 1.0, 1) + sphere_rows(30, 3, 0.1, 2), 3);

    Release release(const Request& request, RandomSource& random, double rho = 0.2) const {
        // The epsilon that implies rho.
        const Budget budget = request.pure ? Budget(epsilon_within(Rho(rho))) : Budget(Rho(rho));
        return detail::run_method(*request.method, moment_, budget, request.options, random);
    }
};

TEST_F(RandomSourceOfMechanism, DecidesWhetherTheReleaseIsPrivate) {
    for (const Request& request : requests()) {
        SeededRandomSource seeded(1);
        EXPECT_FALSE(release(request, seeded).secure_randomness) << request.method->name;
        SystemRandomSource system;
        EXPECT_TRUE(release(request, system).secure_randomness) << request.method->name;
    }
}

TEST_F(RandomSourceOfMechanism, DecidesEveryBit) {
    for (const Request& request : requests()) {
        SeededRandomSource a(2);
        SeededRandomSource b(2);
        const Release first = release(request, a);
        const Release second = release(request, b);
        EXPECT_EQ(first.covariance, second.covariance) << request.method->name;
        EXPECT_EQ(first.threshold, second.threshold);
        EXPECT_EQ(first.estimated_frobenius_error, second.estimated_frobenius_error);
        EXPECT_EQ(a.next_word(), b.next_word());
    }
}

// A seed, and a stream of a seed, has its own noise; so has a second release from one source. Two
// tables of noise agree with probability below 2^-60. At this budget no threshold is so low, nor
// any noise so high, that all of a matrix is clamped.
TEST_F(RandomSourceOfMechanism, NoiseIsFresh) {
    constexpr double rho = 2000.0;
    for (const Request& request : requests()) {
        if (request.method->name == "zero") continue;
        SeededRandomSource a(3);
        SeededRandomSource b(4);
        SeededRandomSource c(3, 1);
        const Eigen::MatrixXd first = release(request, a, rho).covariance;
        EXPECT_NE(first, release(request, b, rho).covariance) << request.method->name;
        EXPECT_NE(first, release(request, c, rho).covariance) << request.method->name;
        EXPECT_NE(first, release(request, a, rho).covariance) << request.method->name;
        SystemRandomSource d;
        SystemRandomSource e;
        EXPECT_NE(release(request, d, rho).covariance, release(request, e, rho).covariance);
    }
}

// Whichever word it is that does not come: no release, the source's own error, and the moment as it
// was.
TEST_F(RandomSourceOfMechanism, FailureEndsTheRelease) {
    for (const Request& request : requests()) {
        FailingRandomSource counting(5);
        const Release whole = release(request, counting);
        const std::uint64_t words = counting.used();
        std::set<std::uint64_t> failures;
        for (std::uint64_t k = 0; k < words; k += k < 40 ? 1 : words / 10 + 1) failures.insert(k);
        if (words > 0) failures.insert(words - 1);
        for (const std::uint64_t k : failures) {
            FailingRandomSource failing(5, k);
            const detail::SecretMoment before = moment_;
            EXPECT_THROW((void)release(request, failing), DeviceError)
                << request.method->name << " at word " << k;
            EXPECT_EQ(failing.used(), k);
            EXPECT_EQ(before, moment_);
        }
        // Control: with just as many words as it takes, it is the same release.
        FailingRandomSource enough(5, words);
        EXPECT_EQ(release(request, enough).covariance, whole.covariance);
        EXPECT_EQ(words == 0, request.method->name == "zero") << request.method->name;
    }
}

}  // namespace
}  // namespace dpcov::test
