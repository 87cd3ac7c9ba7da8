// The last word of a program that a signal ends when a ledger was charged.
#pragma once

#include <string>

namespace dpcov {

/// What whoever made a release of that data set is told where it fails.
[[nodiscard]] std::string charge_note(const std::string& dataset);

/// From now on SIGHUP, SIGINT and SIGTERM end the program as before, but after that note is on
/// standard error. What is ignored stays ignored. At first the note says that the data set may have
/// been charged. Once in a process, and for good: the note is needed until the process ends.
void note_charge_on_signals(const std::string& dataset);

/// The note says that it was charged.
void note_that_it_was_charged() noexcept;

}  // namespace dpcov
