// Rows that change while they are added, as where another thread writes to them: when the last page
// is read, which holds a bad row, a signal changes the first row and lets go on.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "dpcov/error.hpp"
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

// A value that is a number again when its place is looked for: then none is named. (Looked for to
// the end and beyond, the place behind the row was named in 1 of 200 additions.)
TEST(ChangingRows, NameNoColumnBeyondTheirEnd) {
    detail::SecretMoment moment({.columns = width, .norm_bound = 1.0});
    std::vector<double> row(width, 0.25);
    std::atomic<bool> done = false;
    std::thread writer([&] {
        const std::atomic_ref<double> last(row.back());
        while (!done) {
            last = std::numeric_limits<double>::quiet_NaN();
            last = 0.25;
        }
    });
    int named = 0;
    for (int addition = 0; addition < 20'000; ++addition) {
        try {
            moment.add(row);
        } catch (const DataError& error) {
            const std::string message = error.what();
            const bool is_last = message.find("column 7 ") != std::string::npos;
            named += is_last ? 1 : 0;
            EXPECT_TRUE(is_last ||
                        message.find("changed while they were added") != std::string::npos)
                << message;
        }
    }
    done = true;
    writer.join();
    EXPECT_GT(named, 0);
}

}  // namespace
}  // namespace dpcov
