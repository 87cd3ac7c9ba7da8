// The processes of an MPI program, as far as an estimate needs them: they agree whether to go on,
// and add up their moments.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "dpcov/error.hpp"
#include "dpcov/second_moment.hpp"

namespace dpcov {

/// Another rank failed, and says so itself.
class AnotherRankFailed : public DeviceError {
public:
    AnotherRankFailed() : DeviceError("another rank failed") {}
};

/// All processes of the job. One object a process, for as long as MPI is in use.
class Ranks {
public:
    /// Starts MPI.
    Ranks(int& argc, char**& argv);
    /// Leaves MPI, if leave() has not; all ranks together.
    ~Ranks();
    Ranks(const Ranks&) = delete;
    Ranks& operator=(const Ranks&) = delete;

    [[nodiscard]] std::size_t rank() const noexcept { return rank_; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }

    /// Waits for all ranks. Throws AnotherRankFailed unless all came here, and none to fail().
    void agree();
    /// Whether one of them has failed.
    [[nodiscard]] bool failed() const noexcept { return failed_status_ != 0; }
    /// In place of agree(), for a rank that cannot go on. Returns the exit status of the job: that
    /// of the first rank that failed, which then prints its message.
    int fail(int status, const std::string& message);

    /// Takes the memory for what ranks send each other: before any row is read, and before an
    /// agree(), for a rank that had none in sum() would leave others waiting.
    void take_memory();

    /// What rank 0 says, on every rank. Public: not encrypted, and of the same length for all rows.
    [[nodiscard]] std::string said_by_first(const std::string& words);

    /// The sum of all moments on rank 0, none elsewhere: by a tree, in which a rank holds its own
    /// and one more at a time. Throws as SecondMoment::merge() and read() do, when it has done its
    /// part for the others: all are to agree() afterwards. The messages are as secret as the rows.
    [[nodiscard]] std::optional<SecondMoment> sum(std::optional<SecondMoment> moment);

    /// Leaves MPI. From here on the ranks have nothing to do with each other: that one ends does
    /// not end another.
    void leave();

private:
    void send(const std::optional<SecondMoment>& moment, int to);
    [[nodiscard]] std::optional<SecondMoment> receive(int from);

    std::size_t rank_ = 0;
    std::size_t size_ = 1;
    int failed_status_ = 0;  // of the job, once a rank has failed
    bool in_use_ = true;
    std::vector<char> piece_;  // of a moment on its way
};

}  // namespace dpcov
