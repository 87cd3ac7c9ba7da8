// What is on the disk when: fsync(), close(), link() and the renames here are the test's own. They
// say what was there when they came, or fail as the system's do on other machines. So do read(),
// pread() and write(), of signals.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "dpcov/error.hpp"
#include "dpcov/ledger.hpp"
#include "files/atomic_file.hpp"
#include "files/byte_stream.hpp"
#include "files/descriptor.hpp"
#include "files/output_set.hpp"
#include "support/temporary_folder.hpp"
#include "tables/table_support.hpp"

namespace {

struct Synchronised {
    bool folder = false;
    bool held = false;  ///< what `holds` said then
};
std::vector<Synchronised>* record = nullptr;
std::function<bool()> holds = [] { return false; };

// Of the calls that come next.
int interruptions = 0;  // of fsync()
int interrupted_reads = 0;
int interrupted_writes = 0;
int error_of_folders = 0;  // that fsync() gives; 0: none

bool is_interrupted(int& more) {
    if (more > 0) {
        --more;
        errno = EINTR;
        return true;
    }
    return false;
}

int synchronise(int descriptor) {
    if (is_interrupted(interruptions)) {
        return -1;
    }
    struct stat status {};
    const bool folder = ::fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode);
    if (record != nullptr) {
        record->push_back({.folder = folder, .held = holds()});
    }
    if (folder && error_of_folders != 0) {
        errno = error_of_folders;
        return -1;
    }
    return static_cast<int>(::syscall(SYS_fsync, descriptor));
}

bool no_exchange = false;         // as on NFS
bool no_second_name = false;      // as on FAT, or where the file is another user's
int renames_before_failure = -1;  // below 0: none fails
bool answer_is_lost = false;      // of the one that fails: it is done all the same
std::function<void()> before_rename = [] {};

int rename_as_told(const char* from, const char* to) {
    before_rename();
    const bool fails = renames_before_failure == 0;
    if (renames_before_failure >= 0) {
        --renames_before_failure;
    }
    const int status =
        fails && !answer_is_lost
            ? -1
            : static_cast<int>(::syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
    if (fails) {
        errno = EIO;
        return -1;
    }
    return status;
}

bool close_is_interrupted = false;

}  // namespace

// In place of the C library's.
// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name)
extern "C" int fsync(int descriptor) {
    return synchronise(descriptor);
}

extern "C" int rename(const char* from, const char* to) noexcept {
    return rename_as_told(from, to);
}

extern "C" int renameat2(int from_folder, const char* from, int to_folder, const char* to,
                         unsigned int flags) noexcept {
    if (no_exchange) {
        errno = EINVAL;
        return -1;
    }
    return static_cast<int>(::syscall(SYS_renameat2, from_folder, from, to_folder, to, flags));
}

extern "C" int link(const char* from, const char* to) noexcept {
    if (no_second_name) {
        errno = EPERM;
        return -1;
    }
    return static_cast<int>(::syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0));
}

extern "C" ssize_t read(int descriptor, void* into, std::size_t size) {
    return is_interrupted(interrupted_reads) ? -1 : ::syscall(SYS_read, descriptor, into, size);
}

extern "C" ssize_t pread(int descriptor, void* into, std::size_t size, off_t offset) {
    return is_interrupted(interrupted_reads)
               ? -1
               : ::syscall(SYS_pread64, descriptor, into, size, offset);
}

extern "C" ssize_t write(int descriptor, const void* from, std::size_t size) {
    return is_interrupted(interrupted_writes) ? -1 : ::syscall(SYS_write, descriptor, from, size);
}

extern "C" int close(int descriptor) {
    const int status = static_cast<int>(::syscall(SYS_close, descriptor));
    if (close_is_interrupted) {
        errno = EINTR;
        return -1;
    }
    return status;
}
// NOLINTEND(readability-inconsistent-declaration-parameter-name)

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

TEST(Synchronised, InterruptedReadsAndWritesGoOn) {
    const TemporaryFolder folder;
    AtomicFile file(folder / "out");
    interrupted_writes = 3;
    EXPECT_NO_THROW(file.write("text"));
    EXPECT_EQ(interrupted_writes, 0);
    file.commit();
    EXPECT_EQ(read_file(folder / "out"), "text");
    const auto stream = open_file_stream(folder / "out");
    std::array<unsigned char, 4> bytes{};
    for (const bool in_order : {true, false}) {
        bytes.fill(0);
        interrupted_reads = 3;
        if (in_order) {
            EXPECT_EQ(stream->read(bytes), bytes.size());
        } else {
            EXPECT_NO_THROW(stream->read_at(0, bytes));
        }
        EXPECT_EQ(interrupted_reads, 0);
        EXPECT_EQ(std::string(bytes.begin(), bytes.end()), "text");
    }
}

TEST(Synchronised, AFileThatIsClosedWhenASignalComesIsWhole) {
    const TemporaryFolder folder;
    AtomicFile file(folder / "out");
    file.write("text");
    close_is_interrupted = true;
    EXPECT_NO_THROW(file.commit());
    close_is_interrupted = false;
    EXPECT_EQ(read_file(folder / "out"), "text");
}

class WithoutExchange : public testing::Test {
protected:
    WithoutExchange() {
        write_file(first(), "first, before");
        write_file(second(), "second, before");
        no_exchange = true;
        before_rename = [this] {
            EXPECT_TRUE(std::filesystem::exists(first()));
            EXPECT_TRUE(std::filesystem::exists(second()));
        };
    }
    ~WithoutExchange() override {
        no_exchange = false;
        no_second_name = false;
        renames_before_failure = -1;
        answer_is_lost = false;
        before_rename = [] {};
    }

    [[nodiscard]] std::string first() const { return folder_ / "first"; }
    [[nodiscard]] std::string second() const { return folder_ / "second"; }
    [[nodiscard]] std::size_t files() const {
        const std::filesystem::directory_iterator all(folder_ / "");
        return static_cast<std::size_t>(std::distance(begin(all), end(all)));
    }
    // Of both files together.
    void replace() const {
        OutputSet outputs;
        outputs.add(first(), "first, after");
        outputs.add(second(), "second, after");
        outputs.commit();
    }

private:
    TemporaryFolder folder_;
};

TEST_F(WithoutExchange, AFileIsNeverAbsentFromItsName) {
    replace();
    EXPECT_EQ(read_file(first()), "first, after");
    EXPECT_EQ(read_file(second()), "second, after");
    EXPECT_EQ(files(), 2U);
}

TEST_F(WithoutExchange, WhicheverRenameFailsAllIsAsItWas) {
    for (const bool lost : {false, true}) {
        for (const int good : {0, 1}) {
            answer_is_lost = lost;
            renames_before_failure = good;
            EXPECT_THROW(replace(), DeviceError);
            EXPECT_EQ(read_file(first()), "first, before") << lost << good;
            EXPECT_EQ(read_file(second()), "second, before") << lost << good;
            EXPECT_EQ(files(), 2U) << lost << good;
        }
    }
}

// What takes no second name is renamed, for a moment, and put back whichever rename fails.
TEST_F(WithoutExchange, AFileWithoutASecondNameIsSetAside) {
    no_second_name = true;
    before_rename = [] {};
    for (const int good : {0, 1, 2, 3}) {
        renames_before_failure = good;
        EXPECT_THROW(replace(), DeviceError) << good;
        EXPECT_EQ(read_file(first()), "first, before") << good;
        EXPECT_EQ(read_file(second()), "second, before") << good;
        EXPECT_EQ(files(), 2U) << good;
    }
    renames_before_failure = -1;
    replace();
    EXPECT_EQ(read_file(first()), "first, after");
    EXPECT_EQ(read_file(second()), "second, after");
    EXPECT_EQ(files(), 2U);
}

// Where renames fail from the second on, the first file cannot be put back.
TEST_F(WithoutExchange, AFileThatCannotBePutBackIsNamed) {
    renames_before_failure = 1;
    before_rename = [] { renames_before_failure = std::max(renames_before_failure, 0); };
    std::string message;
    try {
        replace();
    } catch (const DeviceError& error) {
        message = error.what();
    }
    const std::string words = " could not be put back: it is now at ";
    const std::size_t at = message.find(words);
    ASSERT_NE(at, std::string::npos) << message;
    EXPECT_EQ(read_file(message.substr(at + words.size())), "first, before");
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

// Not every file system can synchronise a folder. Where it can and fails, nothing is charged.
TEST(Synchronised, ALedgerGoesOnWhereFoldersCannotBeAndNotWhereTheyFail) {
    const TemporaryFolder folder;
    Ledger ledger(folder / "ledger", Ledger::IfMissing::create);
    ledger.declare("a", Rho(1.0));
    const Charge charge{.dataset = "a", .spent = Rho(0.1), .method = "gauss"};
    std::uint64_t releases = 0;
    for (const int error : {EINVAL, EOPNOTSUPP, ENOSYS}) {
        error_of_folders = error;
        EXPECT_NO_THROW(ledger.charge(charge)) << error;
        ++releases;
    }
    error_of_folders = EIO;
    EXPECT_THROW(ledger.charge(charge), DeviceError);
    error_of_folders = 0;
    EXPECT_EQ(ledger.statement("a").releases, releases);
}

}  // namespace
}  // namespace dpcov::test
