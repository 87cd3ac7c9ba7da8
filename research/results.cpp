#include "research/results.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <stdexcept>
#include <utility>

#include "research/published_errors.hpp"

namespace dpcov::research {
namespace {

double mean_of(const std::vector<double>& values) {
    double sum = 0.0;
    for (const double value : values) {
        sum += value;
    }
    return sum / static_cast<double>(values.size());
}

double deviation_of(const std::vector<double>& values, double mean) {
    if (values.size() < 2) {
        return 0.0;
    }
    double squares = 0.0;
    for (const double value : values) {
        squares += (value - mean) * (value - mean);
    }
    return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

/// `runs` in the order of their numbers, so that sums do not depend on who was ready first.
Result summarise_one(const std::map<int, const Run*>& runs, std::size_t setting,
                     std::size_t contender) {
    std::vector<double> errors;
    std::vector<double> seconds;
    std::vector<double> estimates;
    for (const auto& [number, run] : runs) {
        errors.push_back(run->error);
        seconds.push_back(run->seconds);
        if (run->estimated_error) {
            estimates.push_back(*run->estimated_error);
        }
    }
    const Run& any = *runs.begin()->second;
    const double mean = mean_of(errors);
    Result result{.setting = setting,
                  .contender = contender,
                  .n = any.n,
                  .runs = static_cast<int>(errors.size()),
                  .mean_error = mean,
                  .deviation = deviation_of(errors, mean),
                  .trace = any.trace,
                  .norm = any.norm,
                  .mean_seconds = mean_of(seconds),
                  .mean_estimated_error = {}};
    if (!estimates.empty()) {
        result.mean_estimated_error = mean_of(estimates);
    }
    return result;
}

std::string number(double value) {
    return fmt::format("{:.3g}", value);
}

/// "0.00275 (0.82)": ours, and its ratio to the published code's.
std::string beside(double ours, double theirs) {
    return fmt::format("{:.3g} ({:.2f})", ours, ours / theirs);
}

/// For each contender, whether the published code was measured anywhere in the figure.
std::vector<bool> have_published(const Figure& figure, const std::vector<Setting>& settings) {
    std::vector<bool> have(figure.contenders.size(), false);
    for (std::size_t i = 0; i < have.size(); ++i) {
        for (const Setting& setting : settings) {
            have[i] = have[i] || published_error(figure, setting, figure.contenders[i]);
        }
    }
    return have;
}

}  // namespace

std::vector<Result> summarise(const Figure& figure, int runs, const std::vector<Run>& made) {
    std::map<std::pair<std::size_t, std::string>, std::map<int, const Run*>> groups;
    for (const Run& run : made) {
        if (run.number < runs) {
            groups[{run.setting, run.contender}].emplace(run.number, &run);
        }
    }
    std::vector<Result> results;
    for (std::size_t setting = 0; setting < settings_of(figure).size(); ++setting) {
        for (std::size_t i = 0; i < figure.contenders.size(); ++i) {
            const auto& group = groups[{setting, name_of(figure.contenders[i])}];
            if (group.size() != static_cast<std::size_t>(runs)) {
                throw std::logic_error("a run is missing");
            }
            results.push_back(summarise_one(group, setting, i));
        }
    }
    return results;
}

std::string format_csv(const Figure& figure, const std::vector<Result>& results) {
    std::string text =
        "figure,mechanism,privacy,d,n,N,s,rho_or_eps,runs,mean_fro_error,std_fro_error,mean_trace,"
        "fro_norm_of_sigma,mean_seconds_of_mechanism,mean_estimated_error,data,quick\n";
    const std::vector<Setting> settings = settings_of(figure);
    for (const Result& result : results) {
        const Setting& setting = settings[result.setting];
        const DataSet& data = setting.data;
        const bool synthetic = data.source == Source::synthetic;
        text += fmt::format(
            "{},{},{},{},{},{},{},{},{},{:.6g},{:.3g},{:.6g},{:.6g},{:.4g},{},{},{}\n", figure.name,
            name_of(figure.contenders[result.contender]), figure.pure ? "pure" : "zcdp", data.d,
            result.n, synthetic ? std::to_string(data.bins) : "",
            synthetic ? fmt::format("{}", data.skew) : "", setting.budget, result.runs,
            result.mean_error, result.deviation, result.trace, result.norm, result.mean_seconds,
            result.mean_estimated_error ? fmt::format("{:.4g}", *result.mean_estimated_error) : "",
            name_of(data), figure.quick ? "yes" : "no");
    }
    return text;
}

std::string format_markdown(const Figure& figure, const std::vector<Result>& results) {
    const std::vector<Setting> settings = settings_of(figure);
    const std::vector<bool> theirs = have_published(figure, settings);
    const bool synthetic = settings.front().data.source == Source::synthetic;
    std::string head = fmt::format("| {}d | n | {}{} |", synthetic ? "" : "data | ",
                                   synthetic ? "N | " : "", figure.pure ? "ε" : "ρ");
    for (std::size_t i = 0; i < figure.contenders.size(); ++i) {
        head += theirs[i] ? fmt::format(" {}: theirs |", figure.contenders[i].method) : "";
        head += fmt::format(" {} |", name_of(figure.contenders[i]));
    }
    std::string text = head + "\n|";
    for (const char c : head) {
        text += c == '|' ? "---|" : "";
    }
    text.resize(text.size() - 4);  // the first | opens the line
    for (std::size_t at = 0; at < results.size(); at += figure.contenders.size()) {
        const Setting& setting = settings[results[at].setting];
        const DataSet& data = setting.data;
        text += fmt::format("\n| {}{} | {} | {}{} |", synthetic ? "" : name_of(data) + " | ",
                            data.d, results[at].n, synthetic ? fmt::format("{} | ", data.bins) : "",
                            setting.budget);
        for (std::size_t i = 0; i < figure.contenders.size(); ++i) {
            const double ours = results[at + i].mean_error;
            const auto other = published_error(figure, setting, figure.contenders[i]);
            if (theirs[i]) {
                text += fmt::format(" {} |", other ? number(other->mean) : "");
            }
            text += fmt::format(" {} |", other ? beside(ours, other->mean) : number(ours));
        }
    }
    return text + "\n";
}

}  // namespace dpcov::research
