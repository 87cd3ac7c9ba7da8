// Standard output that is written whole, also where it does not wait.
#pragma once

#include <streambuf>
#include <string>

namespace dpcov {

/// While it lives, std::cout writes through it. A pipe or a terminal that somebody made
/// non-blocking is waited for; the C++ library's own buffer would fail in the middle of a text.
class StandardOutput : public std::streambuf {
public:
    StandardOutput();
    ~StandardOutput() override;
    StandardOutput(const StandardOutput&) = delete;
    StandardOutput& operator=(const StandardOutput&) = delete;
    StandardOutput(StandardOutput&&) = delete;
    StandardOutput& operator=(StandardOutput&&) = delete;

protected:
    int_type overflow(int_type letter) override;
    std::streamsize xsputn(const char* text, std::streamsize size) override;
    int sync() override;

private:
    std::string held_;  ///< not written yet
    std::streambuf* before_;
};

}  // namespace dpcov
