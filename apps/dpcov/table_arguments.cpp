#include "table_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <fstream>
#include <set>
#include <system_error>
#include <utility>

#include "arguments.hpp"
#include "dpcov/error.hpp"

namespace dpcov {
namespace {

std::vector<std::string> split_names(const std::string& text) {
    std::vector<std::string> names;
    std::size_t start = 0;
    while (true) {
        const std::size_t comma = text.find(',', start);
        names.push_back(text.substr(start, comma - start));
        if (names.back().empty()) {
            throw UsageError("--columns: '" + text +
                             "' has an empty name; give names or 0-based indices as a,b,c");
        }
        if (comma == std::string::npos) {
            return names;
        }
        start = comma + 1;
    }
}

/// A name without the blanks and the double quotes around it.
std::string bare_name(std::string_view text) {
    constexpr std::string_view blanks = " \t\r";
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) {
        return {};
    }
    text = text.substr(first, text.find_last_not_of(blanks) - first + 1);
    if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
        text = text.substr(1, text.size() - 2);
    }
    return std::string(text);
}

/// Reads lines of `name,scale`; a first line that says just that is a header. The scale follows the
/// last comma, so a name may hold commas.
std::vector<std::pair<std::string, double>> read_column_scales(const std::string& path) {
    std::ifstream file(path);
    if (!file) {
        throw DeviceError("--column-scale: cannot open " + path + ": " +
                          std::generic_category().message(errno));
    }
    std::vector<std::pair<std::string, double>> scales;
    std::set<std::string> seen;
    std::string line;
    for (std::size_t number = 1; std::getline(file, line); ++number) {
        if (bare_name(line).empty()) {
            continue;
        }
        const std::string where = fmt::format("{} line {}", path, number);
        const std::size_t comma = line.rfind(',');
        if (comma == std::string::npos) {
            throw DataError(where + ": expected name,scale");
        }
        const std::string name = bare_name(std::string_view(line).substr(0, comma));
        const std::string scale = bare_name(std::string_view(line).substr(comma + 1));
        if (number == 1 && name == "name" && scale == "scale") {
            continue;
        }
        if (!seen.insert(name).second) {
            throw DataError(where + ": column '" + name + "' has a scale already");
        }
        try {
            scales.emplace_back(name, parse_positive_number("scale", scale));
        } catch (const UsageError& error) {
            throw DataError(where + ": " + error.what());
        }
    }
    if (file.bad()) {
        throw DeviceError("--column-scale: reading " + path + " failed");
    }
    if (scales.empty()) {
        throw DataError(path + ": no name,scale lines");
    }
    return scales;
}

double parse_norm_bound(const std::string& text) {
    const double norm_bound = parse_positive_number("--norm-bound", text);
    // A little less than what a moment takes, and easier to say.
    constexpr double least = 1e-60;
    constexpr double greatest = 1e60;
    if (norm_bound < least || norm_bound > greatest) {
        throw UsageError("--norm-bound: " + text +
                         " is not between 1e-60 and 1e60; change the units with --scale");
    }
    return norm_bound;
}

}  // namespace

void add_table_options(CLI::App& command, TableArguments& arguments,
                       const std::string& input_help) {
    command.add_option("INPUT", arguments.input, input_help)->required()->type_name("");
    command
        .add_option_function<std::string>(
            "--norm-bound",
            [&arguments](const std::string& text) {
                arguments.norm_bound = parse_norm_bound(text);
            },
            "The longest a row may be (Euclidean norm, after scaling): longer rows\n"
            "are clipped to B. Required, and public: choose it from what is known\n"
            "about the columns, never from the data. From 1e-60 to 1e60")
        ->type_name("B")
        ->group("Input");
    arguments.table_only = {
        add_positive_number(command, "--scale", arguments.scale,
                            "Divide every value by the public number S first")
            ->type_name("S")
            ->group("Input"),
        command
            .add_option("--column-scale", arguments.column_scale_file,
                        "Divide each column by its own public scale first: a CSV of name,scale")
            ->type_name("FILE")
            ->group("Input"),
        command
            .add_option_function<std::string>(
                "--columns",
                [&arguments](const std::string& text) {
                    arguments.options.columns = split_names(text);
                },
                "Take these columns, by name or 0-based index, in this order")
            ->type_name("a,b,c")
            ->group("Input"),
        command
            .add_option("--dimension", arguments.options.dimension,
                        "Number of columns of a LIBSVM file (.svm), which does not say")
            ->type_name("D")
            ->group("Input"),
        add_choice<Header>(command, "--header", arguments.options.header,
                           {{"detect", Header::detect}, {"yes", Header::yes}, {"no", Header::no}},
                           "Whether the first line of a CSV or TSV names the columns")
            ->group("Input"),
        add_choice<BadRows>(command, "--bad-rows", arguments.options.bad_rows,
                            {{"error", BadRows::error}, {"zero", BadRows::zero}},
                            "A NaN, an infinity, a missing field, a wrong width:\n"
                            "stop with an error (default), or take the row as all zeros")
            ->group("Input"),
    };
}

TableOptions table_options(const TableArguments& arguments) {
    TableOptions options = arguments.options;
    options.scale = arguments.scale.value_or(1.0);
    if (!arguments.column_scale_file.empty()) {
        options.column_scales = read_column_scales(arguments.column_scale_file);
    }
    return options;
}

void refuse_table_options(const TableArguments& arguments) {
    for (const CLI::Option* option : arguments.table_only) {
        if (option->count() > 0) {
            throw UsageError(option->get_name() +
                             " is for tables: a .moment file holds rows that were already read; "
                             "give it to 'dpcov moment add' instead");
        }
    }
}

std::string input_kind(std::string_view path) {
    if (path == "-") {
        return "csv";
    }
    std::string name(path);
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (name.ends_with(".gz")) {
        name.resize(name.size() - 3);
    }
    for (const char* kind : {"npy", "csv", "tsv", "svm", "moment"}) {
        if (name.ends_with(std::string(".") + kind)) {
            return kind;
        }
    }
    return "idx";  // the one kind without an extension
}

}  // namespace dpcov
