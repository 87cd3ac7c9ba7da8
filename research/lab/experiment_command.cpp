// dpcov-lab experiment NAME | list: the figures of the paper, measured again.
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "command_line/arguments.hpp"
#include "command_line/progress.hpp"
#include "dpcov/error.hpp"
#include "dpcov/version.hpp"
#include "files/atomic_file.hpp"
#include "research/figures.hpp"
#include "research/gnuplot.hpp"
#include "research/lab/commands.hpp"
#include "research/measurement.hpp"
#include "research/plot.hpp"
#include "research/results.hpp"
#include "research/run_log.hpp"

namespace dpcov::research {
namespace {

constexpr int usual_runs = 50;
constexpr int quick_runs = 5;
constexpr int most_runs = 1000000;

struct ExperimentArguments {
    std::string name;
    int runs = 0;  ///< 0: the usual number
    std::string out;
    std::string data;
    std::vector<std::string> mechanisms;  ///< empty: the figure's own
    std::size_t most_columns = 0;         ///< 0: as many as there are
    bool quick = false;
    std::string tables = "one";
    RunningArguments running;
};

void print_list() {
    std::cout << fmt::format("{:<10}  {:<11}  {}\n", "name", "the paper's", "what");
    for (const Figure& figure : figures(false)) {
        std::cout << fmt::format("{:<10}  {:<11}  {}{}\n", figure.name, figure.paper, figure.title,
                                 !needed_files(figure).empty() ? " (needs --data)" : "");
    }
}

Figure asked_figure(const ExperimentArguments& arguments) {
    Figure figure = find_figure(arguments.name, arguments.quick);
    if (arguments.out.empty()) {
        throw UsageError("--out is missing; give the folder for the results");
    }
    if (arguments.data.empty() && !needed_files(figure).empty()) {
        throw UsageError("experiment " + figure.name +
                         " needs real data: give --data DIR, a folder with " +
                         needed_files(figure));
    }
    if (arguments.most_columns > 0) {
        keep_columns(figure, arguments.most_columns);
    }
    if (!arguments.mechanisms.empty()) {
        figure.contenders.clear();
        for (const std::string& name : arguments.mechanisms) {
            figure.contenders.push_back(parse_contender(name));
            const Method& method = find_method(figure.contenders.back().method);
            if (figure.pure ? !method.pure_dp : !method.zcdp) {
                throw UsageError("method " + std::string(method.name) + " cannot meet " +
                                 (figure.pure ? "pure DP" : "zCDP") + ", which " + figure.name +
                                 " is about");
            }
        }
    }
    return figure;
}

void make_folder(const std::string& path) {
    std::error_code error;
    std::filesystem::create_directories(path, error);
    if (error) {
        throw DeviceError(path + ": cannot make the folder: " + error.message() +
                          "; choose a folder that you may write to");
    }
}

void write_file(const std::string& path, const std::string& content) {
    AtomicFile file(path);
    file.write(content);
    file.commit();
}

/// False where gnuplot is not installed.
bool write_plot(const Figure& figure, const std::vector<Result>& results, PlotFormat format,
                const std::string& path) {
    const auto plot = run_gnuplot(plot_script(figure, results, format));
    if (plot) {
        write_file(path, *plot);
    }
    return plot.has_value();
}

std::string text_of(const Advance& advance, const std::string& experiment,
                    std::chrono::steady_clock::time_point started) {
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    const double share_done = 1.0 - advance.share_left;
    const std::string left =
        share_done > 0.0 ? fmt::format(", {:.0f} s left", seconds * advance.share_left / share_done)
                         : "";
    return fmt::format("{}: {} of {} runs{} ({})", experiment, advance.done, advance.wanted, left,
                       advance.at);
}

void run_experiment(const ExperimentArguments& arguments) {
    const Figure figure = asked_figure(arguments);
    const int asked = arguments.quick ? quick_runs : usual_runs;
    const int runs = arguments.runs > 0 ? arguments.runs : asked;
    const bool fresh = arguments.tables == "fresh";
    if (fresh && !needed_files(figure).empty()) {
        throw UsageError("--tables fresh is for synthetic data; " + figure.name +
                         " has real data, which there is once");
    }
    make_folder(arguments.out);
    const std::string base = (std::filesystem::path(arguments.out) / figure.name).string();
    RunLog log(base + ".runs.csv", fmt::format("dpcov {} {}{}", version(), describe(figure),
                                               fresh ? ", a table a run" : ""));
    {
        Progress progress(arguments.running);
        const auto started = std::chrono::steady_clock::now();
        measure(
            figure,
            {.runs = runs,
             .threads = arguments.running.threads,
             .data_folder = arguments.data,
             .fresh_tables = fresh,
             .report =
                 [&](const Advance& advance) {
                     progress.show_if_due([&] { return text_of(advance, figure.name, started); });
                 }},
            log);
    }
    const std::vector<Result> results = summarise(figure, runs, log.runs());
    write_file(base + ".csv", format_csv(figure, results));
    write_file(base + ".md", format_markdown(figure, results));
    const bool plotted = write_plot(figure, results, PlotFormat::svg, base + ".svg") &&
                         write_plot(figure, results, PlotFormat::png, base + ".png");
    if (!plotted) {
        std::cerr << "gnuplot is not installed, so there is no plot; install it (Debian: apt "
                     "install gnuplot-nox) and run the same command again: it repeats no run\n";
    }
    if (!arguments.running.quiet) {
        std::cerr << base << (plotted ? ".{csv,md,svg,png}" : ".{csv,md}") << ": " << runs
                  << (arguments.quick ? " runs a point, quick\n" : " runs a point\n");
    }
}

}  // namespace

void add_experiment_command(CLI::App& program) {
    auto* command = program.add_subcommand(
        "experiment", "Measure a figure of the paper again, beside the published code's errors");
    auto arguments = std::make_shared<ExperimentArguments>();
    command->add_option("NAME", arguments->name, "A figure, or 'list' to see them")->required();
    command
        ->add_option("--runs", arguments->runs,
                     "Releases of every mechanism at every point (default: 50; 5 with --quick)")
        ->option_text("R")
        ->check(CLI::Range(1, most_runs));
    command
        ->add_option("--out", arguments->out,
                     "Folder for NAME.csv, .md, .svg and .png, and NAME.runs.csv, which holds "
                     "the finished runs; the same command then goes on where it stopped")
        ->option_text("DIR");
    command
        ->add_option("--data", arguments->data, "Folder with the real data that fig3 to fig5 need")
        ->option_text("DIR");
    command
        ->add_option("--mechanism", arguments->mechanisms,
                     "Measure this instead of the figure's mechanisms; can be repeated")
        ->option_text("METHOD:VARIANT");
    command
        ->add_option("--max-columns", arguments->most_columns,
                     "Only the points with at most D columns")
        ->option_text("D")
        ->check(CLI::PositiveNumber);
    command
        ->add_option("--tables", arguments->tables,
                     "one: one table a point, drawn once. fresh: a new one in every run, as in "
                     "the paper; every mechanism gets the same ones. Synthetic data only")
        ->option_text("one|fresh")
        ->check(CLI::IsMember({"one", "fresh"}));
    command->add_flag("--quick", arguments->quick,
                      "Fewer points, smaller tables, 5 runs; the results are marked as quick");
    add_running_options(*command, arguments->running);
    command->footer(
        "The noise is seeded and the data are public: what this writes is not private, and is the "
        "same every time but for the seconds. In the plots a band is one standard deviation of a "
        "run to either side; empty signs are what the code that accompanies the paper was measured "
        "to err.\n\n"
        "Examples:\n"
        "  dpcov-lab experiment list\n"
        "  dpcov-lab experiment fig2b --runs 50 --out results\n"
        "  dpcov-lab experiment fig2a --mechanism separate:paper --mechanism separate --out "
        "results");
    command->callback([arguments] {
        if (arguments->name == "list") {
            print_list();
        } else {
            run_experiment(*arguments);
        }
    });
}

}  // namespace dpcov::research
