#include "targets.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "dpcov/error.hpp"
#include "files/output_set.hpp"

namespace dpcov {

namespace {

std::filesystem::path place_of(const std::string& path) {
    std::error_code ignored;
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path), ignored);
}

bool find_status(const std::string& target, struct stat& status) {
    return (target == standard_output_word ? ::fstat(STDOUT_FILENO, &status)
                                           : ::stat(target.c_str(), &status)) == 0;
}

}  // namespace

std::string path_of(const std::string& target) {
    return target == standard_output_word ? "" : target;
}

bool same_place(const std::string& a, const std::string& b) {
    struct stat at_a {};
    struct stat at_b {};
    if (find_status(a, at_a) && find_status(b, at_b)) {
        return at_a.st_dev == at_b.st_dev && at_a.st_ino == at_b.st_ino;
    }
    return a == b ||
           (a != standard_output_word && b != standard_output_word && place_of(a) == place_of(b));
}

void check_target(const std::string& target) {
    OutputSet trial;
    trial.add(path_of(target), "");
}

void require_ledger(const std::string& path) {
    if (std::error_code unknown; !std::filesystem::exists(path, unknown) && !unknown) {
        throw DeviceError("there is no ledger " + path + "; begin one with 'dpcov ledger init'");
    }
}

}  // namespace dpcov
