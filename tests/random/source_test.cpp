// The sources: forks, threads, failures, reproducibility. getrandom() and munmap() here are the
// test's own.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "dpcov/error.hpp"
#include "random/random_source.hpp"
#include "random/wiped_page.hpp"
#include "statistics.hpp"

namespace {

std::vector<int> errors_of_getrandom;  // of its next calls, from the last on
const void* watched = nullptr;         // memory that is given back, and all of what was in it
std::vector<unsigned char> given_back;

}  // namespace

// In place of the C library's.
// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name)
extern "C" ssize_t getrandom(void* buffer, std::size_t bytes, unsigned int flags) {
    if (!errors_of_getrandom.empty()) {
        errno = errors_of_getrandom.back();
        errors_of_getrandom.pop_back();
        return -1;
    }
    return ::syscall(SYS_getrandom, buffer, bytes, flags);
}

extern "C" int munmap(void* memory, std::size_t bytes) noexcept {
    if (memory == watched) {
        const auto* const begin = static_cast<const unsigned char*>(memory);
        given_back.assign(begin, begin + bytes);
        watched = nullptr;
    }
    return static_cast<int>(::syscall(SYS_munmap, memory, bytes));
}
// NOLINTEND(readability-inconsistent-declaration-parameter-name)

namespace dpcov::test {
namespace {

constexpr std::size_t sample = 100;
using Words = std::array<std::uint64_t, sample>;

/// Forks and says how many words of the child's turn up among the parent's.
template <class NextWord>
std::size_t words_shared_after_fork(NextWord next_word) {
    std::array<int, 2> pipe_ends{};
    EXPECT_EQ(pipe(pipe_ends.data()), 0);
    const pid_t child = fork();
    if (child == 0) {
        Words words{};
        for (auto& word : words) word = next_word();
        const bool written = write(pipe_ends[1], words.data(), sizeof words) == sizeof words;
        _exit(written ? 0 : 1);
    }
    Words mine{};
    for (auto& word : mine) word = next_word();
    Words childs{};
    EXPECT_EQ(read(pipe_ends[0], childs.data(), sizeof childs),
              static_cast<ssize_t>(sizeof childs));
    close(pipe_ends[0]);
    close(pipe_ends[1]);
    int status = 1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    const std::set<std::uint64_t> known(mine.begin(), mine.end());
    return static_cast<std::size_t>(std::count_if(
        childs.begin(), childs.end(), [&](std::uint64_t word) { return known.count(word) > 0; }));
}

// False alarm: two of 200 independent words agree with probability 1e-15.
TEST(SystemSource, AForkedChildHasWordsOfItsOwn) {
    SystemRandomSource random;
    (void)random.next_word();  // the block is full when the fork comes
    EXPECT_EQ(words_shared_after_fork([&] { return random.next_word(); }), 0U);
}

TEST(SystemSource, ControlAPageThatIsNotWipedRepeatsTheParentsWords) {
    auto page = std::make_unique<detail::WipedPage>();  // ordinary memory
    const auto next_word = [&] { return detail::take_word(*page, detail::fill_from_kernel); };
    (void)next_word();
    EXPECT_EQ(words_shared_after_fork(next_word), sample);
}

TEST(SystemSource, ThreadsWithTheirOwnSourcesDiffer) {
    std::array<std::vector<std::uint64_t>, 2> words;
    std::array<std::thread, 2> threads;
    for (std::size_t t = 0; t < 2; ++t) {
        threads[t] = std::thread([&words, t] {
            SystemRandomSource random;
            for (std::size_t i = 0; i < 5000; ++i) words[t].push_back(random.next_word());
        });
    }
    for (auto& thread : threads) thread.join();
    std::set<std::uint64_t> all(words[0].begin(), words[0].end());
    all.insert(words[1].begin(), words[1].end());
    EXPECT_EQ(all.size(), 10000U);  // false alarm: 3e-12
}

// The words are fresh at every run: false alarm 1e-9.
TEST(SystemSource, BytesAreUniform) {
    SystemRandomSource random;
    EXPECT_TRUE(random.is_secure());
    std::vector<std::uint64_t> counts(256);
    for (int i = 0; i < 200000; ++i) {
        const std::uint64_t word = random.next_word();
        for (unsigned shift = 0; shift < 64; shift += 8) ++counts[word >> shift & 255];
    }
    EXPECT_GT(chi_square_p_value(counts, std::vector<double>(256, 1.0 / 256)), 1e-9);
}

void fail_halfway(void* buffer, std::size_t bytes) {
    std::memset(buffer, 0x5a, bytes / 2);
    throw DeviceError("no entropy");
}

void fill_with_sevens(void* buffer, std::size_t bytes) {
    auto* words = static_cast<std::uint64_t*>(buffer);
    std::fill(words, words + bytes / sizeof *words, std::uint64_t{7});
}

TEST(WipedPage, HandsOutNothingWhenTheKernelFails) {
    const detail::WipedPagePointer page = detail::map_wiped_page();
    for (int attempt = 0; attempt < 3; ++attempt) {
        EXPECT_THROW((void)detail::take_word(*page, fail_halfway), DeviceError);
        EXPECT_EQ(page->remaining, 0U);
    }
    // A full block first, then a kernel that fails: every word of the block, and not one more.
    for (std::size_t i = 0; i < detail::WipedPage::capacity; ++i) {
        EXPECT_EQ(detail::take_word(*page, i == 0 ? fill_with_sevens : fail_halfway), 7U);
    }
    EXPECT_THROW((void)detail::take_word(*page, fail_halfway), DeviceError);
}

TEST(WipedPage, IsErasedBeforeItIsGivenBack) {
    detail::WipedPagePointer page = detail::map_wiped_page();
    EXPECT_EQ(detail::take_word(*page, fill_with_sevens), 7U);
    EXPECT_EQ(page->words[0], 7U);
    watched = page.get();
    page.reset();
    EXPECT_EQ(given_back, std::vector<unsigned char>(detail::WipedPage::bytes, 0));
}

TEST(WipedPage, ErasesEachWordAsItIsHandedOut) {
    const detail::WipedPagePointer page = detail::map_wiped_page();
    EXPECT_EQ(page->remaining, 0U);
    (void)detail::take_word(*page, fill_with_sevens);
    (void)detail::take_word(*page, fill_with_sevens);
    const std::size_t left = detail::WipedPage::capacity - 2;
    EXPECT_EQ(page->remaining, left);
    EXPECT_EQ(page->words[left], 0U);
    EXPECT_EQ(page->words[left + 1], 0U);
    EXPECT_EQ(page->words[left - 1], 7U);
}

// What the kernel was told of the page: not in core dumps ("dd"), wiped in a child ("wf").
TEST(WipedPage, IsLeftOutOfCoreDumps) {
    const detail::WipedPagePointer page = detail::map_wiped_page();
    std::ifstream maps("/proc/self/smaps");
    if (!maps) {
        GTEST_SKIP() << "the kernel tells nothing of mappings";
    }
    const auto address = reinterpret_cast<std::uintptr_t>(page.get());
    bool inside = false;
    std::string flags;
    for (std::string line; std::getline(maps, line);) {
        std::uintptr_t begin = 0;
        std::uintptr_t end = 0;
        if (std::sscanf(line.c_str(), "%lx-%lx ", &begin, &end) == 2) {
            inside = begin <= address && address < end;
        } else if (inside && line.rfind("VmFlags:", 0) == 0) {
            flags = line + " ";
        }
    }
    if (flags.empty()) {
        GTEST_SKIP() << "the kernel tells no flags of mappings";
    }
    EXPECT_NE(flags.find(" dd "), std::string::npos) << flags;
    EXPECT_NE(flags.find(" wf "), std::string::npos) << flags;
}

// Signals that come meanwhile cut what one call of the kernel's gives short. All bytes are random
// all the same: that 32 in a row are zeros has a chance below 2^-233.
TEST(SystemSource, FillsAllBytesWhateverSignalsCome) {
    struct sigaction ignore {};
    ignore.sa_handler = [](int) {};
    struct sigaction before {};
    ASSERT_EQ(sigaction(SIGALRM, &ignore, &before), 0);
    const itimerval often{.it_interval = {0, 200}, .it_value = {0, 200}};
    ASSERT_EQ(setitimer(ITIMER_REAL, &often, nullptr), 0);
    std::vector<unsigned char> bytes(std::size_t{8} << 20U);
    detail::fill_from_kernel(bytes.data(), bytes.size());
    const itimerval never{};
    ASSERT_EQ(setitimer(ITIMER_REAL, &never, nullptr), 0);
    ASSERT_EQ(sigaction(SIGALRM, &before, nullptr), 0);
    const std::vector<unsigned char> zeros(32);
    EXPECT_EQ(std::search(bytes.begin(), bytes.end(), zeros.begin(), zeros.end()), bytes.end());
}

// Where a signal comes before the first byte the kernel is asked again; other errors are told.
TEST(SystemSource, AsksAgainAfterSignalsAlone) {
    std::array<unsigned char, 32> bytes{};
    errors_of_getrandom = {EINTR, EINTR, EINTR};
    EXPECT_NO_THROW(detail::fill_from_kernel(bytes.data(), bytes.size()));
    EXPECT_TRUE(errors_of_getrandom.empty());
    EXPECT_NE(bytes, (std::array<unsigned char, 32>{}));
    for (const int error : {ENOSYS, EAGAIN, EFAULT}) {
        errors_of_getrandom = {error, EINTR};
        EXPECT_THROW(detail::fill_from_kernel(bytes.data(), bytes.size()), DeviceError) << error;
        EXPECT_TRUE(errors_of_getrandom.empty());
    }
}

// Written down from an independent implementation of BLAKE2b and ChaCha20.
TEST(SeededSource, IsChaCha20UnderAHashOfSeedAndStream) {
    struct Known {
        std::uint64_t seed, stream;
        std::array<std::uint64_t, 5> words;  // numbers 0, 1, 511, 512, 5000
    };
    constexpr std::array<Known, 3> table{{
        {0,
         0,
         {0xabe3e2afb0143b48, 0x7dd3827dcb37cc07, 0x090d8d1f97d9d289, 0x49d9069681c8ef19,
          0x32edb0bc8736174a}},
        {1,
         1,
         {0xf0ff472d57e38321, 0xa6ff4728a6043e20, 0xf2f8d44847b8c77a, 0x32c0f165b9e7c769,
          0x4ea2f839f98f7a2d}},
        {~std::uint64_t{0},
         7,
         {0x93fe0e2370df9409, 0xb3eea05402a69b8d, 0x01e82e1585e4e208, 0xc1a8936a5fef8c2c,
          0xb8e8ad0e5e43c270}},
    }};
    constexpr std::array<std::size_t, 5> places{0, 1, 511, 512, 5000};
    for (const Known& known : table) {
        SeededRandomSource random(known.seed, known.stream);
        EXPECT_FALSE(random.is_secure());
        std::vector<std::uint64_t> words(5001);
        for (auto& word : words) word = random.next_word();
        for (std::size_t i = 0; i < places.size(); ++i) {
            EXPECT_EQ(words[places[i]], known.words[i]) << known.seed << " word " << places[i];
        }
    }
}

}  // namespace
}  // namespace dpcov::test
