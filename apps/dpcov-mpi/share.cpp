#include "share.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "add_rows.hpp"
#include "dpcov/error.hpp"
#include "dpcov/table.hpp"
#include "estimate_input.hpp"
#include "moment_files.hpp"
#include "tables/lower_case.hpp"
#include "targets.hpp"

namespace dpcov {
namespace {

/// Tables that lie one behind the other; the same as a table of all of their rows. Each is opened
/// when the one before has been read.
class TablesInOrder : public TableReader {
public:
    explicit TablesInOrder(const std::vector<EstimateArguments>& tables)
        : tables_(tables), now_(open_input(tables.front())), schema_(now_->schema()) {}

    [[nodiscard]] std::size_t columns() const noexcept override { return columns_; }
    [[nodiscard]] const Schema& schema() const noexcept override { return schema_; }
    [[nodiscard]] std::optional<std::uint64_t> row_count_hint() const noexcept override {
        return tables_.size() == 1 ? now_->row_count_hint() : std::nullopt;
    }

    std::size_t read(std::span<double> rows) override {
        for (;;) {
            if (const std::size_t count = now_->read(rows); count > 0) {
                return count;
            }
            if (next_ == tables_.size()) {
                return 0;
            }
            const EstimateArguments& table = tables_[next_++];
            now_ = open_input(table);
            if (now_->columns() != columns_ || now_->schema() != schema_) {
                require_same_layout({.columns = now_->columns(), .schema = now_->schema()},
                                    table.table.input, {.columns = columns_, .schema = schema_},
                                    tables_.front().table.input);
            }
        }
    }

private:
    const std::vector<EstimateArguments>& tables_;
    std::size_t next_ = 1;
    std::unique_ptr<TableReader> now_;
    Schema schema_;
    std::size_t columns_ = now_->columns();
};

bool is_pipe(const std::string& path) {
    std::error_code unknown;
    return std::filesystem::exists(path, unknown) &&
           !std::filesystem::is_regular_file(path, unknown);
}

using FileIdentity = std::pair<dev_t, ino_t>;

/// None where there is no such file.
std::optional<FileIdentity> identity_of(const std::string& path) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0
               ? std::optional(FileIdentity(status.st_dev, status.st_ino))
               : std::nullopt;
}

std::string without_compression(const std::string& path) {
    constexpr std::string_view compressed = ".gz";
    return in_lower_case(path).ends_with(compressed)
               ? path.substr(0, path.size() - compressed.size())
               : path;
}

}  // namespace

void refuse_inputs_that_come_twice(const std::vector<std::string>& inputs) {
    std::map<FileIdentity, std::string> seen;
    for (const std::string& input : inputs) {
        if (const auto file = identity_of(input)) {
            const auto [first, is_new] = seen.try_emplace(*file, input);
            if (!is_new) {
                throw UsageError("INPUT: '" + input + "' and '" + first->second +
                                 "' are one file; its people would count twice");
            }
        }
    }
    // By name, too: not every file need be there for who asks.
    const std::set<std::string> names(inputs.begin(), inputs.end());
    for (const std::string& input : inputs) {
        const std::string plain = without_compression(input);
        if (plain == input) {
            continue;
        }
        const auto file = identity_of(plain);
        if (names.contains(plain) || (file && seen.contains(*file))) {
            throw UsageError("INPUT: '" + input + "' stands beside '" +
                             (names.contains(plain) ? plain : seen.at(*file)) +
                             "'; of a file and what it was compressed to name one, for people "
                             "would count twice");
        }
    }
}

void refuse_standard_input(const std::string& input) {
    struct stat own {};
    struct stat standard {};
    if (input == standard_stream_word ||
        (::stat(input.c_str(), &own) == 0 && ::fstat(STDIN_FILENO, &standard) == 0 &&
         own.st_dev == standard.st_dev && own.st_ino == standard.st_ino)) {
        throw UsageError("INPUT: ranks have no standard input in common; name files");
    }
}

void require_same_layout(const MomentLayout& one, const std::string& name,
                         const MomentLayout& other, const std::string& other_name) {
    const std::string what = difference(one, other);
    if (!what.empty()) {
        MomentLayout of_same_data = one;
        of_same_data.dataset = other.dataset;
        const bool of_datasets = of_same_data == other;
        throw UsageError("INPUT: '" + name + "' is no part of the table of '" + other_name +
                         "': it " + what +
                         (of_datasets ? "; say with --dataset whose rows tables hold" : ""));
    }
}

Share::Share(std::vector<EstimateArguments> inputs) {
    std::string first;
    MomentLayout of_table;  // as the last table asks for it
    for (EstimateArguments& input : inputs) {
        const std::string name = input.table.input;
        std::optional<MomentLayout> layout;
        if (is_moment_path(name)) {
            layout = read_moment(input).layout();
        } else if (!is_pipe(name)) {
            MomentLayout asked = layout_of(input, *open_input(input));
            if (asked != of_table) {  // a moment is large: one for all that are alike
                layout = SecondMoment(asked).layout();
                of_table = std::move(asked);
            }
        }
        if (layout && layout_) {
            require_same_layout(*layout, name, *layout_, first);
        } else if (layout) {
            layout_ = std::move(layout);
            first = name;
        }
        (is_moment_path(name) ? moments_ : tables_).push_back(std::move(input));
    }
    name_ = std::move(first);
}

std::optional<SecondMoment> Share::read() const {
    std::optional<SecondMoment> sum;
    if (!tables_.empty()) {
        const EstimateArguments& arguments = tables_.front();
        Progress progress(arguments.running);
        TablesInOrder rows(tables_);
        sum.emplace(empty_moment(arguments, rows));
        add_rows(rows, *sum, arguments.running.threads, progress, rows_shown(arguments));
    }
    for (const EstimateArguments& moment : moments_) {
        SecondMoment part = read_moment(moment);
        if (sum) {
            sum->merge(part);
        } else {
            sum.emplace(std::move(part));
        }
    }
    return sum;
}

}  // namespace dpcov
