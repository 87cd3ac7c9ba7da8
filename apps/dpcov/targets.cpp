#include "targets.hpp"

#include <filesystem>
#include <system_error>

#include "io/atomic_file.hpp"

namespace dpcov {

namespace {

std::filesystem::path place_of(const std::string& path) {
    std::error_code ignored;
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path), ignored);
}

}  // namespace

bool same_place(const std::string& a, const std::string& b) {
    return place_of(a) == place_of(b);
}

void check_target(const std::string& path) {
    // A pipe or a device is written to directly: to open and close it now would end its reader.
    std::error_code ignored;
    if (!std::filesystem::is_other(path, ignored)) {
        const AtomicFile trial(path);
    }
}

}  // namespace dpcov
