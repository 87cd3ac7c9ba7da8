// The full grids are those of the scripts that accompany the paper; the quick ones are ours.
#include "research/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "dpcov/error.hpp"
#include "research/fingerprint.hpp"
#include "text/joined.hpp"

namespace dpcov::research {
namespace {

using Sizes = std::vector<std::size_t>;

const int usual_steps = Contender().steps;
constexpr double common_rho = 0.1;
constexpr double common_epsilon = 0.8;

Sizes column_grid(bool quick) {
    return quick ? Sizes{10, 50, 200} : Sizes{10, 20, 30, 50, 70, 100, 200, 400, 800};
}

std::vector<int> bin_grid(bool quick) {
    return quick ? std::vector<int>{1, 4, 16} : std::vector<int>{1, 2, 4, 8, 16, 32};
}

std::vector<double> rho_grid(bool quick) {
    return quick ? std::vector<double>{0.001, 0.1, 10.0}
                 : std::vector<double>{0.0001, 0.001, 0.01, 0.1, 1.0, 10.0};
}

Panel over_columns(std::string title, const Sizes& grid, DataSet data, double budget) {
    Panel panel{std::move(title), Axis::columns, {}};
    for (const std::size_t d : grid) {
        data.d = d;
        panel.settings.push_back({data, budget});
    }
    return panel;
}

Panel over_rows(std::string title, const Sizes& grid, DataSet data, double budget) {
    Panel panel{std::move(title), Axis::rows, {}};
    for (const std::size_t n : grid) {
        data.n = n;
        panel.settings.push_back({data, budget});
    }
    return panel;
}

Panel over_bins(std::string title, const std::vector<int>& grid, DataSet data, double budget) {
    Panel panel{std::move(title), Axis::bins, {}};
    for (const int bins : grid) {
        data.bins = bins;
        panel.settings.push_back({data, budget});
    }
    return panel;
}

Panel over_budgets(std::string title, const std::vector<double>& grid, const DataSet& data) {
    Panel panel{std::move(title), Axis::budget, {}};
    for (const double budget : grid) {
        panel.settings.push_back({data, budget});
    }
    return panel;
}

std::vector<Panel> unit_trace(const Sizes& row_grid, bool quick, double budget) {
    std::vector<Panel> panels;
    for (const std::size_t n : row_grid) {
        panels.push_back(over_columns(fmt::format("n = {}", n), column_grid(quick),
                                      {.n = n, .bins = 1}, budget));
    }
    return panels;
}

std::vector<Panel> mnist_sizes(bool quick) {
    std::vector<Panel> panels;
    for (const std::size_t n : quick ? Sizes{6000} : Sizes{6000, 20000, 60000}) {
        panels.push_back(over_budgets(fmt::format("n = {}", n), rho_grid(quick),
                                      {.source = Source::mnist, .d = 784, .n = n}));
    }
    return panels;
}

std::vector<Panel> mnist_digits(bool quick) {
    std::vector<Panel> panels;
    for (const int digit : quick ? std::vector<int>{0} : std::vector<int>{0, 1, 2}) {
        panels.push_back(over_budgets(fmt::format("digit {}", digit), rho_grid(quick),
                                      {.source = Source::mnist, .d = 784, .n = 0, .digit = digit}));
    }
    return panels;
}

std::vector<Panel> texts(bool quick) {
    std::vector<Panel> panels;
    for (const bool unit_norm : {true, false}) {
        for (const std::size_t d : quick ? Sizes{32, 128} : Sizes{32, 128, 512}) {
            panels.push_back(over_budgets(
                fmt::format("d = {}, {}", d, unit_norm ? "every norm 1" : "largest norm 1"),
                rho_grid(quick), {.source = Source::news, .d = d, .n = 0, .unit_norm = unit_norm}));
        }
    }
    return panels;
}

std::vector<double> epsilon_grid(bool quick) {
    return quick ? std::vector<double>{0.05, 0.8, 6.4}
                 : std::vector<double>{0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4};
}

std::vector<Panel> pure_mnist(bool quick) {
    std::vector<Panel> panels;
    for (const std::size_t n : quick ? Sizes{6000} : Sizes{6000, 60000}) {
        panels.push_back(over_budgets(fmt::format("n = {}", n), epsilon_grid(quick),
                                      {.source = Source::mnist, .d = 784, .n = n}));
    }
    return panels;
}

std::vector<Panel> pure_texts(bool quick) {
    std::vector<Panel> panels;
    for (const bool unit_norm : {true, false}) {
        for (const std::size_t d : quick ? Sizes{32} : Sizes{32, 128, 512}) {
            panels.push_back(over_budgets(
                fmt::format("d = {}, {}", d, unit_norm ? "every norm 1" : "largest norm 1"),
                epsilon_grid(quick),
                {.source = Source::news, .d = d, .n = 0, .unit_norm = unit_norm}));
        }
    }
    return panels;
}

// The paper has these at two sizes.
std::vector<Panel> varied_pure(bool quick) {
    const std::vector<double> epsilons = epsilon_grid(quick);
    std::vector<Panel> panels;
    for (const std::size_t n : quick ? Sizes{50000} : Sizes{50000, 500000}) {
        const std::string size = fmt::format("n = {}", n);
        panels.push_back(over_bins(size + ", d = 200", bin_grid(quick), {.n = n}, common_epsilon));
        panels.push_back(
            over_columns(size + ", N = 4", column_grid(quick), {.n = n}, common_epsilon));
        panels.push_back(over_budgets(size + ", d = 200, N = 4", epsilons, {.n = n}));
    }
    return panels;
}

Variant variant_named(const std::string& name) {
    for (const Variant variant : {Variant::best, Variant::paper, Variant::published}) {
        if (name == dpcov::name_of(variant)) {
            return variant;
        }
    }
    throw UsageError("there is no variant '" + name + "'; there are best, paper, published");
}

}  // namespace

std::string name_of(const Contender& contender) {
    const std::string name =
        contender.method + ":" + std::string(dpcov::name_of(contender.variant));
    return contender.steps == usual_steps ? name : fmt::format("{}:{}", name, contender.steps);
}

Contender parse_contender(const std::string& name) {
    std::vector<std::string> words(1);
    for (const char c : name) {
        c == ':' ? static_cast<void>(words.emplace_back()) : words.back().push_back(c);
    }
    const Method& method = find_method(words[0]);
    if (method.needs_clip) {
        throw UsageError("method " + words[0] + " needs a clipping norm and is in no figure");
    }
    Contender contender{.method = words[0],
                        .variant = words.size() > 1 ? variant_named(words[1]) : Variant::best};
    if (words.size() > 2) {
        const bool fits = words.size() == 3 && words[0] == "coinpress" && words[2].size() == 1 &&
                          words[2] >= "1" && words[2] <= "5";
        if (!fits) {
            throw UsageError("'" + name + "' is not METHOD:VARIANT, nor coinpress:VARIANT:STEPS " +
                             "with 1 to 5 steps");
        }
        contender.steps = words[2][0] - '0';
    }
    return contender;
}

std::string name_of(const DataSet& data) {
    switch (data.source) {
        case Source::mnist:
            return data.digit ? fmt::format("mnist-digit-{}", *data.digit) : "mnist";
        case Source::news:
            return data.unit_norm ? "news-unit" : "news-max";
        case Source::synthetic:
            break;
    }
    return "synthetic";
}

std::vector<Figure> figures(bool quick) {
    const std::vector<Contender> zcdp = {{"gauss"},
                                         {"separate"},
                                         {"adaptive"},
                                         {"em"},
                                         {"coinpress"},
                                         {"auto", Variant::best},
                                         {"zero", Variant::best}};
    const std::vector<Contender> pure = {{"laplace"},
                                         {"separate"},
                                         {"adaptive"},
                                         {"em"},
                                         {"auto", Variant::best},
                                         {"zero", Variant::best}};
    const DataSet centre;  // d = 200, n = 50,000, N = 4
    const Sizes row_grid =
        quick ? Sizes{1000, 10000, 50000}
              : Sizes{1000, 2000, 5000, 10000, 20000, 50000, 100000, 200000, 400000, 800000};

    std::vector<Figure> all;
    const auto add = [&](const std::string& name, const std::string& paper,
                         const std::string& title, std::vector<Panel> panels,
                         bool is_pure = false) {
        all.push_back({.name = name,
                       .title = title,
                       .paper = paper,
                       .pure = is_pure,
                       .quick = quick,
                       .panels = std::move(panels),
                       .contenders = is_pure ? pure : zcdp});
    };
    add("fig1", "Figure 2", "every row of norm 1: error against d",
        unit_trace({1000, 4000, 16000}, quick, common_rho));
    add("fig2a", "Figure 3a", "skewed norms: error against N",
        {over_bins("d = 200, n = 50000", bin_grid(quick), centre, common_rho)});
    add("fig2b", "Figure 3b", "skewed norms: error against d",
        {over_columns("n = 50000, N = 4", column_grid(quick), centre, common_rho)});
    add("fig2c", "Figure 3c", "skewed norms: error against n",
        {over_rows("d = 200, N = 4", row_grid, centre, common_rho)});
    add("fig2d", "Figure 3d", "skewed norms: error against rho",
        {over_budgets("d = 200, n = 50000, N = 4", rho_grid(quick), centre)});
    add("fig3", "Figure 4a-c", "MNIST: error against rho", mnist_sizes(quick));
    add("fig4", "Figure 5", "words of news texts: error against rho", texts(quick));
    add("fig5", "Figure 4d-f", "MNIST, one digit: error against rho", mnist_digits(quick));
    add("fig6", "Figure 6", "pure DP, every row of norm 1: error against d",
        unit_trace(quick ? Sizes{16000} : Sizes{1000, 4000, 16000, 10000, 40000, 160000}, quick,
                   common_epsilon),
        true);
    add("fig7", "Figure 7", "pure DP, skewed norms: error against N, d and epsilon",
        varied_pure(quick), true);
    // The paper made these and did not report them: next to nothing beat zero.
    add("pure_mnist", "", "pure DP, MNIST: error against epsilon", pure_mnist(quick), true);
    add("pure_news", "", "pure DP, words of news texts: error against epsilon", pure_texts(quick),
        true);
    return all;
}

Figure find_figure(const std::string& name, bool quick) {
    std::vector<std::string> known;
    for (Figure& figure : figures(quick)) {
        if (figure.name == name) {
            return std::move(figure);
        }
        known.push_back(figure.name);
    }
    throw UsageError("there is no experiment '" + name + "'; there are " + detail::joined(known));
}

void keep_columns(Figure& figure, std::size_t most) {
    std::size_t fewest = std::numeric_limits<std::size_t>::max();
    for (Panel& panel : figure.panels) {
        for (const Setting& setting : panel.settings) {
            fewest = std::min(fewest, setting.data.d);
        }
        std::erase_if(panel.settings,
                      [most](const Setting& setting) { return setting.data.d > most; });
    }
    std::erase_if(figure.panels, [](const Panel& panel) { return panel.settings.empty(); });
    if (figure.panels.empty()) {
        throw UsageError(
            fmt::format("all points of {} have more than {} columns; the fewest are {}",
                        figure.name, most, fewest));
    }
}

std::string needed_files(const Figure& figure) {
    switch (figure.panels.front().settings.front().data.source) {
        case Source::mnist:
            return "mnist/train-images-idx3-ubyte.gz and mnist/train-labels-idx1-ubyte.gz";
        case Source::news:
            return "20newsgroups/20news-bydate.jsonl.xz or "
                   "news_commentary/news-commentary-v16.en.gz";
        case Source::synthetic:
            break;
    }
    return "";
}

std::vector<Setting> settings_of(const Figure& figure) {
    std::vector<Setting> settings;
    for (const Panel& panel : figure.panels) {
        settings.insert(settings.end(), panel.settings.begin(), panel.settings.end());
    }
    return settings;
}

Budget budget_of(const Figure& figure, const Setting& setting) {
    return figure.pure ? Budget(Epsilon(setting.budget)) : Budget(Rho(setting.budget));
}

std::string describe(const Figure& figure, const Setting& setting) {
    const DataSet& data = setting.data;
    std::string text = fmt::format("{} d={} n={}", name_of(data), data.d, data.n);
    if (data.source == Source::synthetic) {
        text += fmt::format(" N={} s={}", data.bins, data.skew);
    }
    return text + fmt::format(" {}={}", figure.pure ? "epsilon" : "rho", setting.budget);
}

std::string describe(const Figure& figure) {
    std::string all;
    for (const Setting& setting : settings_of(figure)) {
        all += describe(figure, setting) + "\n";
    }
    return fmt::format("{}{}, settings {:016x}", figure.name, figure.quick ? " quick" : "",
                       fingerprint(all));
}

}  // namespace dpcov::research
