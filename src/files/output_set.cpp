#include "files/output_set.hpp"

#include <algorithm>

namespace dpcov {

void OutputSet::add(const std::string& target, std::string_view bytes) {
    if (target.empty() || is_standard_output(target)) {
        if (!standard_output_) {
            standard_output_.emplace(DirectOutput::standard_output());
        }
        standard_output_->prove();
        standard_output_bytes_ += bytes;
        return;
    }
    files_.emplace_back(target).write(bytes);
}

void OutputSet::commit() {
    for (AtomicFile& file : files_) {
        file.sync();
    }
    if (standard_output_) {
        standard_output_->prove();
    }
    try {
        for (AtomicFile& file : files_) {
            if (file.is_direct()) {
                file.commit();
            }
        }
        if (standard_output_) {
            standard_output_->write(standard_output_bytes_);
        }
        for (AtomicFile& file : files_) {
            if (!file.is_direct()) {
                file.commit_reversibly();
            }
        }
    } catch (...) {
        std::for_each(files_.rbegin(), files_.rend(), [](AtomicFile& file) { file.take_back(); });
        if (standard_output_) {
            standard_output_->take_back();
        }
        throw;
    }
}

}  // namespace dpcov
