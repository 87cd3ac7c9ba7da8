#include "command_line/help_format.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

namespace dpcov {
namespace {

constexpr std::size_t page_width = 79;
constexpr std::size_t option_width = 28;

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

HelpFormat::HelpFormat() {
    column_width(option_width);
}

std::string HelpFormat::make_help(const CLI::App* app, std::string name,
                                  CLI::AppFormatMode mode) const {
    std::string help = CLI::Formatter::make_help(app, std::move(name), mode);
    constexpr std::string_view two_blank_lines = "\n\n\n";
    for (std::size_t at = 0; (at = help.find(two_blank_lines, at)) != std::string::npos;) {
        help.erase(at, 1);
    }
    return help;
}

std::string HelpFormat::make_subcommand(const CLI::App* sub) const {
    std::ostringstream out;
    CLI::detail::format_help(out, sub->get_name(),
                             wrapped(sub->get_description(), page_width - option_width),
                             option_width);
    return out.str();
}

std::string HelpFormat::make_option_desc(const CLI::Option* option) const {
    return wrapped(CLI::Formatter::make_option_desc(option), page_width - option_width);
}

std::string HelpFormat::make_description(const CLI::App* app) const {
    return wrapped(CLI::Formatter::make_description(app), page_width) + "\n";
}

std::string HelpFormat::make_footer(const CLI::App* app) const {
    return wrapped(CLI::Formatter::make_footer(app), page_width) + "\n";
}

}  // namespace dpcov
