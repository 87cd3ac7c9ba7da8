// The last word of a program that fails, or that something ends, when a ledger was charged.
#pragma once

#include <string>

namespace dpcov {

/// From now on SIGHUP, SIGINT, SIGTERM and std::terminate end the program as before, but after that
/// note is on standard error. What is ignored stays ignored. At first the note says that the data
/// set may have been charged. Once in a process, and for good: the note is needed until the process
/// ends.
void note_charge_on_sudden_end(const std::string& dataset);

/// The note says that it was charged.
void note_that_it_was_charged() noexcept;

/// What whoever made the release is told where it fails, if it was charged. Takes no memory, of
/// which there may be none left.
void tell_if_it_was_charged() noexcept;

}  // namespace dpcov
