// Several outputs that appear together or not at all.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "files/atomic_file.hpp"
#include "files/descriptor.hpp"
#include "files/direct_output.hpp"

namespace dpcov {

/// Takes all outputs first and then puts them in place together. What can fail comes before what
/// cannot be taken back, and that before what can:
///
/// 1. every file is on the disk beside its target, and nothing is known against any pipe or device;
/// 2. pipes, devices and what is open already are written, in the order of add(), and standard
///    output last of them;
/// 3. files get their names beside their targets and are renamed, one right behind another; if that
///    fails, those already renamed are taken back, what they replaced is where it was, and so is
///    the end of an open file, where that was written to at its end. Of commands that do this to
///    the same folder at the same time one goes before the other, if that takes no more than two
///    seconds.
///
/// So a failure before step 2 leaves nothing anywhere. In step 2, a pipe whose reader goes away at
/// that moment, or a device that fills up, may leave another pipe or device written, never a file
/// that appears under its own name. A process that is killed between two renames leaves the first
/// file new and the second one old, and files with names such as .NAME.XXXXXX beside them.
class OutputSet {
public:
    OutputSet() = default;

    /// What is to stand at the path `target`; an empty one is standard output. `opened`: a pipe or
    /// a device at that path, if it is open for writing already. Throws DeviceError where it cannot
    /// be written.
    void add(const std::string& target, std::string_view bytes, Descriptor opened = {});

    /// What the process does behind commit(). One that is about to end is ended by signals with
    /// status 0 as soon as everything is in place.
    enum class Afterwards { goes_on, ends };

    /// To be called once. Throws DeviceError.
    void commit(Afterwards afterwards = Afterwards::goes_on);

private:
    [[nodiscard]] std::string take_back();

    std::deque<AtomicFile> files_;
    std::optional<DirectOutput> standard_output_;
    std::string standard_output_bytes_;
};

}  // namespace dpcov
