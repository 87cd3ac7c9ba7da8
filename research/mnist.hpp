// MNIST's training images (LeCun, Cortes, Burges), as the paper's experiments scale them.
#pragma once

#include <cstddef>
#include <string>

#include "research/experiment_table.hpp"

namespace dpcov::research {

/// The first n of the 60,000 training images, 784 pixels each over 7140 = 255 * 28: norms are at
/// most 1 for any image whatever. Reads mnist/train-images-idx3-ubyte.gz in `data_folder`.
/// Throws UsageError (n is 0), DeviceError (no such file; the text says where it comes from) or
/// DataError (not such a file, damaged, fewer than n images).
[[nodiscard]] ExperimentTable mnist_table(const std::string& data_folder, std::size_t n);

/// All training images of one digit, 0 to 9, scaled the same way, in the order of the file. Reads
/// mnist/train-labels-idx1-ubyte.gz as well.
/// Throws UsageError (no digit) and what mnist_table() does.
[[nodiscard]] ExperimentTable mnist_digit_table(const std::string& data_folder, int digit);

}  // namespace dpcov::research
