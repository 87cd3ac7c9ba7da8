#include "command_line/help_format.hpp"

#include <sstream>
#include <utility>

#include "text/wrapped.hpp"

namespace dpcov {
namespace {

constexpr std::size_t option_width = 28;

}  // namespace

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
