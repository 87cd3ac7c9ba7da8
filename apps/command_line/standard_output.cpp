#include "command_line/standard_output.hpp"

#include <unistd.h>

#include <cstddef>
#include <iostream>
#include <string_view>

#include "files/descriptor.hpp"

namespace dpcov {
namespace {

constexpr std::size_t most_held = std::size_t{64} << 10U;

}  // namespace

StandardOutput::StandardOutput() : before_(std::cout.rdbuf(this)) {}

StandardOutput::~StandardOutput() {
    std::cout.flush();
    std::cout.rdbuf(before_);
}

StandardOutput::int_type StandardOutput::overflow(int_type letter) {
    if (traits_type::eq_int_type(letter, traits_type::eof())) {
        return traits_type::not_eof(letter);
    }
    const char one = traits_type::to_char_type(letter);
    return xsputn(&one, 1) == 1 ? letter : traits_type::eof();
}

std::streamsize StandardOutput::xsputn(const char* text, std::streamsize size) {
    const std::string_view bytes(text, static_cast<std::size_t>(size));
    if (held_.size() + bytes.size() > most_held && sync() != 0) {
        return 0;
    }
    if (bytes.size() > most_held) {
        return write_all(STDOUT_FILENO, bytes).error == 0 ? size : 0;
    }
    held_ += bytes;
    return size;
}

int StandardOutput::sync() {
    const bool written = write_all(STDOUT_FILENO, held_).error == 0;
    held_.clear();
    return written ? 0 : -1;
}

}  // namespace dpcov
