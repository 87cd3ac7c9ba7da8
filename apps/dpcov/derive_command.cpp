// dpcov derive: what follows from a release, at no further cost.
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "column_option.hpp"
#include "command_line/arguments.hpp"
#include "commands.hpp"
#include "derive/varying_columns.hpp"
#include "derived.hpp"
#include "dpcov/error.hpp"
#include "dpcov/release_file.hpp"
#include "files/output_set.hpp"
#include "moment/memory_need.hpp"
#include "report/matrix_writer.hpp"
#include "tables/called_columns.hpp"
#include "tables/lower_case.hpp"
#include "targets.hpp"

namespace dpcov {
namespace {

enum class DerivedKind { covariance, correlation, mean, pca, regression };

constexpr auto derived_words = words_of<DerivedKind>({{"covariance", DerivedKind::covariance},
                                                      {"correlation", DerivedKind::correlation},
                                                      {"mean", DerivedKind::mean},
                                                      {"pca", DerivedKind::pca},
                                                      {"regression", DerivedKind::regression}});

struct DeriveArguments {
    std::string release;
    DerivedKind what = DerivedKind::covariance;
    std::optional<int> components;
    bool standardize = false;
    std::string target;
    std::vector<std::string> features;
    std::optional<double> level;
    bool population = false;
    bool any_population = false;
    std::string output = std::string(standard_stream_word);
    bool names = false;
    bool pairs = false;
    bool json = false;

    [[nodiscard]] double asked_level() const { return level.value_or(0.95); }
    [[nodiscard]] IntervalsFor intervals_for() const {
        return any_population ? IntervalsFor::any_population
               : population   ? IntervalsFor::population
                              : IntervalsFor::table;
    }
    [[nodiscard]] bool asks_for_matrix() const {
        return what == DerivedKind::covariance || what == DerivedKind::correlation;
    }
};

enum class DeriveForm { text, json, csv, pairs, npy };

// What intervals for a population rest on.
std::string assumed_by(const DeriveArguments& arguments) {
    std::string assumed =
        "rows are independent draws from one population (no clusters, no weights), whose values "
        "are clipped as those of the table";
    if (arguments.any_population) {
        return assumed;
    }
    switch (arguments.what) {
        case DerivedKind::covariance:
            return assumed +
                   "; of two columns, sampling errs no more than for normal ones (else "
                   "--any-population)";
        case DerivedKind::correlation:
            return assumed +
                   "; sampling errs no more than for normal columns (else --any-population)";
        case DerivedKind::regression:
            return assumed +
                   "; residuals vary alike, whatever the features are (else, as of a rare 0/1 "
                   "target, --any-population)";
        case DerivedKind::mean:
        case DerivedKind::pca:
            break;
    }
    return assumed;
}

// Whether a matrix in that form stands by itself, without its standard errors and intervals.
bool is_plain(DeriveForm form) {
    return form == DeriveForm::csv || form == DeriveForm::npy;
}

// A name that ends in nothing, or in .txt, is of text.
bool is_name_of_text(const std::string& output) {
    const std::string extension = in_lower_case(std::filesystem::path(output).extension().string());
    return output == standard_stream_word || extension.empty() || extension == ".txt";
}

DeriveForm form_of_output(const DeriveArguments& arguments) {
    const std::optional<MatrixFormat> by_name = format_for(arguments.output);
    if (arguments.pairs) {
        const bool csv =
            by_name ? by_name == MatrixFormat::csv : arguments.output == standard_stream_word;
        if (!csv || arguments.json || arguments.names || !arguments.asks_for_matrix()) {
            throw UsageError(
                "--pairs is a CSV of a covariance or a correlation, on standard output or with a "
                "name that ends in .csv; it has the columns' names");
        }
        return DeriveForm::pairs;
    }
    if (arguments.json || by_name == MatrixFormat::json) {
        if (by_name && by_name != MatrixFormat::json) {
            throw UsageError("--output '" + arguments.output +
                             "' is the name of another format than --json asks for");
        }
        return DeriveForm::json;
    }
    if (by_name == MatrixFormat::npy && !arguments.asks_for_matrix()) {
        throw UsageError("--output '" + arguments.output +
                         "': only a covariance or a correlation is written as a matrix; take a "
                         "name that ends in .csv or .json, or in .txt for text");
    }
    if (by_name) {
        return by_name == MatrixFormat::npy ? DeriveForm::npy : DeriveForm::csv;
    }
    if (!is_name_of_text(arguments.output)) {
        throw UsageError("--output '" + arguments.output +
                         "' is no name of a format that is written: take one that ends in .json or "
                         ".csv, in .npy for a covariance or a correlation, or in .txt for text");
    }
    return DeriveForm::text;
}

void check_derive(const DeriveArguments& arguments) {
    const auto only_for = [&](bool given, const char* option, DerivedKind what) {
        if (given && arguments.what != what) {
            throw UsageError(std::string(option) + " is for " +
                             std::string(word_of(derived_words, what)) + " only");
        }
    };
    only_for(arguments.components.has_value(), "--components", DerivedKind::pca);
    only_for(arguments.standardize, "--standardize", DerivedKind::pca);
    only_for(!arguments.target.empty(), "--target", DerivedKind::regression);
    only_for(!arguments.features.empty(), "--features", DerivedKind::regression);
    if (arguments.what == DerivedKind::regression && arguments.target.empty()) {
        throw UsageError("regression needs --target NAME: the column to predict");
    }
    if (!(arguments.asked_level() < 1.0)) {
        throw UsageError("--level must be above 0 and below 1, such as 0.95");
    }
    if (arguments.population && arguments.any_population) {
        throw UsageError("take either --population or --any-population");
    }
    const bool to_file = arguments.output != standard_stream_word;
    if (to_file) {
        refuse_to_replace(arguments.output, arguments.release, "the release");
    }
    const DeriveForm form = form_of_output(arguments);
    if (arguments.names && !(arguments.asks_for_matrix() && form == DeriveForm::csv)) {
        throw UsageError(
            "--names is for a matrix in CSV; what is read on the screen, and JSON, have names");
    }
    if (to_file) {
        check_target(arguments.output);
    }
}

std::vector<Eigen::Index> asked_features(const DeriveArguments& arguments,
                                         const CalledColumns& columns) {
    std::vector<Eigen::Index> features;
    std::vector<std::string> given = {arguments.target};
    for (const std::string& some : arguments.features) {
        for (const std::string& feature : split_names(some, "--features")) {
            features.push_back(column_called(feature, columns, "--features"));
            given.push_back(feature);
        }
    }
    refuse_names_beside_places(given, columns, "--target and --features");
    return features;
}

DerivedRegression regression_of(const Release& release, const CalledColumns& columns,
                                const DeriveArguments& arguments) {
    const Eigen::Index target = column_called(arguments.target, columns, "--target");
    const auto name_of = [&](Eigen::Index column) {
        return columns.names()[static_cast<std::size_t>(column)];
    };
    DerivedRegression derived{derive_regression(release, target, asked_features(arguments, columns),
                                                arguments.asked_level(), arguments.intervals_for()),
                              name_of(target),
                              {}};
    for (const Eigen::Index feature : derived.regression.features) {
        derived.features.push_back(name_of(feature));
    }
    return derived;
}

DerivedComponents components_of(const Release& release, const DeriveArguments& arguments) {
    constexpr Eigen::Index most_unasked = 10;
    const Eigen::Index count = arguments.components
                                   ? Eigen::Index{*arguments.components}
                                   : std::min(most_unasked, release.covariance.rows());
    return {derive_pca(release, count, arguments.asked_level(),
                       arguments.standardize ? ComponentsOf::correlation : ComponentsOf::covariance,
                       arguments.intervals_for())};
}

// With standard errors and intervals only where they are written: with many columns they take much
// longer.
DerivedMatrix matrix_of(const Release& release, const CalledColumns& columns,
                        const DeriveArguments& arguments, DeriveForm form) {
    DerivedMatrix derived{
        .what = word_of(derived_words, arguments.what),
        .estimate = {},
        .csv_names = arguments.names ? columns.names() : std::vector<std::string>()};
    const bool correlations = arguments.what == DerivedKind::correlation;
    if (is_plain(form)) {
        derived.estimate.matrix =
            correlations ? correlation_matrix(release) : in_table_units(release).covariance;
    } else {
        derived.estimate = (correlations ? derive_correlation : derive_covariance)(
            release, arguments.asked_level(), arguments.intervals_for());
    }
    return derived;
}

Derived derived_of(const Release& release, const CalledColumns& columns,
                   const DeriveArguments& arguments, DeriveForm form) {
    switch (arguments.what) {
        case DerivedKind::covariance:
        case DerivedKind::correlation:
            return matrix_of(release, columns, arguments, form);
        case DerivedKind::mean:
            return DerivedMean{
                derive_mean(release, arguments.asked_level(), arguments.intervals_for())};
        case DerivedKind::pca:
            return components_of(release, arguments);
        case DerivedKind::regression:
            break;
    }
    return regression_of(release, columns, arguments);
}

std::string written(const Derived& derived, const DerivedFrom& from, DeriveForm form) {
    switch (form) {
        case DeriveForm::json:
            return derived_json(derived, from);
        case DeriveForm::csv:
            return derived_csv(derived, from);
        case DeriveForm::pairs:
            return csv_of_pairs(std::get<DerivedMatrix>(derived), from);
        case DeriveForm::npy:
            return format_matrix(MatrixFormat::npy,
                                 std::get<DerivedMatrix>(derived).estimate.matrix, {});
        case DeriveForm::text:
            break;
    }
    return derived_text(derived, from);
}

// What a matrix by itself does not say.
std::string note_beside(const Release& release, const DeriveArguments& arguments, DeriveForm form) {
    if (arguments.what != DerivedKind::correlation || !is_plain(form)) {
        return "";
    }
    const std::string constant =
        detail::about_constant_columns(release, detail::seen_to_vary(release));
    return constant.empty() ? "" : "note: " + constant + '\n';
}

void run_derive(const DeriveArguments& arguments) {
    check_derive(arguments);
    if (arguments.what == DerivedKind::pca || arguments.what == DerivedKind::regression) {
        detail::take_blas_memory();  // before the release fills the room
    }
    const Release release = load_release(arguments.release);
    const auto columns = CalledColumns::released(
        release.schema, static_cast<std::size_t>(release.covariance.rows()));
    const DeriveForm form = form_of_output(arguments);
    // Made before the output is in place, behind which nothing may fail.
    const std::string note = note_beside(release, arguments, form);
    OutputSet outputs;
    outputs.add(
        path_of(arguments.output),
        written(derived_of(release, columns, arguments, form),
                {release, columns.names(), arguments.asked_level(), arguments.intervals_for(),
                 arguments.intervals_for() == IntervalsFor::table ? "" : assumed_by(arguments)},
                form));
    outputs.commit(OutputSet::Afterwards::ends);
    std::cerr << note;
}

}  // namespace

void add_derive_command(CLI::App& program) {
    auto* command = program.add_subcommand(
        "derive", "Tell what follows from a release, with intervals; it spends nothing");
    auto arguments = std::make_shared<DeriveArguments>();
    command
        ->add_option("RELEASE", arguments->release,
                     "The .npz that 'dpcov estimate --release' wrote")
        ->required()
        ->type_name("");
    command
        ->add_option_function<std::string>(
            "WHAT",
            [arguments](const std::string& word) {
                arguments->what = parse_choice("WHAT", word, derived_words);
            },
            choices_of(derived_words))
        ->required()
        ->type_name("");
    command
        ->add_option("--components", arguments->components,
                     "pca: how many components (default 10, or all if fewer)")
        ->check(whole_number(1, std::numeric_limits<int>::max()))
        ->type_name("K");
    command->add_flag("--standardize", arguments->standardize,
                      "pca: of the correlations, that is of columns divided by their estimated "
                      "deviations; without intervals");
    command
        ->add_option("--target", arguments->target,
                     "regression: the column to predict, by name or 0-based index")
        ->type_name("NAME");
    command
        ->add_option("--features", arguments->features,
                     "regression: the columns to predict it from (default all others), likewise; "
                     "whole numbers are either all names or all indices")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->type_name("A,B,C");
    add_positive_number(*command, "--level", arguments->level,
                        "Of the intervals, above 0 and below 1 (default 0.95)")
        ->type_name("L");
    command->add_flag("--population", arguments->population,
                      "Intervals for noise and sampling: of the population of which the rows are a "
                      "random sample. Of means and variances for any; of covariances and "
                      "correlations as if columns were normal; of regressions as if residuals "
                      "vary alike; none of pca");
    command->add_flag("--any-population", arguments->any_population,
                      "The same for any population within the bounds, with skewed columns or with "
                      "residuals that vary unevenly, too: wider");
    command
        ->add_option("--output", arguments->output,
                     "Where to: JSON where the name ends in .json; a table of the "
                     "estimates in .csv, a covariance or a correlation alone; text in\n"
                     ".txt (default -, standard output); also .npy for these two")
        ->type_name("FILE");
    command->add_flag("--names", arguments->names,
                      "Name the columns in a CSV: a first line and a first field in every line");
    command->add_flag("--pairs", arguments->pairs,
                      "A covariance or a correlation as a CSV with a line for each pair of "
                      "columns, and its interval");
    command->add_flag("--json", arguments->json, "As a JSON object, with all intervals");
    command->footer(
        "Everything is in the units of the table; columns with a scale, and no bounds, are divided "
        "by it. An interval covers the value that the table of the release has, its rows as "
        "clipped, for the noise alone: not that of a population, but with --population. Where no "
        "honest interval is known there is none (null), and the reason stands beside it.\n\n"
        "Examples:\n"
        "  dpcov derive people.npz correlation\n"
        "  dpcov derive people.npz correlation --pairs --output pairs.csv\n"
        "  dpcov derive people.npz regression --target income --features age,hours --json\n"
        "  dpcov derive people.npz pca --components 3 --output pca.json");
    command->callback([arguments] { run_derive(*arguments); });
}

}  // namespace dpcov
