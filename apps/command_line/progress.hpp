// Progress on standard error. Never depends on what a row holds, and on how many there are only
// where that is public.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "command_line/arguments.hpp"

namespace dpcov {

/// One line, which on a terminal is written over and wiped at last.
class Progress {
public:
    /// Shows on a terminal unless --quiet, and elsewhere with --progress.
    explicit Progress(const RunningArguments& arguments);
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
    ~Progress();

    /// Something starts, e.g. "releasing".
    void show(const std::string& what) const;
    /// How far it is, unless that was told a moment ago: then `tell` is not called.
    void show_if_due(const std::function<std::string()>& tell);

private:
    bool terminal_;
    bool on_;
    std::chrono::steady_clock::time_point next_;
};

}  // namespace dpcov
