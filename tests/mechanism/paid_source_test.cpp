// No word is handed out that is not paid for, whatever the accountant does.
#include "mechanism/paid_source.hpp"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dpcov/error.hpp"
#include "dpcov/release.hpp"
#include "dpcov/second_moment.hpp"

namespace dpcov::test {
namespace {

class CountedWords final : public RandomSource {
public:
    std::uint64_t next_word() override { return ++handed_out; }
    [[nodiscard]] bool is_secure() const noexcept override { return false; }

    std::uint64_t handed_out = 0;
};

// Refuses the first charge, and takes those after it.
class RefusesOnce final : public Accountant {
public:
    void charge(const Charge& /*charge*/) override {
        if (++asked == 1) {
            throw BudgetError("not now");
        }
    }

    int asked = 0;
};

TEST(PaidSource, ChargesOnceAndBeforeTheFirstWord) {
    CountedWords words;
    RefusesOnce accountant;
    accountant.asked = 1;
    const Charge charge{.dataset = "a", .spent = Rho(1.0), .method = "gauss"};
    detail::PaidSource paid(words, &accountant, charge);
    EXPECT_EQ(accountant.asked, 1);
    EXPECT_EQ(paid.next_word(), 1U);
    EXPECT_EQ(paid.next_word(), 2U);
    paid.pay();
    EXPECT_EQ(accountant.asked, 2);
}

TEST(PaidSource, HandsOutNothingAfterARefusal) {
    CountedWords words;
    RefusesOnce accountant;
    const Charge charge{.dataset = "a", .spent = Rho(1.0), .method = "gauss"};
    detail::PaidSource paid(words, &accountant, charge);
    EXPECT_THROW(static_cast<void>(paid.next_word()), BudgetError);
    EXPECT_EQ(words.handed_out, 0U);
    static_cast<void>(paid.next_word());
    EXPECT_EQ(accountant.asked, 2) << "a word that nobody paid for";
    EXPECT_EQ(words.handed_out, 1U);
}

class Forks final : public Accountant {
public:
    void charge(const Charge& /*charge*/) override {
        if (child < 0) {
            child = ::fork();
        }
    }

    pid_t child = -1;
};

// The charge is the parent's. Its child gets nothing, however often it asks.
TEST(PaidSource, HandsOutNothingInAFork) {
    const pid_t parent = ::getpid();
    CountedWords words;
    Forks accountant;
    const Charge charge{.dataset = "a", .spent = Rho(1.0), .method = "gauss"};
    detail::PaidSource paid(words, &accountant, charge);
    const auto is_refused = [&] {
        try {
            static_cast<void>(paid.next_word());
            return false;
        } catch (const DeviceError&) {
            return true;
        }
    };
    const bool first = is_refused();
    if (::getpid() != parent) {
        const bool second = is_refused();
        ::_exit(first && second && words.handed_out == 0 ? 0 : 1);
    }
    EXPECT_FALSE(first);
    int status = -1;
    ASSERT_EQ(::waitpid(accountant.child, &status, 0), accountant.child);
    EXPECT_EQ(status, 0);
}

// Without an accountant as with one: at once where no word was drawn before the fork, and soon
// where some were. Control: the parent goes on.
TEST(PaidSource, IsOfOneProcessWithoutAnAccountant) {
    constexpr std::uint64_t enough = std::uint64_t{1} << 17U;
    for (const std::uint64_t before : {0U, 1U}) {
        CountedWords words;
        const Charge charge{.dataset = "a", .spent = Rho(1.0), .method = "gauss"};
        detail::PaidSource paid(words, nullptr, charge);
        const auto draws = [&](std::uint64_t count) {
            try {
                for (; count > 0; --count) {
                    static_cast<void>(paid.next_word());
                }
                return true;
            } catch (const DeviceError&) {
                return false;
            }
        };
        EXPECT_TRUE(draws(before));
        const pid_t child = ::fork();
        if (child == 0) {
            const bool refused = !draws(enough);
            ::_exit(refused && (before > 0 || words.handed_out == 0) ? 0 : 1);
        }
        EXPECT_TRUE(draws(enough));
        int status = -1;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        EXPECT_EQ(status, 0) << before;
    }
}

// From here on the kernel refuses this process random bytes.
void end_entropy() {
    std::array<sock_filter, 4> rules = {{
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getrandom, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    }};
    const sock_fprog filter = {.len = rules.size(), .filter = rules.data()};
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
        ::_exit(2);
    }
}

// In a fork, for it cannot be undone. The control is the release before.
TEST(PaidSource, ChargesNothingWhereThereIsNoEntropy) {
    SecondMoment moment({.columns = 2, .norm_bound = 1.0});
    moment.add_row_major(std::vector<double>(20, 0.5));
    RefusesOnce accountant;
    accountant.asked = 1;
    const auto is_refused = [&] {
        try {
            static_cast<void>(
                release(moment, Rho(1.0), {.method = "gauss", .accountant = &accountant}));
            return false;
        } catch (const DeviceError&) {
            return true;
        }
    };
    const pid_t child = ::fork();
    if (child == 0) {
        const bool before = is_refused();
        end_entropy();
        const bool after = is_refused();
        ::_exit(!before && after && accountant.asked == 2 ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 2) {
        GTEST_SKIP() << "this process may not filter system calls";
    }
    EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace dpcov::test
