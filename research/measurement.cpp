#include "research/measurement.hpp"

#include <cblas.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <tuple>

#include "dpcov/error.hpp"
#include "mechanism/run_method.hpp"
#include "random/random_source.hpp"
#include "research/fingerprint.hpp"
#include "research/tables.hpp"

namespace dpcov::research {
namespace {

using RunKey = std::tuple<std::size_t, std::string, int>;

/// A run still to be made.
struct Task {
    std::size_t setting = 0;
    const Contender* contender = nullptr;
    int number = 0;
};

// Rough costs in arithmetic operations, for the time left: d^3 for a release, the noise of d^2
// entries dear, and d^2 for each row of a table.
double cost_of(const Contender& contender, const DataSet& data) {
    const auto d = static_cast<double>(data.d);
    const double many = contender.method == "em"          ? 6.0
                        : contender.method == "coinpress" ? 4.0
                                                          : 1.0;
    return contender.method == "zero" ? 1.0 : 1e4 + 50.0 * d * d + many * d * d * d;
}

double cost_of(const DataSet& data) {
    constexpr double rows_where_unknown = 10000.0;
    const auto d = static_cast<double>(data.d);
    return d * d * (data.n > 0 ? static_cast<double>(data.n) : rows_where_unknown);
}

/// Tells how far it is, from several threads.
class Reporter {
public:
    Reporter(const MeasurementOptions& options, std::size_t done, std::size_t wanted, double work)
        : options_(options), advance_{.done = done, .wanted = wanted}, work_(work), left_(work) {}

    void start(const std::string& what) {
        const std::lock_guard lock(mutex_);
        advance_.at = what;
        tell();
    }

    void finish(double work, std::size_t runs) {
        const std::lock_guard lock(mutex_);
        left_ -= work;
        advance_.done += runs;
        tell();
    }

private:
    void tell() {
        advance_.share_left = work_ > 0.0 ? std::max(0.0, left_ / work_) : 0.0;
        if (options_.report) {
            options_.report(advance_);
        }
    }

    const MeasurementOptions& options_;
    std::mutex mutex_;
    Advance advance_;
    double work_;
    double left_;
};

Run release_once(const Figure& figure, const Setting& setting, const PreparedTable& table,
                 const Task& task) {
    ReleaseOptions options;
    options.variant = task.contender->variant;
    const std::string name = name_of(*task.contender);
    SeededRandomSource random(static_cast<std::uint64_t>(task.number),
                              fingerprint(describe(figure, setting) + " " + name));
    const Method& method = find_method(task.contender->method);
    if (method.takes_steps) {
        options.steps = task.contender->steps;
    }
    const auto start = std::chrono::steady_clock::now();
    const Release release =
        detail::run_method(method, table.moment, budget_of(figure, setting), options, random);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    return {.setting = task.setting,
            .contender = name,
            .number = task.number,
            .n = table.moment.rows(),
            .trace = table.covariance.trace(),
            .norm = table.covariance.norm(),
            .error = (release.covariance - table.covariance).norm(),
            .estimated_error = release.estimated_frobenius_error,
            .seconds = seconds.count()};
}

/// Runs found in the log must have been made on this table: all of them, or those of one number.
void check_same_table(const RunLog& log, const std::vector<Setting>& settings, const DataSet& data,
                      const PreparedTable& table, std::optional<int> number) {
    const double norm = table.covariance.norm();
    for (const Run& run : log.runs()) {
        if (number && run.number != *number) {
            continue;
        }
        const bool same = run.n == table.moment.rows() && run.norm == norm;
        if (run.setting < settings.size() && settings[run.setting].data == data && !same) {
            throw UsageError(
                "the data are not those that the runs found at --out were made with; choose "
                "another --out, or remove its .runs.csv to begin anew");
        }
    }
}

/// All tasks on one table, by several threads; the first failure ends it and is thrown.
void make_runs(const Figure& figure, const std::vector<Setting>& settings,
               const PreparedTable& table, const std::vector<Task>& tasks, unsigned threads,
               RunLog& log, Reporter& reporter) {
    std::atomic<std::size_t> next = 0;
    std::mutex failure_mutex;
    std::exception_ptr failure;
    const auto work = [&] {
        try {
            for (std::size_t i = next++; i < tasks.size(); i = next++) {
                const Setting& setting = settings[tasks[i].setting];
                log.append(release_once(figure, setting, table, tasks[i]));
                reporter.finish(cost_of(*tasks[i].contender, setting.data), 1);
            }
        } catch (...) {
            next = tasks.size();
            const std::lock_guard lock(failure_mutex);
            failure = failure ? failure : std::current_exception();
        }
    };
    {
        std::vector<std::jthread> helpers;
        for (unsigned i = 1; i < std::min<std::size_t>(threads, tasks.size()); ++i) {
            helpers.emplace_back(work);
        }
        work();
    }
    if (failure) {
        std::rethrow_exception(failure);
    }
}

}  // namespace

void measure(const Figure& figure, const MeasurementOptions& options, RunLog& log) {
    openblas_set_num_threads(1);
    std::set<RunKey> made;
    for (const Run& run : log.runs()) {
        made.emplace(run.setting, run.contender, run.number);
    }
    const std::vector<Setting> settings = settings_of(figure);
    std::vector<std::vector<Task>> by_table;  // settings of equal data are adjacent
    double work = 0.0;
    std::size_t done = 0;
    for (std::size_t index = 0; index < settings.size(); ++index) {
        const DataSet& data = settings[index].data;
        if (index == 0 || !(data == settings[index - 1].data)) {
            by_table.emplace_back();
        }
        for (const Contender& contender : figure.contenders) {
            for (int number = 0; number < options.runs; ++number) {
                if (made.contains({index, name_of(contender), number})) {
                    ++done;
                    continue;
                }
                work += cost_of(contender, data) + (by_table.back().empty() ? cost_of(data) : 0.0);
                by_table.back().push_back({index, &contender, number});
            }
        }
    }
    const std::size_t wanted =
        settings.size() * figure.contenders.size() * static_cast<std::size_t>(options.runs);
    Reporter reporter(options, done, wanted, work);
    const auto make = [&](const std::vector<Task>& tasks, std::optional<int> number) {
        if (tasks.empty()) {
            return;
        }
        const Setting& first = settings[tasks.front().setting];
        reporter.start(describe(figure, first));
        DataSet drawn = first.data;
        drawn.seed = number ? static_cast<std::uint64_t>(*number) + 1 : drawn.seed;
        const PreparedTable table = prepare_table(drawn, options.data_folder, options.threads);
        check_same_table(log, settings, first.data, table, number);
        reporter.finish(cost_of(first.data), 0);
        make_runs(figure, settings, table, tasks, options.threads, log, reporter);
    };
    for (const std::vector<Task>& tasks : by_table) {
        if (!options.fresh_tables) {
            make(tasks, std::nullopt);
            continue;
        }
        for (int number = 0; number < options.runs; ++number) {
            std::vector<Task> of_number;
            std::copy_if(tasks.begin(), tasks.end(), std::back_inserter(of_number),
                         [&](const Task& task) { return task.number == number; });
            make(of_number, number);
        }
    }
}

}  // namespace dpcov::research
