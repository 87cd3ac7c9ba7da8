// Runs the contenders of a figure: tables one after the other, the runs on a table side by side.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "research/figures.hpp"
#include "research/run_log.hpp"

namespace dpcov::research {

/// How far a measurement is.
struct Advance {
    std::size_t done = 0;     ///< runs in the log that were asked for
    std::size_t wanted = 0;   ///< runs asked for
    double share_left = 1.0;  ///< of the work that was left at the start, by a rough estimate
    std::string at = {};      ///< the setting that is being measured
};

struct MeasurementOptions {
    int runs = 50;            ///< of every contender on every setting
    unsigned threads = 1;     ///< runs side by side; no result depends on it
    std::string data_folder;  ///< of real data, where the figure needs some
    /// Run i has the synthetic table of seed i + 1 rather than all runs that of seed 0. A log must
    /// not hold runs of both kinds.
    bool fresh_tables = false;
    std::function<void(const Advance&)> report = {};  ///< called by one thread at a time
};

/// Makes the runs that are not in the log yet and appends them to it. Run i has the noise of
/// SeededRandomSource(i, s), s a fingerprint of setting and contender: the same whatever else is
/// measured, by however many threads. PUBLIC DATA ONLY: nothing here is private. Uses one BLAS
/// thread, which is a setting of the whole program. Throws DataError, DeviceError, and UsageError
/// where the data are not those that the log was made with.
void measure(const Figure& figure, const MeasurementOptions& options, RunLog& log);

}  // namespace dpcov::research
