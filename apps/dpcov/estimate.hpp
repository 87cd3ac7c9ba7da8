// The steps of an estimate around the reading of its rows: for programs that differ in who reads
// them.
#pragma once

#include <functional>

#include "command_line/progress.hpp"
#include "dpcov/ledger.hpp"
#include "dpcov/second_moment.hpp"
#include "estimate_arguments.hpp"

namespace dpcov {

/// Everything that needs no data, before any data. Throws UsageError, and DeviceError where a
/// target cannot be written.
void check_estimate(const EstimateArguments& arguments);

/// Adds the same rows once more, to another moment.
using ReadAgain = std::function<void(SecondMoment& again, Progress& progress)>;

/// Charges the account, draws the noise from `secret`, of which then nothing is left, and writes
/// the matrix, the record and the release. Without `read_again` the rows are looked at once.
void release_estimate(const EstimateArguments& arguments, SecondMoment secret, Ledger* ledger,
                      const ReadAgain& read_again = {});

}  // namespace dpcov
