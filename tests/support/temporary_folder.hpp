// A folder that is empty at first and goes with the test.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace dpcov::test {

class TemporaryFolder {
public:
    TemporaryFolder()
        : name_((std::filesystem::temp_directory_path() / "dpcov-test-XXXXXX").string()) {
        if (::mkdtemp(name_.data()) == nullptr) {
            throw std::runtime_error("cannot make a folder for the test");
        }
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(name_, ignored);
    }

    [[nodiscard]] const std::string& path() const noexcept { return name_; }
    [[nodiscard]] std::string operator/(const std::string& name) const {
        return name_ + "/" + name;
    }

    /// Names of everything in the folder, hidden files included.
    [[nodiscard]] std::vector<std::string> names() const {
        std::vector<std::string> found;
        for (const auto& entry : std::filesystem::directory_iterator(name_)) {
            found.push_back(entry.path().filename().string());
        }
        return found;
    }

private:
    std::string name_;
};

}  // namespace dpcov::test
