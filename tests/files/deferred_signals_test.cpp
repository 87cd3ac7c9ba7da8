// Signals that wait until steps that belong together are done.
#include "files/deferred_signals.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>

namespace dpcov::test {
namespace {

// How a child ends that does so, and then exits with 7.
template <class Action>
int ended_by(const Action& action) {
    const pid_t child = ::fork();
    if (child == 0) {
        ::signal(SIGTERM, SIG_DFL);
        action();
        ::_exit(7);
    }
    int status = -1;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return status;
}

bool is_exit(int status, int code) {
    return WIFEXITED(status) && WEXITSTATUS(status) == code;
}

TEST(DeferredSignals, EndTheProcessAfterwards) {
    EXPECT_TRUE(is_exit(ended_by([] {
                            const DeferredSignals deferred;
                            ::raise(SIGTERM);
                            ::_exit(3);
                        }),
                        3));
    const int status = ended_by([] {
        const DeferredSignals deferred;
        ::raise(SIGTERM);
    });
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM) << status;
    EXPECT_TRUE(is_exit(ended_by([] { const DeferredSignals none; }), 7)) << "the control";
}

// When all is done: what came is forgotten, what comes ends the process with 0, and what was
// ignored still is.
TEST(DeferredSignals, EndTheProcessWellFromThenOn) {
    const auto ended = [](bool ignored, bool another) {
        return ended_by([=] {
            if (ignored) {
                ::signal(SIGTERM, SIG_IGN);
            }
            {
                DeferredSignals deferred;
                ::raise(SIGTERM);
                deferred.end_well_from_now_on();
            }
            if (another) {
                ::raise(SIGTERM);
            }
        });
    };
    EXPECT_TRUE(is_exit(ended(false, false), 7));
    EXPECT_TRUE(is_exit(ended(false, true), 0));
    EXPECT_TRUE(is_exit(ended(true, true), 7));
}

// Another one forgets nothing that came to the first, and ends it not.
TEST(DeferredSignals, AreOneAtATime) {
    int status = ended_by([] {
        const DeferredSignals first;
        ::raise(SIGTERM);
        EXPECT_THROW(DeferredSignals(), std::logic_error);
    });
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM) << status;
    status = ended_by([] {
        const DeferredSignals first;
        EXPECT_THROW(DeferredSignals(), std::logic_error);
        ::raise(SIGTERM);
        ::_exit(testing::Test::HasFailure() ? 1 : 3);
    });
    EXPECT_TRUE(is_exit(status, 3)) << status;
    status = ended_by([] {
        { const DeferredSignals first; }
        { const DeferredSignals second; }
        ::raise(SIGTERM);
    });
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM) << status;
}

}  // namespace
}  // namespace dpcov::test
