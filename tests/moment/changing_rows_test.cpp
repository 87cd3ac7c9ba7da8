// Rows that change while they are added, as where another thread writes to them: when the last page
// is read, which holds a bad row, a signal changes the first row and lets go on.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "dpcov/error.hpp"
#include "moment/refused_row.hpp"
#include "moment/secret_moment.hpp"

namespace dpcov {
namespace {

constexpr std::size_t width = 8;
constexpr std::size_t values_of_rows = width << 14U;  // two chunks of rows, and a page

class ChangingRows {
public:
    // The first value of the first row becomes `then`.
    explicit ChangingRows(double then) {
        becomes_ = then;
        values_ = static_cast<double*>(
            ::mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        for (std::size_t i = 0; i < bytes() / sizeof(double); ++i) {
            values_[i] = 0.25;
        }
        values_[values_of_rows + 1] = std::numeric_limits<double>::quiet_NaN();
        ::mprotect(values_ + values_of_rows, page(), PROT_NONE);
        struct sigaction on_read {};
        on_read.sa_handler = [](int) {
            values_[0] = becomes_;
            ::mprotect(values_ + values_of_rows, page(), PROT_READ | PROT_WRITE);
        };
        ::sigaction(SIGSEGV, &on_read, &before_);
    }
    ~ChangingRows() {
        ::sigaction(SIGSEGV, &before_, nullptr);
        ::munmap(values_, bytes());
    }
    ChangingRows(const ChangingRows&) = delete;
    ChangingRows& operator=(const ChangingRows&) = delete;

    [[nodiscard]] std::span<const double> values() const {
        return {values_, bytes() / sizeof(double)};
    }

private:
    static std::size_t page() { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }
    static std::size_t bytes() { return values_of_rows * sizeof(double) + page(); }

    // A handler of signals is given nothing.
    static inline double* values_ = nullptr;
    static inline double becomes_ = 0.0;
    struct sigaction before_ {};
};

std::string message_of_changing(detail::SecretMoment& moment, const ChangingRows& rows) {
    try {
        moment.add(rows.values());
    } catch (const DataError& error) {
        return error.what();
    }
    return "nothing";
}

TEST(ChangingRows, LeaveAnEmptyMomentWhereTheyCannotBeTakenOut) {
    // No number any more; in another bin of norms, where there are no rows to take away.
    for (const double then : {std::numeric_limits<double>::quiet_NaN(), 0.9}) {
        detail::SecretMoment moment({.columns = width, .norm_bound = 1.0});
        const detail::SecretMoment empty = moment;
        moment.add(std::vector<double>(width, 0.25));
        const ChangingRows rows(then);
        const std::string message = message_of_changing(moment, rows);
        EXPECT_NE(message.find("changed while they were added"), std::string::npos) << message;
        EXPECT_TRUE(moment == empty);
    }
}

// The control: what did not change is taken out, and the bad row is named.
TEST(ChangingRows, ThatDidNotChangeAreTakenOut) {
    detail::SecretMoment moment({.columns = width, .norm_bound = 1.0});
    moment.add(std::vector<double>(width, 0.25));
    const detail::SecretMoment before = moment;
    const ChangingRows rows(0.25);
    const std::string message = message_of_changing(moment, rows);
    EXPECT_EQ(message.substr(0, 19), "row 16385, column 1") << message;
    EXPECT_TRUE(moment == before);
}

// A value that is a number again when it is looked for: then none is named, nor read beyond the
// row.
TEST(ChangingRows, ThatAreFiniteAgainNameNoColumn) {
    const auto message = [](const SparseRow& row) {
        try {
            detail::refuse_row(4, row);
        } catch (const DataError& error) {
            return std::string(error.what());
        }
    };
    std::vector<double> values = {0.25, 0.5};
    const std::vector<std::uint32_t> places = {3, 7};
    for (const SparseRow& row : {SparseRow{.columns = {}, .values = values},
                                 SparseRow{.columns = places, .values = values}}) {
        EXPECT_EQ(message(row).substr(0, 46), "the rows changed while they were added; nobody")
            << row.columns.size();
    }
    values[1] = std::numeric_limits<double>::infinity();
    EXPECT_EQ(message({.columns = {}, .values = values}).substr(0, 15), "row 5, column 1");
    EXPECT_EQ(message({.columns = places, .values = values}).substr(0, 15), "row 5, column 7");
}

}  // namespace
}  // namespace dpcov
