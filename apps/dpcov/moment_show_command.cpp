// dpcov moment show: the public layout of a .moment file.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "commands.hpp"
#include "dpcov/second_moment.hpp"
#include "report/json_values.hpp"
#include "text/in_quotes.hpp"

namespace dpcov {
namespace {

struct MomentShowArguments {
    std::string path;
    bool json = false;
};

const char* name_of(NormResolution resolution) {
    return resolution == NormResolution::bins ? "bins" : "octaves";
}

detail::OrderedJson public_json(const SecondMoment& moment) {
    const MomentLayout& layout = moment.layout();
    detail::OrderedJson json = {{"columns", layout.columns},
                                {"norm_bound", layout.norm_bound},
                                {"resolution", name_of(moment.resolution())},
                                {"directions", layout.keep_directions}};
    json["dataset"] =
        layout.dataset.empty() ? detail::OrderedJson() : detail::OrderedJson(layout.dataset);
    auto& schema = json["schema"] = detail::OrderedJson::array();
    for (std::size_t j = 0; j < layout.columns; ++j) {
        const Column column = layout.schema.empty() ? Column{} : layout.schema[j];
        detail::OrderedJson entry = detail::OrderedJson::object();
        entry["name"] =
            column.name.empty() ? detail::OrderedJson() : detail::OrderedJson(column.name);
        detail::put_bounds(entry, column);
        entry["scale"] = column.scale;
        schema.push_back(std::move(entry));
    }
    if (!layout.origin.empty()) {
        json["origin"] = layout.origin;
    }
    if (!layout.stretch.empty()) {
        json["stretch"] = layout.stretch;
    }
    return json;
}

std::string public_text(const SecondMoment& moment) {
    const MomentLayout& layout = moment.layout();
    std::string text = fmt::format(
        "columns     {}\nnorm bound  {}\nresolution  {}\ndirections  {}\ndata set    {}\n",
        layout.columns, layout.norm_bound, name_of(moment.resolution()),
        layout.keep_directions ? "kept" : "not kept",
        layout.dataset.empty() ? "-" : printable(layout.dataset));
    for (std::size_t j = 0; j < layout.schema.size(); ++j) {
        const Column& column = layout.schema[j];
        text += fmt::format("{:<10}  {}", fmt::format("column {}", j),
                            column.name.empty() ? "-" : printable(column.name));
        if (column.bounds) {
            text += fmt::format("  {} to {}", column.bounds->lower, column.bounds->upper);
        }
        if (column.fill) {
            text += fmt::format("  fill {}", *column.fill);
        }
        if (!column.missing.empty()) {
            text += fmt::format("  missing {}", fmt::join(column.missing, " "));
        }
        if (column.scale != 1.0) {
            text += fmt::format("  scale {}", column.scale);
        }
        text += '\n';
    }
    for (std::size_t j = 0; j < std::max(layout.origin.size(), layout.stretch.size()); ++j) {
        text += fmt::format("column {}: about {}, times {}\n", j,
                            layout.origin.empty() ? 0.0 : layout.origin[j],
                            layout.stretch.empty() ? 1.0 : layout.stretch[j]);
    }
    return text;
}

void run_moment_show(const MomentShowArguments& arguments) {
    const SecondMoment moment = SecondMoment::load(arguments.path);
    std::cout << (arguments.json ? detail::json_text(public_json(moment)) : public_text(moment));
}

}  // namespace

void add_moment_show_command(CLI::App& group) {
    auto* command = group.add_subcommand("show", "Print the public layout of a .moment file");
    auto arguments = std::make_shared<MomentShowArguments>();
    command->add_option("INPUT", arguments->path, "The .moment file")->required()->type_name("");
    command->add_flag("--json", arguments->json, "As a JSON object");
    command->footer(
        "Only what was public before any row was read: columns, their\nbounds and scales, norm "
        "bound, data set, how finely rows are grouped by their norms, whether directions are kept. "
        "The number of rows is not shown: it is "
        "private under --neighbours add-remove.\n\n"
        "Example:\n"
        "  dpcov moment show week.moment");
    command->callback([arguments] { run_moment_show(*arguments); });
}

}  // namespace dpcov
