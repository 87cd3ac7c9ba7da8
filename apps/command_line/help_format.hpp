// How help is set: within 80 columns.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <string_view>

namespace dpcov {

/// The text with its lines broken anew, at spaces, so that none is longer than `width` unless one
/// word is. Lines that are indented are left as they are, and blank ones part paragraphs.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t width);

/// CLI11's help with descriptions and footers wrapped, and one blank line between groups.
class HelpFormat : public CLI::Formatter {
public:
    HelpFormat();

    [[nodiscard]] std::string make_help(const CLI::App* app, std::string name,
                                        CLI::AppFormatMode mode) const override;
    [[nodiscard]] std::string make_subcommand(const CLI::App* sub) const override;
    [[nodiscard]] std::string make_option_desc(const CLI::Option* option) const override;
    [[nodiscard]] std::string make_description(const CLI::App* app) const override;
    [[nodiscard]] std::string make_footer(const CLI::App* app) const override;
};

}  // namespace dpcov
