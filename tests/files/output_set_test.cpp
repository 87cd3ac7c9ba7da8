// Outputs that appear together or not at all, whatever the targets.
#include "files/output_set.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <optional>
#include <thread>

#include "files/direct_output.hpp"
#include "files/folder_lock.hpp"
#include "tables/table_support.hpp"

namespace dpcov::test {
namespace {

using Names = std::vector<std::string>;

/// Standard output goes to a file, or to a given descriptor, as long as this lives.
class RedirectedOutput {
public:
    explicit RedirectedOutput(const std::string& path, int flags = O_WRONLY | O_CREAT)
        : RedirectedOutput(::open(path.c_str(), flags, 0600)) {}
    explicit RedirectedOutput(int descriptor) : saved_(::dup(STDOUT_FILENO)) {
        EXPECT_GE(descriptor, 0);
        ::dup2(descriptor, STDOUT_FILENO);
        ::close(descriptor);
    }
    RedirectedOutput(const RedirectedOutput&) = delete;
    RedirectedOutput& operator=(const RedirectedOutput&) = delete;
    ~RedirectedOutput() {
        ::dup2(saved_, STDOUT_FILENO);
        ::close(saved_);
    }

private:
    int saved_;
};

Names sorted(Names names) {
    std::sort(names.begin(), names.end());
    return names;
}

/// Makes the rename of `path` fail from now on.
void obstruct(const std::string& path) {
    std::filesystem::create_directory(path);
}

TEST(OutputSet, PutsEveryFileInPlaceAtCommit) {
    const TemporaryFolder folder;
    write_file(folder / "b", "older");
    {
        OutputSet outputs;
        outputs.add(folder / "a", "first");
        outputs.add(folder / "b", "second");
        EXPECT_FALSE(std::filesystem::exists(folder / "a"));
        EXPECT_EQ(read_file(folder / "b"), "older");
        outputs.commit();
    }
    EXPECT_EQ(read_file(folder / "a"), "first");
    EXPECT_EQ(read_file(folder / "b"), "second");
    EXPECT_EQ(sorted(folder.names()), (Names{"a", "b"}));
}

TEST(OutputSet, LeavesSignalsAsTheyWereUnlessTheProcessEnds) {
    const TemporaryFolder folder;
    const auto terminate_behind_commit = [&folder](OutputSet::Afterwards afterwards) {
        ::signal(SIGTERM, SIG_DFL);
        OutputSet outputs;
        outputs.add(folder / "a", "text");
        outputs.commit(afterwards);
        ::raise(SIGTERM);
        ::_exit(7);
    };
    EXPECT_EXIT(terminate_behind_commit(OutputSet::Afterwards::ends), testing::ExitedWithCode(0),
                "");
    EXPECT_EXIT(terminate_behind_commit(OutputSet::Afterwards::goes_on),
                testing::KilledBySignal(SIGTERM), "");
}

TEST(OutputSet, LeavesNothingWithoutCommit) {
    const TemporaryFolder folder;
    { OutputSet().add(folder / "a", "text"); }
    EXPECT_TRUE(folder.names().empty());
}

TEST(OutputSet, RefusesAFullDeviceBeforeAnythingIsInPlace) {
    const TemporaryFolder folder;
    {
        OutputSet outputs;
        outputs.add(folder / "a", "text");
        expect_error<DeviceError>([&] { outputs.add("/dev/full", "text"); },
                                  {"/dev/full: cannot write", "No space left"});
    }
    EXPECT_TRUE(folder.names().empty());
    // A device that takes what it gets does not stand in the way.
    OutputSet outputs;
    outputs.add(folder / "a", "text");
    outputs.add("/dev/null", "text");
    outputs.commit();
    EXPECT_EQ(read_file(folder / "a"), "text");
}

TEST(OutputSet, TakesBackTheFirstRenamesWhenALaterOneFails) {
    const TemporaryFolder folder;
    write_file(folder / "replaced", "older");
    ASSERT_EQ(::chmod((folder / "replaced").c_str(), 0604), 0);
    {
        OutputSet outputs;
        outputs.add(folder / "replaced", "newer");
        outputs.add(folder / "new", "text");
        outputs.add(folder / "obstructed", "text");
        outputs.add(folder / "later", "text");
        obstruct(folder / "obstructed");
        expect_error<DeviceError>([&] { outputs.commit(); }, {folder / "obstructed", "in place"});
    }
    EXPECT_EQ(read_file(folder / "replaced"), "older");
    struct stat status {};
    ASSERT_EQ(::stat((folder / "replaced").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0604U);
    EXPECT_EQ(sorted(folder.names()), (Names{"obstructed", "replaced"}));
}

TEST(OutputSet, TakesBackThroughALink) {
    const TemporaryFolder folder;
    std::filesystem::create_directory(folder / "real");
    write_file(folder / "real/out", "older");
    std::filesystem::create_symlink("real/out", folder / "link");
    {
        OutputSet outputs;
        outputs.add(folder / "link", "newer");
        outputs.add(folder / "obstructed", "text");
        obstruct(folder / "obstructed");
        expect_error<DeviceError>([&] { outputs.commit(); }, {"in place"});
    }
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
    EXPECT_EQ(read_file(folder / "link"), "older");
}

TEST(OutputSet, LeavesNothingWhenAWriteFallsShort) {
    const TemporaryFolder folder;
    write_file(folder / "a", "older");
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto handler = ::signal(SIGXFSZ, SIG_IGN);
    {
        OutputSet outputs;
        const rlimit small{1000, before.rlim_max};
        ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
        outputs.add(folder / "a", "short");
        expect_error<DeviceError>([&] { outputs.add(folder / "b", std::string(5000, 'x')); },
                                  {folder / "b", "cannot write", "too large"});
        ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
    }
    ::signal(SIGXFSZ, handler);
    EXPECT_EQ(read_file(folder / "a"), "older");
    EXPECT_EQ(folder.names(), (Names{"a"}));
}

TEST(OutputSet, WritesPipesBeforeFilesAppear) {
    const TemporaryFolder folder;
    ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
    std::string text;
    std::thread reader([&] { text = read_file(folder / "pipe"); });
    {
        OutputSet outputs;
        outputs.add(folder / "a", "file");
        outputs.add(folder / "pipe", "piped");
        outputs.commit();
    }
    reader.join();
    EXPECT_EQ(text, "piped");
    EXPECT_EQ(read_file(folder / "a"), "file");
}

// The reader goes away after it has opened the pipe, before it has read: the write fails.
TEST(OutputSet, LeavesNothingWhenTheReaderOfAPipeGoesAway) {
    const TemporaryFolder folder;
    ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
    const auto handler = ::signal(SIGPIPE, SIG_IGN);
    std::thread reader([&] {
        const int descriptor = ::open((folder / "pipe").c_str(), O_RDONLY);
        char byte = 0;
        EXPECT_EQ(::read(descriptor, &byte, 1), 1);
        ::close(descriptor);
    });
    {
        OutputSet outputs;
        outputs.add(folder / "a", "file");
        outputs.add(folder / "pipe", std::string(1 << 20, 'x'));  // more than a pipe holds
        expect_error<DeviceError>([&] { outputs.commit(); }, {folder / "pipe", "reader has gone"});
    }
    reader.join();
    ::signal(SIGPIPE, handler);
    EXPECT_EQ(folder.names(), (Names{"pipe"}));
}

TEST(OutputSet, WritesStandardOutput) {
    const TemporaryFolder folder;
    {
        const RedirectedOutput redirected(folder / "out");
        OutputSet outputs;
        outputs.add("", "one ");
        outputs.add(folder / "a", "file");
        outputs.add("/dev/stdout", "two");  // the same thing by another name
        outputs.commit();
    }
    EXPECT_EQ(read_file(folder / "out"), "one two");
    EXPECT_EQ(read_file(folder / "a"), "file");
}

TEST(OutputSet, KnowsAPipeOnStandardOutputWithoutAReader) {
    const TemporaryFolder folder;
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe(ends.data()), 0);
    ::close(ends[0]);
    const auto handler = ::signal(SIGPIPE, SIG_IGN);
    {
        const RedirectedOutput redirected(ends[1]);
        OutputSet outputs;
        outputs.add(folder / "a", "file");
        expect_error<DeviceError>([&] { outputs.add("", "text"); },
                                  {"standard output", "reader has gone"});
    }
    ::signal(SIGPIPE, handler);
    EXPECT_TRUE(folder.names().empty());
}

// What stood there before stays, and what comes after stands where it should.
TEST(OutputSet, CutsStandardOutputOffAgainWhenARenameFails) {
    for (const int flags : {O_WRONLY, O_WRONLY | O_APPEND}) {
        const TemporaryFolder folder;
        write_file(folder / "out", "before\n");
        {
            const RedirectedOutput redirected(folder / "out", flags);
            ::lseek(STDOUT_FILENO, 0, SEEK_END);
            OutputSet outputs;
            outputs.add("", "matrix\n");
            outputs.add(folder / "a", "file");
            obstruct(folder / "a");
            expect_error<DeviceError>([&] { outputs.commit(); }, {"in place"});
            EXPECT_EQ(::write(STDOUT_FILENO, "after\n", 6), 6);
        }
        EXPECT_EQ(read_file(folder / "out"), "before\nafter\n");
    }
}

// A write in the middle of a file cannot be undone by cutting, so nothing is cut.
TEST(OutputSet, CutsNothingOffAFileThatItWritesIntoTheMiddleOf) {
    const TemporaryFolder folder;
    write_file(folder / "out", "0123456789");
    {
        const RedirectedOutput redirected(folder / "out", O_WRONLY);
        OutputSet outputs;
        outputs.add("", "ab");
        outputs.add(folder / "a", "file");
        obstruct(folder / "a");
        expect_error<DeviceError>([&] { outputs.commit(); }, {"in place"});
    }
    EXPECT_EQ(read_file(folder / "out"), "ab23456789");
}

// What another process wrote behind it is not this one's to cut off.
TEST(DirectOutput, CutsNothingOffThatAnotherOneWrote) {
    const TemporaryFolder folder;
    for (const bool another : {false, true}) {
        write_file(folder / "out", "before ");
        const Descriptor opened(::open((folder / "out").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
        DirectOutput output = DirectOutput::of_descriptor(opened.get(), "out");
        output.write("mine ");
        if (another) {
            const Descriptor theirs(
                ::open((folder / "out").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
            ASSERT_EQ(::write(theirs.get(), "theirs", 6), 6);
        }
        output.take_back();
        EXPECT_EQ(read_file(folder / "out"), another ? "before mine theirs" : "before ");
    }
}

// Whoever redirected the descriptor to a file keeps what is in it, and what is written later.
TEST(OutputSet, WritesThroughADescriptorThatAPathNames) {
    for (const bool fails : {false, true}) {
        const TemporaryFolder folder;
        const int log = ::open((folder / "log").c_str(), O_RDWR | O_CREAT, 0600);
        ASSERT_GE(log, 0);
        ASSERT_EQ(::write(log, "before\n", 7), 7);
        std::filesystem::create_symlink("/dev/fd/" + std::to_string(log), folder / "link");
        OutputSet outputs;
        outputs.add("/dev/fd/" + std::to_string(log), "record\n");
        outputs.add(folder / "link", "matrix\n");
        outputs.add(folder / "a", "file");
        if (fails) {
            obstruct(folder / "a");
            expect_error<DeviceError>([&] { outputs.commit(); }, {"in place"});
        } else {
            outputs.commit();
        }
        EXPECT_EQ(::write(log, "after\n", 6), 6);
        ::close(log);
        EXPECT_EQ(read_file(folder / "log"),
                  fails ? "before\nafter\n" : "before\nrecord\nmatrix\nafter\n");
    }
}

TEST(OutputSet, RefusesADescriptorThatIsOpenForReadingAlone) {
    const TemporaryFolder folder;
    write_file(folder / "table", "1,2\n");
    const int table = ::open((folder / "table").c_str(), O_RDONLY);
    OutputSet outputs;
    expect_error<DeviceError>([&] { outputs.add("/dev/fd/" + std::to_string(table), "text"); },
                              {"/dev/fd/", "descriptor"});
    ::close(table);
    EXPECT_EQ(read_file(folder / "table"), "1,2\n");
}

// Opened anew by its path, a pipe's end for reading would be one for writing.
TEST(OutputSet, RefusesTheWrongEndOfAPipe) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe(ends.data()), 0);
    OutputSet outputs;
    expect_error<DeviceError>([&] { outputs.add("/dev/fd/" + std::to_string(ends[0]), "text"); },
                              {"/dev/fd/", "descriptor"});
    ::close(ends[0]);
    expect_error<DeviceError>([&] { outputs.add("/dev/fd/" + std::to_string(ends[1]), "text"); },
                              {"/dev/fd/", "pipe"});
    ::close(ends[1]);
    expect_error<DeviceError>([&] { outputs.add("/dev/fd/" + std::to_string(ends[1]), "text"); },
                              {"/dev/fd/", "descriptor"});
}

TEST(OutputSet, RefusesAClosedStandardOutput) {
    const TemporaryFolder folder;
    const RedirectedOutput redirected("/dev/null", O_RDONLY);
    OutputSet outputs;
    expect_error<DeviceError>([&] { outputs.add("", "text"); }, {"standard output", "descriptor"});
}

// Of commands that put several files into one folder: none appears while another command is at it.
TEST(OutputSet, LetsAnotherCommandFinishFirst) {
    const TemporaryFolder folder;
    std::optional<FolderLock> another(folder / "any");
    std::thread command([&] {
        OutputSet outputs;
        outputs.add(folder / "matrix", "matrix");
        outputs.add(folder / "record", "record");
        outputs.commit();
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    EXPECT_FALSE(std::filesystem::exists(folder / "matrix"));
    EXPECT_FALSE(std::filesystem::exists(folder / "record"));
    another.reset();
    command.join();
    EXPECT_TRUE(std::filesystem::exists(folder / "matrix"));
    EXPECT_TRUE(std::filesystem::exists(folder / "record"));
}

}  // namespace
}  // namespace dpcov::test
