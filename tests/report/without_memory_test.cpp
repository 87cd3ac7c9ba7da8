// What is written of a release, where memory runs out at any moment.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <exception>
#include <functional>
#include <limits>
#include <new>
#include <string>
#include <vector>

#include "dpcov/record.hpp"
#include "dpcov/release.hpp"
#include "dpcov/release_file.hpp"
#include "report/methods_json.hpp"
#include "report/release_facts.hpp"
#include "support/failing_memory.hpp"

namespace dpcov {
namespace {

constexpr int is_whole = 0;
constexpr int ran_out = 1;

// How a process ends that gets `good` pieces of memory and no more.
int status_with(std::size_t good, const std::function<std::string()>& text) {
    const pid_t child = ::fork();
    if (child == 0) {
        // nlohmann's JSON takes memory to be destroyed, too. Where there is none that is the end,
        // which a program can tell of.
        std::set_terminate([] { ::_exit(ran_out); });
        constexpr std::size_t all = std::numeric_limits<std::size_t>::max() / 2;
        try {
            const test::FailingMemory none(good, all);
            static_cast<void>(text());
        } catch (const std::bad_alloc&) {
            ::_exit(ran_out);
        }
        ::_exit(is_whole);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return status;
}

// What was no object yet when memory ran out used to crash the process.
TEST(JsonOfARelease, IsWholeOrRunsOutOfMemory) {
    const Release release = load_release(DPCOV_GOLDEN_RELEASES "/auto_with_norms.npz");
    const std::vector<std::function<std::string()>> texts = {
        [&] { return format_record(release); },
        [&] { return detail::facts_json(release); },
        [] { return detail::methods_json(); },
    };
    for (const auto& text : texts) {
        std::size_t good = 0;
        for (int code = ran_out; code != is_whole; ++good) {
            const int status = status_with(good, text);
            ASSERT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status) << " after " << good;
            code = WEXITSTATUS(status);
        }
        EXPECT_GT(good, 100U);
    }
}

}  // namespace
}  // namespace dpcov
