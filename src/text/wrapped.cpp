#include "text/wrapped.hpp"

#include <algorithm>

namespace dpcov {
namespace {

// The words of a paragraph.
std::string paragraph(std::string_view words, std::size_t width) {
    std::string text;
    std::size_t used = 0;
    while (!words.empty()) {
        const std::size_t end = std::min(words.find_first_of(" \n"), words.size());
        const std::string_view word = words.substr(0, end);
        words.remove_prefix(std::min(end + 1, words.size()));
        if (word.empty()) {
            continue;
        }
        const bool fits = used == 0 || used + 1 + word.size() <= width;
        text += used == 0 ? "" : fits ? " " : "\n";
        used = fits ? used + (used == 0 ? 0 : 1) + word.size() : word.size();
        text += word;
    }
    return text;
}

bool flows(std::string_view line) {
    return !line.empty() && line.front() != ' ';
}

}  // namespace

std::string wrapped(std::string_view text, std::size_t width) {
    std::string result;
    std::string flowing;
    const auto finish = [&] {
        result += paragraph(flowing, width) + (flowing.empty() ? "" : "\n");
        flowing.clear();
    };
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (flows(line)) {
            flowing.append(line).append(" ");
        } else {
            finish();
            result.append(line).append("\n");
        }
    }
    finish();
    return result.empty() ? result : result.substr(0, result.size() - 1);
}

std::string indented(std::string_view text, std::size_t width, std::size_t indent) {
    std::string result;
    for (const char letter : wrapped(text, width - indent)) {
        result += letter;
        if (letter == '\n') {
            result.append(indent, ' ');
        }
    }
    return result;
}

}  // namespace dpcov
