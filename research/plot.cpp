#include "research/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <string_view>

#include "research/published_errors.hpp"

namespace dpcov::research {
namespace {

// Pixels.
constexpr int panel_width = 330;
constexpr int panel_height = 300;
constexpr int side_margin = 70;
constexpr int title_height = 45;
constexpr int legend_height = 75;
constexpr int least_width = 620;  // for the legend

/// How a method is drawn. Colours that people with any colour vision tell apart (Okabe and Ito
/// 2008), and a sign of its own, filled; the published code's is the empty one.
struct Style {
    std::string_view method;
    std::string_view title;
    std::string_view colour;
    int filled = 0;  ///< gnuplot's point types
    int empty = 0;
};

constexpr std::array styles = {
    Style{"gauss", "GaussCov", "#0072B2", 5, 4},
    Style{"laplace", "LapCov", "#0072B2", 5, 4},
    Style{"separate", "SeparateCov", "#E69F00", 9, 8},
    Style{"adaptive", "AdaptiveCov", "#009E73", 7, 6},
    Style{"em", "EMCov", "#CC79A7", 11, 10},
    Style{"coinpress", "CoinPress ↑", "#56B4E9", 13, 12},
    Style{"auto", "dpcov (auto)", "#D55E00", 15, 14},
};
constexpr Style other_style = {"", "", "#000000", 1, 1};

const Style& style_of(const Contender& contender) {
    const auto* found = std::find_if(styles.begin(), styles.end(), [&](const Style& style) {
        return style.method == contender.method;
    });
    return found == styles.end() ? other_style : *found;
}

bool is_zero(const Contender& contender) {
    return contender.method == "zero";
}

bool is_plain(const Contender& contender) {
    return contender.variant == Variant::published || contender.method == "auto";
}

/// gnuplot's dash types: one method's variants have the same colour and sign.
int dashes_of(const Contender& contender) {
    return is_plain(contender) ? 1 : contender.variant == Variant::paper ? 4 : 3;
}

std::string title_of(const Contender& contender) {
    const Style& style = style_of(contender);
    if (is_zero(contender)) {
        return "zero matrix";
    }
    return is_plain(contender) && !style.title.empty() ? std::string(style.title)
                                                       : name_of(contender);
}

/// CoinPress errs by so much that the others would lie on one line; it may leave the frame, as the
/// arrow in its title says.
bool may_leave_frame(const Contender& contender) {
    return contender.method == "coinpress";
}

std::string axis_label(Axis axis, bool pure) {
    switch (axis) {
        case Axis::columns:
            return "columns d";
        case Axis::rows:
            return "rows n";
        case Axis::bins:
            return "bins N of norms";
        case Axis::budget:
            break;
    }
    return pure ? "ε" : "ρ";
}

double position(Axis axis, const Setting& setting) {
    switch (axis) {
        case Axis::columns:
            return static_cast<double>(setting.data.d);
        case Axis::rows:
            return static_cast<double>(setting.data.n);
        case Axis::bins:
            return setting.data.bins;
        case Axis::budget:
            break;
    }
    return setting.budget;
}

/// Some room beside the first and the last setting.
std::string axis_range(const Panel& panel) {
    constexpr double room = 1.2;
    double least = position(panel.axis, panel.settings.front());
    double greatest = least;
    for (const Setting& setting : panel.settings) {
        least = std::min(least, position(panel.axis, setting));
        greatest = std::max(greatest, position(panel.axis, setting));
    }
    return fmt::format("set xrange [{}:{}]\n", least / room, greatest * room);
}

/// The marks of an axis with few places are those places; of others, powers of ten.
std::string axis_marks(const Panel& panel) {
    if (panel.axis == Axis::rows || panel.axis == Axis::budget) {
        return "set xtics auto format '10^{%L}'\n";
    }
    std::string marks;
    for (const Setting& setting : panel.settings) {
        marks += fmt::format("{}{}", marks.empty() ? "" : ",", position(panel.axis, setting));
    }
    return "set xtics (" + marks + ") format '%g'\n";
}

/// A named block of data for each contender: x, mean, lower and upper edge of the band, and the
/// published code's mean, or NaN.
std::string data_blocks(const Figure& figure, const std::vector<Result>& results) {
    std::string text;
    std::size_t first = 0;  // of the panel's settings
    for (std::size_t p = 0; p < figure.panels.size(); ++p) {
        const Panel& panel = figure.panels[p];
        for (std::size_t c = 0; c < figure.contenders.size(); ++c) {
            text += fmt::format("$p{}c{} << EOD\n", p, c);
            for (std::size_t s = 0; s < panel.settings.size(); ++s) {
                const Result& result = results[(first + s) * figure.contenders.size() + c];
                const auto theirs =
                    published_error(figure, panel.settings[s], figure.contenders[c]);
                // A band cannot reach zero on a logarithmic axis.
                const double lower =
                    std::max(result.mean_error - result.deviation, 0.1 * result.mean_error);
                text += fmt::format("{} {} {} {} {}\n", position(panel.axis, panel.settings[s]),
                                    result.mean_error, lower, result.mean_error + result.deviation,
                                    theirs ? fmt::format("{}", theirs->mean) : "NaN");
            }
            text += "EOD\n";
        }
        first += panel.settings.size();
    }
    return text;
}

/// Room for every mean of the panel, but not for those that may leave the frame. `results` are the
/// panel's.
std::string error_range(const Figure& figure, std::span<const Result> results) {
    constexpr double room = 1.5;
    double least = std::numeric_limits<double>::infinity();
    double greatest = 0.0;
    for (const Result& result : results) {
        if (result.mean_error > 0.0 && (!may_leave_frame(figure.contenders[result.contender]) ||
                                        figure.contenders.size() == 1)) {
            least = std::min(least, result.mean_error);
            greatest = std::max(greatest, result.mean_error);
        }
    }
    return greatest > 0.0 ? fmt::format("set yrange [{}:{}]\n", least / room, greatest * room)
                          : "set yrange [*:*]\n";
}

std::string panel_plot(const Figure& figure, std::size_t p) {
    std::string bands;
    std::string lines;
    for (std::size_t c = 0; c < figure.contenders.size(); ++c) {
        const std::string block = fmt::format("$p{}c{}", p, c);
        const Contender& contender = figure.contenders[c];
        const Style& style = style_of(contender);
        if (is_zero(contender)) {
            lines += fmt::format(
                ", {} using 1:2 with lines dashtype 2 linewidth 1.5 linecolor "
                "rgb '#777777'",
                block);
            continue;
        }
        bands += fmt::format(
            "{}{} using 1:3:4 with filledcurves fillstyle transparent solid 0.2 "
            "noborder linecolor rgb '{}'",
            bands.empty() ? "" : ", ", block, style.colour);
        lines += fmt::format(
            ", {0} using 1:2 with linespoints dashtype {4} linewidth 1.5 pointtype {2} "
            "pointsize 0.7 linecolor rgb '{1}', {0} using 1:5 with points "
            "pointtype {3} pointsize 1.5 linewidth 1.2 linecolor rgb '{1}'",
            block, style.colour, style.filled, style.empty, dashes_of(contender));
    }
    if (bands.empty()) {
        lines.erase(0, 2);
    }
    return "plot " + bands + lines + "\n";
}

bool shows_published_errors(const Figure& figure) {
    return std::any_of(figure.panels.begin(), figure.panels.end(), [&](const Panel& panel) {
        return std::any_of(panel.settings.begin(), panel.settings.end(), [&](const auto& setting) {
            return std::any_of(figure.contenders.begin(), figure.contenders.end(),
                               [&](const Contender& contender) {
                                   return published_error(figure, setting, contender).has_value();
                               });
        });
    });
}

/// The legend is a plot of its own, of nothing, under the panels.
std::string legend(const Figure& figure) {
    std::string text =
        "unset title\nunset xlabel\nunset ylabel\nunset border\nunset xtics\nunset ytics\n"
        "unset logscale\nunset grid\n"
        "set key center center horizontal maxcols 4 width 0 samplen 2.5 spacing 1.2 "
        "font ',11' nobox\nplot [0:1] [0:1] ";
    for (const Contender& contender : figure.contenders) {
        const Style& style = style_of(contender);
        text += is_zero(contender)
                    ? std::string("NaN with lines dashtype 2 linewidth 1.5 linecolor rgb '#777777'")
                    : fmt::format(
                          "NaN with linespoints dashtype {} linewidth 1.5 pointtype {} "
                          "pointsize 0.7 linecolor rgb '{}'",
                          dashes_of(contender), style.filled, style.colour);
        text += " title '" + title_of(contender) + "', ";
    }
    return text +
           (shows_published_errors(figure)
                ? "NaN with points pointtype 4 pointsize 1.5 linewidth 1.2 linecolor rgb '#000000' "
                  "title 'published code'\n"
                : "NaN notitle\n");
}

}  // namespace

std::string plot_script(const Figure& figure, const std::vector<Result>& results,
                        PlotFormat format) {
    const std::size_t count = figure.panels.size();
    const std::size_t columns = count == 4 ? 2 : std::min<std::size_t>(count, 3);
    const std::size_t rows = (count + columns - 1) / columns;
    const int width = std::max(least_width, panel_width * static_cast<int>(columns) + side_margin);
    const int height = panel_height * static_cast<int>(rows) + title_height + legend_height;
    std::string script = "set encoding utf8\n";
    script += format == PlotFormat::svg
                  ? fmt::format(
                        "set terminal svg size {},{} font 'Helvetica,12' background "
                        "rgb 'white'\n",
                        width, height)
                  : fmt::format(
                        "set terminal pngcairo size {},{} font 'Helvetica,12' background "
                        "rgb 'white'\n",
                        width, height);
    script += data_blocks(figure, results);
    script += fmt::format(
        "set multiplot layout {},{} margins screen {:.4f},{:.4f},{:.4f},{:.4f} spacing screen "
        "{:.4f},{:.4f} title '{}{}' font ',14' noenhanced\n",
        rows, columns, static_cast<double>(side_margin) / width, 1.0 - 15.0 / width,
        static_cast<double>(legend_height + 45) / height,
        1.0 - static_cast<double>(title_height + 20) / height, 50.0 / width, 75.0 / height,
        figure.name + ": " + figure.title, figure.quick ? " (quick)" : "");
    script +=
        "set logscale xy\nset format y '10^{%L}'\nset tics font ',10' nomirror\nset border 3\n"
        "set grid ytics linecolor rgb '#dddddd' linewidth 0.5\nunset key\nset offsets "
        "0.05,0.05,0,0\n";
    std::size_t first = 0;  // of the panel's results
    for (std::size_t p = 0; p < count; ++p) {
        const Panel& panel = figure.panels[p];
        const std::size_t size = panel.settings.size() * figure.contenders.size();
        script += error_range(figure, std::span(results).subspan(first, size));
        first += size;
        script +=
            fmt::format("set title '{}' font ',12' offset 0,-0.6\nset xlabel '{}' offset 0,0.5\n",
                        panel.title, axis_label(panel.axis, figure.pure));
        script +=
            p % columns == 0 ? "set ylabel 'mean Frobenius error' offset 1,0\n" : "unset ylabel\n";
        script += axis_range(panel) + axis_marks(panel) + panel_plot(figure, p);
    }
    script += fmt::format(
        "set lmargin screen 0.02\nset rmargin screen 0.98\nset bmargin screen 0.0\n"
        "set tmargin screen {:.4f}\n",
        static_cast<double>(legend_height) / height);
    return script + legend(figure) + "unset multiplot\n";
}

}  // namespace dpcov::research
