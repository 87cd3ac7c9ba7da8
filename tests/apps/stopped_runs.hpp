// Runs of the program that a signal stops at any moment of theirs.
#pragma once

#include <sys/types.h>

#include <functional>

namespace dpcov::test {

/// Starts one run after the other by `start`, sends each but the first the signal, and hands how it
/// ended to `look`, as Outcome's status; until of the others `least_of_each` ended by the signal
/// and as many by themselves. The moments are spread from the beginning of a run to beyond its end,
/// and follow how long runs take: the machine's load decides how many there are, and no test.
/// Fails the test after `least_of_each` times 40 of them, and ends where `look` failed it.
void stop_at_any_moment(const std::function<pid_t()>& start, int signal, int least_of_each,
                        const std::function<void(int status)>& look);

}  // namespace dpcov::test
