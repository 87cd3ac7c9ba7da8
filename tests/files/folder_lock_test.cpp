// One at a time in a folder: threads with descriptors of their own, and processes.
#include "files/folder_lock.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "dpcov/error.hpp"
#include "tables/table_support.hpp"

namespace dpcov::test {
namespace {

constexpr int workers = 4;
constexpr int rounds = 25;

// Reads a number, takes its time, and puts back one more.
void count_up(const std::string& path) {
    const int found = std::stoi(read_file(path));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    write_file(path, std::to_string(found + 1));
}

// A child that ends without tests of its own.
pid_t in_child(const std::function<void()>& action) {
    const pid_t child = ::fork();
    if (child == 0) {
        try {
            action();
        } catch (...) {
            ::_exit(1);
        }
        ::_exit(0);
    }
    return child;
}

int status_of(pid_t child) {
    int status = -1;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return status;
}

class FolderLocks : public testing::Test {
protected:
    void SetUp() override { write_file(counter_, "0"); }

    [[nodiscard]] int counted() const { return std::stoi(read_file(counter_)); }

    const TemporaryFolder folder_;                     // NOLINT(readability-identifier-naming)
    const std::string counter_ = folder_ / "counter";  // NOLINT(readability-identifier-naming)
};

TEST_F(FolderLocks, ThreadsWaitForEachOther) {
    std::vector<std::thread> threads;
    for (int i = 0; i < workers; ++i) {
        threads.emplace_back([this] {
            for (int round = 0; round < rounds; ++round) {
                const FolderLock alone(counter_);
                count_up(counter_);
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(counted(), workers * rounds);
}

TEST_F(FolderLocks, ProcessesWaitForEachOther) {
    std::vector<pid_t> children;
    for (int i = 0; i < workers; ++i) {
        children.push_back(in_child([this] {
            for (int round = 0; round < rounds; ++round) {
                const FolderLock alone(counter_);
                count_up(counter_);
            }
        }));
    }
    for (const pid_t child : children) {
        EXPECT_EQ(status_of(child), 0);
    }
    EXPECT_EQ(counted(), workers * rounds);
    EXPECT_EQ(folder_.names(), std::vector<std::string>{"counter"}) << "a lock leaves no file";
}

// Held by one name, it keeps out whoever comes by a link to it. Controls: the holder sees no change
// while it waits, another folder is free, and the lock is had once the holder lets go.
TEST_F(FolderLocks, KeepOutUntilTheyAreGivenBack) {
    std::filesystem::create_directory(folder_ / "other");
    std::filesystem::create_symlink(counter_, folder_ / "other/link");
    // Begun before the lock is taken: a child would inherit the descriptor, and with it the lock.
    const pid_t child = in_child([this] {
        while (!std::filesystem::exists(folder_ / "other/go")) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        const FolderLock alone(folder_ / "other/link");
        count_up(counter_);
    });
    auto held = std::make_unique<FolderLock>(counter_);
    write_file(folder_ / "other/go", "");
    const pid_t elsewhere =
        in_child([this] { const FolderLock alone(folder_ / "other/nothing yet"); });
    EXPECT_EQ(status_of(elsewhere), 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, WNOHANG), 0) << "it did not wait";
    EXPECT_EQ(counted(), 0);
    held.reset();
    EXPECT_EQ(status_of(child), 0);
    EXPECT_EQ(counted(), 1);
}

// Whoever waits for a while knows whether it holds the lock then. Control: one that is free.
TEST_F(FolderLocks, AreSaidNotToBeHad) {
    constexpr std::chrono::milliseconds patience{50};
    auto held = std::make_unique<FolderLock>(counter_);
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_FALSE(FolderLock::within(counter_, patience));
    EXPECT_GE(std::chrono::steady_clock::now() - begin, patience);
    held.reset();
    const auto after = FolderLock::within(counter_, patience);
    EXPECT_TRUE(after);
    EXPECT_FALSE(FolderLock::within(counter_, patience)) << "the one before is a lock";
}

// What interrupts the waiting is no failure of the lock.
TEST_F(FolderLocks, AreWaitedForWhateverSignalsCome) {
    struct sigaction action {};
    struct sigaction before {};
    action.sa_handler = [](int) {};
    ASSERT_EQ(::sigaction(SIGALRM, &action, &before), 0);
    const itimerval often{.it_interval = {0, 1000}, .it_value = {0, 1000}};
    const itimerval never{};
    const FolderLock held(counter_);
    ASSERT_EQ(::setitimer(ITIMER_REAL, &often, nullptr), 0);
    std::optional<FolderLock> lock;
    EXPECT_NO_THROW(lock = FolderLock::within(counter_, std::chrono::milliseconds(100)));
    ASSERT_EQ(::setitimer(ITIMER_REAL, &never, nullptr), 0);
    ::sigaction(SIGALRM, &before, nullptr);
    EXPECT_FALSE(lock);
}

TEST_F(FolderLocks, EndWithTheProcess) {
    const pid_t child = in_child([this] {
        const FolderLock alone(counter_);
        write_file(counter_, "1");
        ::pause();
    });
    while (read_file(counter_) != "1") {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ::kill(child, SIGKILL);
    EXPECT_TRUE(WIFSIGNALED(status_of(child)));
    EXPECT_NO_THROW(FolderLock{counter_});
}

TEST_F(FolderLocks, NeedAFolder) {
    expect_error<DeviceError>([&] { const FolderLock alone(folder_ / "none/file"); },
                              {"cannot lock the folder", "none/file"});
    expect_error<DeviceError>(
        [&] {
            static_cast<void>(
                FolderLock::within(folder_ / "none/file", std::chrono::milliseconds(10)));
        },
        {"cannot lock the folder", "none/file", "No such file"});
}

}  // namespace
}  // namespace dpcov::test
