// How help is set: within 80 columns.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace dpcov {

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
