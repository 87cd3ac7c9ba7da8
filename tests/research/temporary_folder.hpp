// A folder that is empty at first and goes with the test.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <stdexcept>
#include <string>

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

    [[nodiscard]] std::string path(const std::string& name) const { return name_ + "/" + name; }

private:
    std::string name_;
};

}  // namespace dpcov::test
