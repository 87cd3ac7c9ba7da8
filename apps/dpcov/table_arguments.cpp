#include "table_arguments.hpp"

#include "column_option.hpp"
#include "command_line/arguments.hpp"
#include "dpcov/error.hpp"
#include "tables/norm_bounds.hpp"

namespace dpcov {
namespace {

/// One character, or the word for one that is hard to type.
char parse_delimiter(const std::string& text) {
    if (text == "tab" || text == "\\t") {
        return '\t';
    }
    if (text.size() != 1) {
        throw UsageError("--delimiter: '" + text + "' is not one character (or the word tab)");
    }
    return text.front();
}

char parse_decimal(const std::string& text) {
    if (text != "." && text != ",") {
        throw UsageError("--decimal: '" + text + "' is neither . nor ,");
    }
    return text.front();
}

constexpr auto header_words = words_of<Header>({{"yes", Header::yes}, {"no", Header::no}});
constexpr auto bad_rows_words =
    words_of<BadRows>({{"error", BadRows::error}, {"zero", BadRows::zero}});

/// Bounds say what these would say.
void check_alone(const TableArguments& arguments) {
    if (arguments.bounds_file.empty()) {
        return;
    }
    const auto refuse = [](const char* option) {
        throw UsageError(std::string("--bounds and ") + option +
                         " exclude each other: the file of bounds says which columns to take, and "
                         "their units");
    };
    if (!arguments.options.columns.empty()) {
        refuse("--columns");
    }
    if (arguments.scale) {
        refuse("--scale");
    }
    if (!arguments.column_scale_file.empty()) {
        refuse("--column-scale");
    }
}

double parse_norm_bound(const std::string& text) {
    const double norm_bound = parse_positive_number("--norm-bound", text);
    if (norm_bound < detail::least_stated_norm_bound ||
        norm_bound > detail::greatest_stated_norm_bound) {
        throw UsageError("--norm-bound: " + text +
                         " is not between 1e-60 and 1e60; change the units with --scale");
    }
    return norm_bound;
}

// Which columns there are, and their units.
std::vector<const CLI::Option*> add_column_options(CLI::App& command, TableArguments& arguments) {
    return {
        add_positive_number(command, "--scale", arguments.scale,
                            "Divide every value by the public number S first")
            ->type_name("S"),
        command
            .add_option("--column-scale", arguments.column_scale_file,
                        "Divide each column by its own public scale first: a CSV of name,scale")
            ->type_name("FILE"),
        command
            .add_option_function<std::string>(
                "--columns",
                [&arguments](const std::string& text) {
                    arguments.options.columns = split_names(text, "--columns");
                },
                "Take these columns, by name or 0-based index, in this order; NAME=VALUE as "
                "for --bounds")
            ->type_name("a,b,c"),
        command
            .add_option("--bounds", arguments.bounds_file,
                        "What is publicly known of the columns: a CSV of "
                        "name,lower,upper[,fill[,missing]]. Takes these columns in this order, "
                        "clamps each value to its bounds and maps it to [-1, 1]; names may be "
                        "0-based indices; NAME=VALUE is 1 where the text NAME of a CSV is VALUE, "
                        "else 0; missing has codes for missing values, such as -99 999")
            ->type_name("FILE")};
}

// What the bytes of INPUT mean.
std::vector<const CLI::Option*> add_format_options(CLI::App& command, TableArguments& arguments) {
    return {add_choice(command, "--format", arguments.options.format, format_words,
                       "What INPUT is, where its name does not say it: any name, a pipe, a "
                       "device, or - for standard input"),
            command
                .add_option_function<std::string>(
                    "--delimiter",
                    [&arguments](const std::string& text) {
                        arguments.options.delimiter = parse_delimiter(text);
                    },
                    "Character between the fields of a CSV, such as ';'")
                ->type_name("C"),
            command
                .add_option_function<std::string>(
                    "--decimal",
                    [&arguments](const std::string& text) {
                        arguments.options.decimal = parse_decimal(text);
                    },
                    "Decimal mark of the numbers in a CSV: . (default), or , where another "
                    "character is the delimiter. With , a number has no point")
                ->type_name("C"),
            command
                .add_option("--dimension", arguments.options.dimension,
                            "Number of columns of a LIBSVM file (.svm), or of a CSV without a "
                            "header, which do not say it themselves")
                ->check(whole_number(1))
                ->type_name("D"),
            add_choice(command, "--header", arguments.options.header, header_words,
                       "Whether the first line of a CSV or TSV names the columns. Implied "
                       "where columns are named; else it must be said")};
}

}  // namespace

void add_table_options(CLI::App& command, TableArguments& arguments,
                       const std::string& input_help) {
    command.add_option("INPUT", arguments.input, input_help)->required()->type_name("");
    const OptionsUnder title(command, "Input");
    command
        .add_option_function<std::string>(
            "--norm-bound",
            [&arguments](const std::string& text) {
                arguments.norm_bound = parse_norm_bound(text);
            },
            "The longest a row may be (Euclidean norm, after scaling): longer rows "
            "are clipped to B. Required unless there is --bounds (then sqrt(d)), and "
            "public: choose it from what is known about the columns, never from the "
            "data. From 1e-60 to 1e60")
        ->type_name("B");
    arguments.table_only = add_column_options(command, arguments);
    for (const CLI::Option* option : add_format_options(command, arguments)) {
        arguments.table_only.push_back(option);
    }
    arguments.table_only.push_back(add_choice(
        command, "--bad-rows", arguments.options.bad_rows, bad_rows_words,
        "A NaN, an infinity (which --bounds clamp), a missing field, a wrong "
        "width, a blank line: stop with an error (default), or take the row as all zeros, "
        "with --bounds as all midpoints"));
}

TableOptions table_options(const TableArguments& arguments, unsigned threads) {
    check_alone(arguments);
    TableOptions options = arguments.options;
    options.threads = threads;
    options.scale = arguments.scale.value_or(1.0);
    if (!arguments.column_scale_file.empty()) {
        options.column_scales = read_column_scales(arguments.column_scale_file);
    }
    if (!arguments.bounds_file.empty()) {
        options.bounds = read_schema(arguments.bounds_file);
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

}  // namespace dpcov
