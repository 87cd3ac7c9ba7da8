#include "research/mnist.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "dpcov/error.hpp"
#include "dpcov/table.hpp"
#include "research/decompressed_file.hpp"

namespace dpcov::research {
namespace {

constexpr std::size_t pixels = 784;
constexpr double greatest_norm = 255.0 * 28.0;  // all 28 * 28 pixels white

std::string mnist_file(const std::string& data_folder, const std::string& name) {
    std::string path = (std::filesystem::path(data_folder) / "mnist" / name).string();
    if (!std::filesystem::exists(path)) {
        throw DeviceError(path + ": no such file; put " + name +
                          " of MNIST (http://yann.lecun.com/exdb/mnist/ and its mirrors) there, "
                          "packed as it comes");
    }
    return path;
}

class Images {
public:
    explicit Images(const std::string& data_folder)
        : path_(mnist_file(data_folder, "train-images-idx3-ubyte.gz")) {
        TableOptions options;
        options.scale = greatest_norm;
        reader_ = open_table(path_, options);
        if (reader_->columns() != pixels) {
            throw DataError(path_ + ": images of " + std::to_string(reader_->columns()) +
                            " pixels; MNIST's have " + std::to_string(pixels));
        }
    }

    [[nodiscard]] std::uint64_t count() const { return reader_->row_count_hint().value(); }
    [[nodiscard]] const std::string& path() const noexcept { return path_; }

    /// Fills all of `rows` with the next images, no more than there are.
    void read(std::span<double> rows) {
        while (!rows.empty()) {
            // A file cut short throws here.
            rows = rows.subspan(reader_->read(rows) * pixels);
        }
    }

private:
    std::string path_;
    std::unique_ptr<TableReader> reader_;
};

std::vector<char> read_labels(const std::string& data_folder) {
    DecompressedFile file(mnist_file(data_folder, "train-labels-idx1-ubyte.gz"));
    std::array<char, 8> header{};
    // Two zeros, the type (unsigned bytes), one dimension; then its length, big-endian.
    constexpr std::string_view magic("\0\0\x08\x01", 4);
    if (file.read(header) < header.size() ||
        !std::string_view(header.data(), 8).starts_with(magic)) {
        throw DataError(file.path() + ": not an IDX file of labels");
    }
    std::size_t count = 0;
    for (const char byte : std::span(header).subspan(4)) {
        count = count << 8U | static_cast<std::uint8_t>(byte);
    }
    // Grows with what is there, not with what a damaged header says.
    std::vector<char> labels;
    std::array<char, 4096> block{};
    while (const std::size_t read = file.read(block)) {
        labels.insert(labels.end(), block.begin(),
                      block.begin() + static_cast<std::ptrdiff_t>(read));
    }
    if (labels.size() != count) {
        throw DataError(file.path() + ": " + std::to_string(labels.size()) + " labels where " +
                        std::to_string(count) + " are announced; fetch it again");
    }
    return labels;
}

}  // namespace

ExperimentTable mnist_table(const std::string& data_folder, std::size_t n) {
    if (n == 0) {
        throw UsageError("a table of no images; ask for at least one");
    }
    Images images(data_folder);
    if (n > images.count()) {
        throw DataError(images.path() + ": " + std::to_string(images.count()) + " images, not " +
                        std::to_string(n) + "; ask for fewer");
    }
    ExperimentTable table;
    table.name = "MNIST";
    table.n = n;
    table.d = pixels;
    table.rows.resize(n * pixels);
    images.read(table.rows);
    return table;
}

ExperimentTable mnist_digit_table(const std::string& data_folder, int digit) {
    if (digit < 0 || digit > 9) {
        throw UsageError(std::to_string(digit) + " is no digit; ask for one of 0 to 9");
    }
    Images images(data_folder);
    const std::vector<char> labels = read_labels(data_folder);
    if (labels.size() != images.count()) {
        throw DataError(images.path() + ": " + std::to_string(images.count()) + " images, but " +
                        std::to_string(labels.size()) + " labels; fetch both files again");
    }
    ExperimentTable table;
    table.name = "MNIST digit " + std::to_string(digit);
    table.d = pixels;
    std::array<double, pixels> image{};
    for (const char label : labels) {
        images.read(image);
        if (label == digit) {
            table.rows.insert(table.rows.end(), image.begin(), image.end());
            ++table.n;
        }
    }
    return table;
}

}  // namespace dpcov::research
