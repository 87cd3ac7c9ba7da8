// What is on the disk when: fsync() here is the test's own, and says what was there when it came.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "dpcov/ledger.hpp"
#include "files/atomic_file.hpp"
#include "files/descriptor.hpp"
#include "files/output_set.hpp"
#include "support/temporary_folder.hpp"

namespace {

struct Synchronised {
    bool folder = false;
    bool held = false;  ///< what `holds` said then
};
std::vector<Synchronised>* record = nullptr;
std::function<bool()> holds = [] { return false; };
int interruptions = 0;

int synchronise(int descriptor) {
    if (interruptions > 0) {
        --interruptions;
        errno = EINTR;
        return -1;
    }
    if (record != nullptr) {
        struct stat status {};
        const bool folder = ::fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode);
        record->push_back({.folder = folder, .held = holds()});
    }
    return static_cast<int>(::syscall(SYS_fsync, descriptor));
}

}  // namespace

// In place of the C library's.
extern "C" int fsync(
    int descriptor) {  // NOLINT(readability-inconsistent-declaration-parameter-name)
    return synchronise(descriptor);
}

namespace dpcov::test {
namespace {

// What is synchronised by `act`, and whether `held` then.
std::vector<Synchronised> synchronised_by(const std::function<bool()>& held,
                                          const std::function<void()>& act) {
    std::vector<Synchronised> found;
    holds = held;
    record = &found;
    act();
    record = nullptr;
    return found;
}

// A file's bytes before it has its name, and its name before it is said to be there.
TEST(Synchronised, AFileIsBeforeItsNameAndThenItsFolder) {
    const TemporaryFolder folder;
    const auto is_there = [&] { return std::filesystem::exists(folder / "out"); };
    const auto found = synchronised_by(is_there, [&] {
        AtomicFile file(folder / "out");
        file.write("text");
        file.commit();
    });
    ASSERT_GE(found.size(), 2U);
    EXPECT_FALSE(found.front().folder);
    EXPECT_FALSE(found.front().held);
    EXPECT_TRUE(found.back().folder);
    EXPECT_TRUE(found.back().held);
}

TEST(Synchronised, AFileThatIsTakenBackIsGoneForGood) {
    const TemporaryFolder folder;
    const auto is_there = [&] { return std::filesystem::exists(folder / "out"); };
    AtomicFile file(folder / "out");
    file.write("text");
    file.commit_reversibly();
    const auto found = synchronised_by(is_there, [&] { file.take_back(); });
    ASSERT_FALSE(found.empty());
    EXPECT_TRUE(found.back().folder);
    EXPECT_FALSE(found.back().held);
}

// A disk that is full, or fails, says so before anything was given out that cannot be taken back.
TEST(Synchronised, FilesAreBeforeWhatGoesToAPipe) {
    const TemporaryFolder folder;
    { AtomicFile(folder / "log").commit(); }
    const Descriptor log(::open((folder / "log").c_str(), O_WRONLY | O_CLOEXEC));
    const auto is_written = [&] { return std::filesystem::file_size(folder / "log") > 0; };
    OutputSet outputs;
    outputs.add("/proc/self/fd/" + std::to_string(log.get()), "direct");
    outputs.add(folder / "out", "text");
    const auto found = synchronised_by(is_written, [&] { outputs.commit(); });
    ASSERT_FALSE(found.empty());
    EXPECT_FALSE(found.front().folder);
    EXPECT_FALSE(found.front().held);
    EXPECT_TRUE(found.back().folder);
    EXPECT_TRUE(is_written());
}

TEST(Synchronised, InterruptionsAreNoFailure) {
    const TemporaryFolder folder;
    interruptions = 3;
    AtomicFile file(folder / "out");
    file.write("text");
    EXPECT_NO_THROW(file.commit());
    EXPECT_EQ(interruptions, 0);
}

// A folder that cannot be synchronised would be found out after the charge: it is tried before. And
// the last thing is that the folder has lost the journal, which would undo the charge.
TEST(Synchronised, ALedgersFolderIsBeforeAndAfterACharge) {
    const TemporaryFolder folder;
    Ledger ledger(folder / "ledger", Ledger::IfMissing::create);
    ledger.declare("a", Rho(1.0));
    const auto journal_is_there = [&] {
        return std::filesystem::exists(folder / "ledger-journal");
    };
    const auto found = synchronised_by(journal_is_there, [&] {
        ledger.charge({.dataset = "a", .spent = Rho(0.1), .method = "gauss"});
    });
    ASSERT_GE(found.size(), 2U);  // and SQLite's, if it calls fsync()
    EXPECT_TRUE(found.front().folder);
    EXPECT_FALSE(found.front().held);
    EXPECT_TRUE(found.back().folder);
    EXPECT_FALSE(found.back().held);
}

}  // namespace
}  // namespace dpcov::test
