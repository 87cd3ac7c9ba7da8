// Mean Frobenius error of the mechanisms on the paper's settings: the table of docs/accuracy.md.
//
//   dpcov_accuracy --runs 20 [--privacy pure] [--figure fig2a ...] [--data DIR] > accuracy.csv
//
// One table a setting, drawn once from a fixed seed (or read, for MNIST), and `runs` releases of
// each mechanism from seeded noise. The columns are those of the published code's measurements,
// with the variant behind the mechanism's name.
#include <cblas.h>
#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <initializer_list>
#include <string>
#include <vector>

#include "dpcov/mechanism.hpp"
#include "dpcov/table.hpp"
#include "experiments/synthetic.hpp"

namespace {

using dpcov::experiments::SyntheticSettings;

struct Setting {
    std::string figure;
    SyntheticSettings data;       // bins == 0: MNIST, n rows
    std::vector<double> budgets;  // of rho, or of epsilon where `pure`
    bool pure = false;
};

std::vector<Setting> all_settings() {
    std::vector<Setting> settings;
    const std::vector<double> one = {0.1};
    for (const std::size_t n : std::initializer_list<std::size_t>{1000, 4000, 16000}) {
        for (const std::size_t d : std::initializer_list<std::size_t>{10, 50, 100, 200, 400, 800}) {
            settings.push_back({"fig1", {.d = d, .n = n, .bins = 1}, one});
        }
    }
    for (const int bins : {1, 2, 4, 8, 16, 32}) {
        settings.push_back({"fig2a", {.bins = bins}, one});
    }
    for (const std::size_t d :
         std::initializer_list<std::size_t>{10, 20, 30, 50, 70, 100, 200, 400, 800}) {
        settings.push_back({"fig2b", {.d = d}, one});
    }
    for (const std::size_t n :
         std::initializer_list<std::size_t>{1000, 5000, 20000, 50000, 200000}) {
        settings.push_back({"fig2c", {.n = n}, one});
    }
    settings.push_back({"fig2d", {}, {0.0001, 0.001, 0.01, 0.1, 1.0, 10.0}});
    for (const std::size_t n : std::initializer_list<std::size_t>{6000, 60000}) {
        settings.push_back({"mnist", {.d = 784, .n = n, .bins = 0}, {0.001, 0.01, 0.1, 1.0}});
    }
    for (const std::size_t n : {16000, 160000}) {
        for (const std::size_t d : {10, 50, 100, 200, 400}) {
            settings.push_back({"pure_d", {.d = d, .n = n, .bins = 1}, {0.8}, true});
        }
    }
    settings.push_back({"pure_eps", {}, {0.05, 0.2, 0.8, 3.2}, true});
    return settings;
}

std::vector<double> mnist_table(const std::string& folder, std::size_t n) {
    dpcov::TableOptions options;
    options.scale = 7140.0;  // 255 * 28: every image then has norm at most 1
    const auto reader = dpcov::open_table(folder + "/mnist/train-images-idx3-ubyte.gz", options);
    std::vector<double> table(n * reader->columns());
    reader->read(table);
    return table;
}

// Plain floating point: the truth that errors are measured from.
Eigen::MatrixXd exact_covariance(const std::vector<double>& table, std::size_t n, std::size_t d) {
    const auto order = static_cast<blasint>(d);
    Eigen::MatrixXd covariance(order, order);
    cblas_dsyrk(CblasColMajor, CblasUpper, CblasNoTrans, order, static_cast<blasint>(n),
                1.0 / static_cast<double>(n), table.data(), order, 0.0, covariance.data(), order);
    covariance.triangularView<Eigen::StrictlyLower>() = covariance.transpose();
    return covariance;
}

struct Summary {
    double mean = 0.0;
    double deviation = 0.0;
};

Summary summarise(const std::vector<double>& values) {
    const auto count = static_cast<double>(values.size());
    Summary summary;
    for (const double value : values) {
        summary.mean += value / count;
    }
    double squares = 0.0;
    for (const double value : values) {
        squares += (value - summary.mean) * (value - summary.mean);
    }
    summary.deviation = std::sqrt(squares / std::max(1.0, count - 1.0));
    return summary;
}

struct Entry {
    std::string method;
    std::string variant;
};

dpcov::Variant variant_of(const std::string& name) {
    return name == "paper"       ? dpcov::Variant::paper
           : name == "published" ? dpcov::Variant::published
                                 : dpcov::Variant::best;
}

void measure(const Setting& setting, const std::vector<Entry>& entries, int runs, int steps,
             const std::string& data_folder) {
    const bool mnist = setting.data.bins == 0;
    const std::size_t n = setting.data.n;
    const std::size_t d = setting.data.d;
    std::vector<double> table =
        mnist ? mnist_table(data_folder, n) : dpcov::experiments::synthetic_table(setting.data);
    const Eigen::MatrixXd truth = exact_covariance(table, n, d);
    dpcov::SecondMoment moment({.dimension = d, .norm_bound = 1.0, .keep_directions = true});
    moment.add(table);
    table = {};
    for (const double value : setting.budgets) {
        const auto budget =
            setting.pure ? dpcov::Budget(dpcov::Epsilon(value)) : dpcov::Budget(dpcov::Rho(value));
        for (const Entry& entry : entries) {
            dpcov::MechanismOptions options;
            options.variant = variant_of(entry.variant);
            options.coinpress_steps = steps;
            std::vector<double> errors;
            std::vector<double> estimates;
            const auto start = std::chrono::steady_clock::now();
            for (int run = 0; run < runs; ++run) {
                dpcov::SeededRandomSource random(static_cast<std::uint64_t>(run), 1);
                const dpcov::Release release =
                    dpcov::find_method(entry.method).run(moment, budget, options, random);
                errors.push_back((release.covariance - truth).norm());
                estimates.push_back(release.estimated_frobenius_error.value_or(NAN));
            }
            const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
            const Summary error = summarise(errors);
            fmt::print("{},{}:{},{},{},{},{},{},{},{},{:.6g},{:.3g},{:.6g},{:.6g},{:.4g},{:.4g}\n",
                       setting.figure, entry.method, entry.variant, setting.pure ? "pure" : "zcdp",
                       d, n, setting.data.bins, setting.data.skew, value, runs, error.mean,
                       error.deviation, truth.trace(), truth.norm(), seconds.count() / runs,
                       summarise(estimates).mean);
            std::fflush(stdout);
        }
    }
}

}  // namespace

int main(int argc, char** argv) try {
    CLI::App app("Mean Frobenius error of the mechanisms on the paper's settings, as CSV");
    int runs = 20;
    int steps = 2;
    std::vector<std::string> figures;
    std::string privacy = "zcdp";
    std::vector<std::string> methods;
    std::vector<std::string> variants = {"best", "paper", "published"};
    std::string data;
    app.add_option("--runs", runs, "Releases a setting and mechanism")->check(CLI::PositiveNumber);
    app.add_option("--figure", figures,
                   "Only these: fig1, fig2a ... fig2d, mnist; pure_d, pure_eps");
    app.add_option("--privacy", privacy, "zcdp (default) or pure")
        ->check(CLI::IsMember({"zcdp", "pure"}));
    app.add_option("--method", methods,
                   "Only these methods (default: gauss, or laplace and wishart for pure; separate; "
                   "adaptive)");
    app.add_option("--variant", variants, "Only these variants");
    app.add_option("--steps", steps, "Steps of coinpress, 1 to 5 (default 2)");
    app.add_option("--data", data, "Folder with mnist/train-images-idx3-ubyte.gz");
    CLI11_PARSE(app, argc, argv);
    fmt::print(
        "figure,mechanism,privacy,d,n,N,s,rho_or_eps,runs,mean_fro_error,std_fro_error,mean_trace,"
        "fro_norm_of_sigma,mean_seconds_of_mechanism,mean_estimated_error\n");
    const bool pure = privacy == "pure";
    if (methods.empty()) {
        methods = pure ? std::vector<std::string>{"laplace", "wishart", "separate", "adaptive"}
                       : std::vector<std::string>{"gauss", "separate", "adaptive"};
    }
    std::vector<Entry> entries;
    for (const std::string& method : methods) {
        for (const std::string& variant : variants) {
            entries.push_back({method, variant});
        }
    }
    for (const Setting& setting : all_settings()) {
        const bool wanted = figures.empty() || std::find(figures.begin(), figures.end(),
                                                         setting.figure) != figures.end();
        if (!wanted || setting.pure != pure || (setting.data.bins == 0 && data.empty())) {
            continue;
        }
        measure(setting, entries, runs, steps, data);
    }
} catch (const std::exception& error) {
    std::fputs(error.what(), stderr);
    std::fputs("\n", stderr);
    return 1;
}
