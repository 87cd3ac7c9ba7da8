// A named pipe that somebody reads, before it matters.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "files/descriptor.hpp"

namespace dpcov {

/// Opens the first of the paths that is a named pipe for writing and holds it, so that whoever
/// reads it does not leave before it is written. Only the first: one reader may take several pipes
/// in turn, and comes to the next when this one has ended. What was handed over as a descriptor is
/// open already, and left alone by its name, too.
class HeldPipe {
public:
    /// Holds none.
    HeldPipe() = default;
    /// Waits for a reader; `on_wait` is told the path of a pipe that has none yet. DeviceError
    /// where it cannot be opened.
    HeldPipe(const std::vector<std::string>& paths,
             const std::function<void(const std::string& path)>& on_wait);

    /// The open pipe, if it is the one at that path, for who writes it and closes it then: its
    /// reader would wait for the end for as long as it is held.
    [[nodiscard]] Descriptor take(const std::string& path);

private:
    std::string path_;
    Descriptor pipe_;
};

}  // namespace dpcov
