#include "files/atomic_file.hpp"

#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "dpcov/error.hpp"
#include "files/descriptor.hpp"
#include "support/mounted_by_itself.hpp"
#include "tables/table_support.hpp"

namespace dpcov::test {
namespace {

using Names = std::vector<std::string>;

mode_t mode_of(const std::string& path) {
    struct stat status {};
    EXPECT_EQ(::stat(path.c_str(), &status), 0);
    return status.st_mode & 07777;
}

TEST(AtomicFile, AppearsAtCommitAndNotBefore) {
    const TemporaryFolder folder;
    {
        AtomicFile file(folder / "out");
        file.write("one ");
        file.write("two");
        file.sync();
        EXPECT_FALSE(std::filesystem::exists(folder / "out"));
        for (const std::string& name : folder.names()) {  // where files must have names
            EXPECT_TRUE(name.starts_with(".out."));
            EXPECT_EQ(mode_of(folder / name), 0600U);
        }
        EXPECT_LE(folder.names().size(), 1U);
        file.commit();
        EXPECT_EQ(read_file(folder / "out"), "one two");
    }
    EXPECT_EQ(folder.names(), (Names{"out"}));
}

// No file can be renamed to it, and its folder is another.
TEST(AtomicFile, DoesNotReplaceAFileThatIsMountedByItself) {
    const TemporaryFolder folder;
    write_file(folder / "out", "older");
    const auto told =
        told_where_mounted(folder / "out", [&] { const AtomicFile file(folder / "out"); });
    if (!told) {
        GTEST_SKIP() << "this process may not mount";
    }
    EXPECT_NE(told->find("mounted by itself"), std::string::npos) << *told;
    EXPECT_EQ(read_file(folder / "out"), "older");
    const AtomicFile file(folder / "out");  // where it is not
}

// As chattr +a does while it lives, where that is allowed.
class OnlyToAppendTo {
public:
    explicit OnlyToAppendTo(const std::string& path) : file_(::open(path.c_str(), O_RDONLY)) {
        is_set_ = ::ioctl(file_.get(), FS_IOC_GETFLAGS, &before_) == 0 && set(FS_APPEND_FL);
    }
    ~OnlyToAppendTo() { set(0); }
    OnlyToAppendTo(const OnlyToAppendTo&) = delete;
    OnlyToAppendTo& operator=(const OnlyToAppendTo&) = delete;
    [[nodiscard]] bool is_set() const { return is_set_; }

private:
    bool set(int more) const {
        const int flags = before_ | more;
        return ::ioctl(file_.get(), FS_IOC_SETFLAGS, &flags) == 0;
    }

    Descriptor file_;
    int before_ = 0;
    bool is_set_ = false;
};

// A new file could be made there, and never removed again.
TEST(AtomicFile, RefusesWhatMayOnlyBeAppendedTo) {
    const TemporaryFolder folder;
    write_file(folder / "out", "older");
    for (const std::string& target : {folder / "", folder / "out"}) {
        const OnlyToAppendTo appending(target);
        if (!appending.is_set()) {
            GTEST_SKIP() << "this process, or the file system, cannot set that of " << target;
        }
        expect_error<DeviceError>([&] { const AtomicFile file(folder / "out"); }, {"append-only"});
    }
    EXPECT_EQ(folder.names(), Names{"out"});
    const AtomicFile file(folder / "out");  // where it is not
}

TEST(AtomicFile, LeavesNothingWhenTheProcessIsKilled) {
    const TemporaryFolder folder;
    const int unnamed = ::open((folder / "").c_str(), O_TMPFILE | O_RDWR, 0600);
    if (unnamed < 0) {
        GTEST_SKIP() << "the file system of " << folder / ""
                     << " has no files without names";
    }
    ::close(unnamed);
    const pid_t child = ::fork();
    if (child == 0) {
        AtomicFile file(folder / "out");
        file.write("secret");
        file.sync();
        ::raise(SIGKILL);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_TRUE(folder.names().empty());
}

TEST(AtomicFile, LeavesNothingWithoutCommit) {
    const TemporaryFolder folder;
    { AtomicFile(folder / "out").write("text"); }
    EXPECT_TRUE(folder.names().empty());

    write_file(folder / "out", "before");
    { AtomicFile(folder / "out").write("text"); }
    EXPECT_EQ(read_file(folder / "out"), "before");
    EXPECT_EQ(folder.names(), (Names{"out"}));
}

TEST(AtomicFile, GivesANewFileThePermissionsOfTheUmask) {
    const TemporaryFolder folder;
    const mode_t before = ::umask(0027);
    AtomicFile file(folder / "out");
    file.commit();
    EXPECT_EQ(::umask(before), 0027U) << "the umask must stay";
    EXPECT_EQ(mode_of(folder / "out"), 0640U);
}

// Where each thread set the umask to read it, one would take another's strictest for it and leave
// that, which then stays: a mutant of the program that does so failed in 6 of 8 runs.
TEST(AtomicFile, LeavesTheUmaskAloneWhateverThreadsDo) {
    const TemporaryFolder folder;
    const mode_t before = ::umask(0022);
    for (int round = 0; round < 20; ++round) {
        std::vector<std::thread> threads;
        for (int thread = 0; thread < 8; ++thread) {
            threads.emplace_back([&, thread] {
                for (int file = 0; file < 100; ++file) {
                    AtomicFile(folder / ("out" + std::to_string(thread)));
                }
            });
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
    }
    EXPECT_EQ(::umask(before), 0022U);
}

TEST(AtomicFile, GivesASecretFileToItsOwnerAlone) {
    const TemporaryFolder folder;
    const mode_t before = ::umask(0022);
    AtomicFile(folder / "secret", AtomicFile::Readers::owner).commit();
    ::umask(0377);
    AtomicFile(folder / "stricter", AtomicFile::Readers::owner).commit();
    ::umask(before);
    EXPECT_EQ(mode_of(folder / "secret"), 0600U);
    EXPECT_EQ(mode_of(folder / "stricter"), 0400U);
}

TEST(AtomicFile, KeepsThePermissionsOfTheFileItReplaces) {
    const TemporaryFolder folder;
    write_file(folder / "out", "before");
    ASSERT_EQ(::chmod((folder / "out").c_str(), 0604), 0);
    AtomicFile file(folder / "out");
    file.write("after");
    file.commit();
    EXPECT_EQ(read_file(folder / "out"), "after");
    EXPECT_EQ(mode_of(folder / "out"), 0604U);
}

gid_t group_of(const std::string& path) {
    struct stat status {};
    EXPECT_EQ(::stat(path.c_str(), &status), 0);
    return status.st_gid;
}

constexpr gid_t readers = 54321;
constexpr uid_t writer = 54322;

// Else it would be open to the group of whoever writes it, which is another one.
TEST(AtomicFile, KeepsTheGroupOfTheFileItReplaces) {
    if (::geteuid() != 0) {
        GTEST_SKIP() << "only root may give a file to any group";
    }
    const TemporaryFolder folder;
    write_file(folder / "out", "before");
    ASSERT_EQ(::chown((folder / "out").c_str(), static_cast<uid_t>(-1), readers), 0);
    ASSERT_EQ(::chmod((folder / "out").c_str(), 0640), 0);
    for (const bool reversibly : {false, true}) {
        AtomicFile file(folder / "out");
        file.write("after");
        if (reversibly) {
            file.commit_reversibly();
        } else {
            file.commit();
        }
        EXPECT_EQ(group_of(folder / "out"), readers) << reversibly;
        EXPECT_EQ(mode_of(folder / "out"), 0640U) << reversibly;
    }
}

// Whether a child that is `writer`, and a member of its own group alone, replaces these files; else
// it is told that it may not before it writes.
bool writer_replaces(const Names& paths) {
    const pid_t child = ::fork();
    if (child == 0) {
        if (::setgroups(0, nullptr) != 0 || ::setgid(writer) != 0 || ::setuid(writer) != 0) {
            ::_exit(2);
        }
        bool writes = false;
        try {
            for (const std::string& path : paths) {
                writes = false;
                AtomicFile file(path);
                writes = true;
                file.write("after");
                file.commit();
            }
        } catch (const DeviceError& error) {
            ::_exit(!writes && error.system_error() == EPERM ? 1 : 3);
        }
        ::_exit(0);
    }
    int status = -1;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) <= 1) << status;
    return status == 0;
}

// No member of the group, so it may not give the file to it.
TEST(AtomicFile, IsForNoGroupWhereItCannotKeepItsOwn) {
    if (::geteuid() != 0) {
        GTEST_SKIP() << "only root can become somebody else";
    }
    const TemporaryFolder folder;
    ASSERT_EQ(::chown(folder.path().c_str(), writer, writer), 0);
    for (const auto& [name, group] : {std::pair("theirs", readers), std::pair("own", writer)}) {
        write_file(folder / name, "before");
        ASSERT_EQ(::chown((folder / name).c_str(), writer, group), 0);
        ASSERT_EQ(::chmod((folder / name).c_str(), 0664), 0);
    }
    EXPECT_TRUE(writer_replaces({folder / "theirs", folder / "own"}));
    EXPECT_EQ(read_file(folder / "theirs"), "after");
    EXPECT_EQ(group_of(folder / "theirs"), writer);
    EXPECT_EQ(mode_of(folder / "theirs"), 0604U);
    EXPECT_EQ(mode_of(folder / "own"), 0664U) << "the control";
}

// In a folder like /tmp a file that everybody may write to is replaced by its owner, the folder's,
// or root.
TEST(AtomicFile, LeavesTheFilesOfOthersInAFolderOfEverybody) {
    if (::geteuid() != 0) {
        GTEST_SKIP() << "only root can become somebody else";
    }
    constexpr uid_t other = writer + 1;
    const TemporaryFolder folder;
    const auto is_replaced = [&](uid_t owner, uid_t of_folder, mode_t mode) {
        EXPECT_EQ(::chmod(folder.path().c_str(), 0700), 0);  // root may open the file then
        write_file(folder / "out", "before");
        EXPECT_EQ(::chmod((folder / "out").c_str(), 0666), 0);
        EXPECT_EQ(::chown((folder / "out").c_str(), owner, owner), 0);
        EXPECT_EQ(::chown(folder.path().c_str(), of_folder, of_folder), 0);
        EXPECT_EQ(::chmod(folder.path().c_str(), mode), 0);
        const bool replaced = writer_replaces({folder / "out"});
        EXPECT_EQ(read_file(folder / "out"), replaced ? "after" : "before");
        return replaced;
    };
    EXPECT_FALSE(is_replaced(other, other, 01777));
    EXPECT_TRUE(is_replaced(writer, other, 01777));
    EXPECT_TRUE(is_replaced(other, writer, 01777));
    EXPECT_TRUE(is_replaced(other, other, 0777));
    EXPECT_FALSE(is_replaced(other, other, 01777));
    AtomicFile file(folder / "out");  // root's
    file.write("root's");
    file.commit();
    EXPECT_EQ(read_file(folder / "out"), "root's");
}

TEST(AtomicFile, ReplacesWhatALinkPointsTo) {
    const TemporaryFolder folder;
    std::filesystem::create_directory(folder / "real");
    write_file(folder / "real/out", "before");
    std::filesystem::create_symlink("real/out", folder / "link");
    AtomicFile file(folder / "link");
    file.write("after");
    file.commit();
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
    EXPECT_EQ(read_file(folder / "real/out"), "after");
}

// What stands beside it meanwhile has a name that is longer by eight letters.
TEST(AtomicFile, HasAsLongANameAsThereMayBe) {
    const TemporaryFolder folder;
    const auto longest = static_cast<std::size_t>(::pathconf((folder / "").c_str(), _PC_NAME_MAX));
    for (std::size_t less = 0; less <= 8; ++less) {
        const std::string name(longest - less, 'n');
        for (const std::string content : {"one", "two"}) {
            AtomicFile file(folder / name);
            file.write(content);
            file.commit_reversibly();
            EXPECT_EQ(read_file(folder / name), content);
        }
    }
    EXPECT_EQ(folder.names().size(), 9U);
}

TEST(AtomicFile, WritesInTheWorkingFolder) {
    const TemporaryFolder folder;
    const std::filesystem::path before = std::filesystem::current_path();
    std::filesystem::current_path(folder / "");
    AtomicFile file("out");
    file.write("text");
    file.commit();
    std::filesystem::current_path(before);
    EXPECT_EQ(read_file(folder / "out"), "text");
}

TEST(AtomicFile, APathEndsWhereItEnds) {
    const TemporaryFolder folder;
    const std::string precious = folder / "precious";
    EXPECT_THROW(AtomicFile(precious + std::string("\0.moment", 8)), UsageError);
    EXPECT_FALSE(std::filesystem::exists(precious));
}

TEST(AtomicFile, SaysWhatToDoAboutAPathThatCannotBeWritten) {
    const TemporaryFolder folder;
    expect_error<DeviceError>([&] { AtomicFile file(folder / "none/out"); },
                              {folder / "none/out", "No such file", "create the folder"});
    write_file(folder / "file", "");
    expect_error<DeviceError>([&] { AtomicFile file(folder / "file/out"); },
                              {folder / "file/out", "Not a directory"});
    expect_error<DeviceError>([&] { AtomicFile file(folder / ""); }, {"Is a directory"});
    expect_error<DeviceError>([&] { AtomicFile file(folder / (std::string(256, 'x'))); },
                              {"name too long"});
    expect_error<DeviceError>([] { AtomicFile file("/proc/out"); }, {"/proc/out: cannot create"});
    expect_error<DeviceError>([] { AtomicFile file(""); }, {"cannot"});
    EXPECT_EQ(folder.names(), (Names{"file"}));
}

TEST(AtomicFile, ReportsAFullDeviceBeforeAnythingIsWritten) {
    expect_error<DeviceError>([] { AtomicFile file("/dev/full"); },
                              {"/dev/full: cannot write", "No space left", "free some space"});
}

TEST(AtomicFile, TakesBackWhatItCommitted) {
    const TemporaryFolder folder;
    write_file(folder / "old", "before");
    {
        AtomicFile replaced(folder / "old");
        AtomicFile added(folder / "new");
        for (AtomicFile* file : {&replaced, &added}) {
            file->write("after");
            file->commit_reversibly();
        }
        EXPECT_EQ(read_file(folder / "old"), "after");
        EXPECT_EQ(read_file(folder / "new"), "after");
        replaced.take_back();
        added.take_back();
        replaced.take_back();  // once is enough
        EXPECT_EQ(replaced.left_aside(), "");
    }
    EXPECT_EQ(read_file(folder / "old"), "before");
    EXPECT_EQ(folder.names(), (Names{"old"}));
}

TEST(AtomicFile, KnowsWhereTheOlderFileIsThatItCannotPutBack) {
    const TemporaryFolder folder;
    write_file(folder / "out", "before");
    std::string left_aside;
    {
        AtomicFile file(folder / "out");
        file.write("after");
        file.commit_reversibly();
        std::filesystem::remove(folder / "out");
        std::filesystem::create_directory(folder / "out");  // no file is renamed onto it
        file.take_back();
        left_aside = file.left_aside();
    }
    EXPECT_EQ(read_file(left_aside), "before");
}

TEST(AtomicFile, LeavesNothingWhenAWriteFallsShort) {
    const TemporaryFolder folder;
    write_file(folder / "out", "before");
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto handler = ::signal(SIGXFSZ, SIG_IGN);
    {
        AtomicFile file(folder / "out");
        const rlimit small{1000, before.rlim_max};
        ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
        // The first thousand bytes are written, the rest is refused.
        expect_error<DeviceError>([&] { file.write(std::string(5000, 'x')); },
                                  {folder / "out", "cannot write", "too large"});
        ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
    }
    ::signal(SIGXFSZ, handler);
    EXPECT_EQ(read_file(folder / "out"), "before");
    EXPECT_EQ(folder.names(), (Names{"out"}));
}

// Of a file that is open already, too, what stood there before is all that is left.
TEST(AtomicFile, TakesBackAWriteToAnOpenFileThatFallsShort) {
    const TemporaryFolder folder;
    write_file(folder / "out", "before");
    const int open_file = ::open((folder / "out").c_str(), O_WRONLY | O_APPEND);
    ASSERT_GE(open_file, 0);
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto handler = ::signal(SIGXFSZ, SIG_IGN);
    AtomicFile file("/dev/fd/" + std::to_string(open_file));
    file.write(std::string(5000, 'x'));
    const rlimit small{1000, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    expect_error<DeviceError>([&] { file.commit(); }, {"/dev/fd/", "too large"});
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
    ::signal(SIGXFSZ, handler);
    ::close(open_file);
    EXPECT_EQ(read_file(folder / "out"), "before");
}

TEST(AtomicFile, LeavesNothingWhenTheRenameFails) {
    const TemporaryFolder folder;
    {
        AtomicFile file(folder / "out");
        file.write("text");
        std::filesystem::create_directory(folder / "out");
        expect_error<DeviceError>([&] { file.commit(); }, {folder / "out", "in place"});
    }
    EXPECT_EQ(folder.names(), (Names{"out"}));
}

TEST(AtomicFile, WritesToAPipeAtCommit) {
    const TemporaryFolder folder;
    ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
    std::string text;
    std::thread reader([&] { text = read_file(folder / "pipe"); });
    {
        AtomicFile file(folder / "pipe");
        file.write("one ");
        file.write("two");
        file.commit();
    }
    reader.join();
    EXPECT_EQ(text, "one two");
    EXPECT_EQ(folder.names(), (Names{"pipe"}));
}

TEST(AtomicFile, ProtectsAReadOnlyFile) {
    if (::geteuid() == 0) {
        GTEST_SKIP() << "root may write everything";
    }
    const TemporaryFolder folder;
    write_file(folder / "out", "before");
    ASSERT_EQ(::chmod((folder / "out").c_str(), 0444), 0);
    expect_error<DeviceError>([&] { AtomicFile file(folder / "out"); }, {"Permission denied"});
}

}  // namespace
}  // namespace dpcov::test
