#include "research/mnist.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <numeric>

#include "dpcov/error.hpp"
#include "tables/table_support.hpp"

namespace dpcov::test {
namespace {

using research::ExperimentTable;
using research::mnist_digit_table;
using research::mnist_table;

std::string idx(unsigned dimensions, const std::vector<std::uint32_t>& sizes,
                const std::string& data) {
    std::string file = {'\0', '\0', '\x08', static_cast<char>(dimensions)};
    for (const std::uint32_t size : sizes) {
        file += encode(size, true);
    }
    return file + data;
}

/// Images of one colour each: 0, 51, 102, 255.
class Mnist : public testing::Test {
protected:
    Mnist() {
        std::filesystem::create_directory(root_ / "mnist");
        for (const char colour : {'\x00', '\x33', '\x66', '\xff'}) {
            pixels_ += std::string(784, colour);
        }
        put_images(idx(3, {4, 28, 28}, pixels_));
        put_labels(idx(1, {4}, std::string("\x05\x00\x09\x05", 4)));
    }

    void put_images(const std::string& file) { write_file(images_, gzip(file)); }
    void put_labels(const std::string& file) { write_file(labels_, gzip(file)); }

    TemporaryFolder root_;
    std::string folder_ = root_ / "";
    std::string images_ = root_ / "mnist/train-images-idx3-ubyte.gz";
    std::string labels_ = root_ / "mnist/train-labels-idx1-ubyte.gz";
    std::string pixels_;
};

TEST_F(Mnist, TakesTheFirstImages) {
    const ExperimentTable table = mnist_table(folder_, 2);
    EXPECT_EQ(table.name, "MNIST");
    EXPECT_EQ(table.n, 2U);
    EXPECT_EQ(table.d, 784U);
    ASSERT_EQ(table.rows.size(), 2U * 784);
    EXPECT_EQ(table.rows.front(), 0.0);
    EXPECT_EQ(table.rows.back(), 51.0 / 7140.0);
    EXPECT_EQ(mnist_table(folder_, 4).rows.back(), 255.0 / 7140.0);
}

TEST_F(Mnist, TakesTheImagesOfADigit) {
    const ExperimentTable table = mnist_digit_table(folder_, 5);
    EXPECT_EQ(table.name, "MNIST digit 5");
    EXPECT_EQ(table.n, 2U);
    ASSERT_EQ(table.rows.size(), 2U * 784);
    EXPECT_EQ(table.rows.front(), 0.0);
    EXPECT_EQ(table.rows.back(), 255.0 / 7140.0);
    EXPECT_EQ(mnist_digit_table(folder_, 9).rows, std::vector<double>(784, 102.0 / 7140.0));
    EXPECT_EQ(mnist_digit_table(folder_, 1).n, 0U);
}

TEST_F(Mnist, RefusesRequestsThatMakeNoSense) {
    expect_error<UsageError>([&] { (void)mnist_table(folder_, 0); }, {"at least one"});
    expect_error<UsageError>([&] { (void)mnist_digit_table(folder_, 10); }, {"10", "0 to 9"});
    expect_error<UsageError>([&] { (void)mnist_digit_table(folder_, -1); }, {"-1", "0 to 9"});
    expect_error<DataError>([&] { (void)mnist_table(folder_, 5); }, {images_, "4 images", "not 5"});
}

TEST_F(Mnist, TellsWhatIsMissingAndWhereItComesFrom) {
    std::filesystem::remove(labels_);
    EXPECT_EQ(mnist_table(folder_, 1).n, 1U);
    expect_error<DeviceError>([&] { (void)mnist_digit_table(folder_, 5); },
                              {labels_, "no such file", "http"});
    std::filesystem::remove(images_);
    expect_error<DeviceError>([&] { (void)mnist_table(folder_, 1); },
                              {images_, "no such file", "http"});
}

TEST_F(Mnist, RefusesDamagedFiles) {
    put_labels(idx(1, {3}, std::string("\x05\x00\x09", 3)));
    expect_error<DataError>([&] { (void)mnist_digit_table(folder_, 5); },
                            {images_, "4 images", "3 labels"});
    put_labels(idx(1, {4}, std::string("\x05\x00\x09", 3)));
    expect_error<DataError>([&] { (void)mnist_digit_table(folder_, 5); },
                            {labels_, "3 labels where 4"});
    for (const std::string& file : {idx(2, {2, 2}, "abcd"), std::string("\0\0\x08\x01", 4)}) {
        put_labels(file);
        expect_error<DataError>([&] { (void)mnist_digit_table(folder_, 5); }, {labels_, "labels"});
    }
    const std::string packed = gzip(idx(1, {4}, "abcd"));
    write_file(labels_, packed.substr(0, packed.size() - 10));
    expect_error<DataError>([&] { (void)mnist_digit_table(folder_, 5); }, {labels_});

    put_images(idx(3, {4, 28, 27}, pixels_.substr(0, std::size_t{4} * 28 * 27)));
    expect_error<DataError>([&] { (void)mnist_table(folder_, 1); }, {images_, "756", "784"});
    put_images(idx(3, {5, 28, 28}, pixels_));
    expect_error<DataError>([&] { (void)mnist_table(folder_, 5); }, {images_});
}

TEST(MnistItself, HasTheKnownDigits) {
    const char* const data = std::getenv("DPCOV_DATA");
    if (data == nullptr) {
        GTEST_SKIP() << "DPCOV_DATA names no folder with MNIST";
    }
    const auto pixel_sum = [](const ExperimentTable& table) {
        return std::llround(7140.0 * std::accumulate(table.rows.begin(), table.rows.end(), 0.0));
    };
    // Counts and sums were computed with numpy.
    const ExperimentTable sevens = mnist_digit_table(data, 7);
    EXPECT_EQ(sevens.n, 6265U);
    EXPECT_EQ(pixel_sum(sevens), 143'445'804);
    const ExperimentTable first = mnist_table(data, 6000);
    EXPECT_EQ(first.n, 6000U);
    EXPECT_EQ(pixel_sum(first), 157'703'741);
}

}  // namespace
}  // namespace dpcov::test
