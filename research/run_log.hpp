// The file of finished runs: what makes an experiment resume where it was killed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "files/descriptor.hpp"

namespace dpcov::research {

/// One release of one contender on one setting, and how far it was from the truth.
struct Run {
    std::size_t setting = 0;  ///< index into settings_of(figure)
    std::string contender;    ///< as name_of(Contender) has it
    int number = 0;           ///< 0, 1, ...; with setting and contender it fixes the noise
    std::uint64_t n = 0;      ///< rows of the table
    double trace = 0.0;       ///< of the true covariance
    double norm = 0.0;        ///< Frobenius norm of the true covariance
    double error = 0.0;       ///< Frobenius norm of release - truth
    std::optional<double> estimated_error;  ///< what the release itself says its error is
    double seconds = 0.0;                   ///< of the mechanism, on one thread
};

/// An append-only CSV behind a line that says what it was made with. Every run is in the file
/// before append() returns, so ending the program at any moment loses at most the runs that it was
/// at; a line that was cut off is dropped when the file is opened again. One program at a time.
class RunLog {
public:
    /// Opens or creates the file. Throws UsageError where it was made with something other than
    /// `made_with` (one line) or another program writes to it, DataError where a line in it cannot
    /// be read, DeviceError where the file cannot be written.
    RunLog(std::string path, const std::string& made_with);

    /// Those that were in the file when it was opened, then those appended.
    [[nodiscard]] const std::vector<Run>& runs() const noexcept { return runs_; }

    /// May be called from several threads. Throws DeviceError.
    void append(const Run& run);

private:
    std::string path_;
    Descriptor file_;
    std::vector<Run> runs_;
    bool broken_ = false;
    std::mutex mutex_;
};

}  // namespace dpcov::research
