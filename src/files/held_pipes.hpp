// Named pipes that somebody reads, before it matters.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "files/descriptor.hpp"

namespace dpcov {

/// Opens those of the paths that are named pipes for writing and holds them, so that whoever reads
/// them does not leave before they are written. What is no named pipe is left alone.
class HeldPipes {
public:
    /// Waits for a reader of each; `on_wait` is told the path of one that has none yet. DeviceError
    /// where one cannot be opened.
    HeldPipes(const std::vector<std::string>& paths,
              const std::function<void(const std::string& path)>& on_wait);

    /// Throws DeviceError where the reader of one has left: to open it again would wait for ever.
    void require_readers() const;

private:
    struct Pipe {
        std::string path;
        Descriptor descriptor;
    };
    std::vector<Pipe> pipes_;
};

}  // namespace dpcov
