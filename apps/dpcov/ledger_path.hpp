// The file of a ledger, as commands are given it.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace dpcov {

/// Adds LEDGER.
void add_ledger_path(CLI::App& command, std::string& path);

/// Throws DeviceError where there is no file at `path`, and says how a ledger is begun.
void require_ledger(const std::string& path);

}  // namespace dpcov
