// Drives the real dpcov program, in a folder of its own.
#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/temporary_folder.hpp"

namespace dpcov::test {

/// How a run of the program ended.
struct Outcome {
    int status = -1;  ///< exit status; 128 + signal where one ended it
    std::string out;  ///< standard output
    std::string err;  ///< standard error
};

/// Gives each test an empty folder, and the program to run in it.
class ProgramTest : public ::testing::Test {
protected:
    /// Runs `dpcov arguments...` inside the folder. Standard output goes to `out_path` where given.
    Outcome run(const std::vector<std::string>& arguments, const std::string& input = "",
                const std::string& out_path = "") const;
    /// As run, under a limit on the size of the files it may write.
    Outcome run_with_file_size_limit(const std::vector<std::string>& arguments,
                                     std::size_t bytes) const;
    /// As run, without the rights of root where the test has them. The program can then enter the
    /// folder only if others may.
    Outcome run_as_nobody(const std::vector<std::string>& arguments,
                          const std::string& input) const;

    /// As run, under a limit on its address space; or `program` in place of dpcov.
    Outcome run_with_memory_limit(const std::vector<std::string>& arguments, std::size_t bytes,
                                  const std::string& program = DPCOV_PROGRAM) const;

    /// Whether what is built lies where everyone may read it, which that needs.
    [[nodiscard]] bool nobody_can_run_it() const;

    /// Runs it beside the test, without any stream; a run that hangs ends by itself.
    [[nodiscard]] pid_t start(const std::vector<std::string>& arguments) const;

    [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }
    void write(const std::string& name, const std::string& content) const;
    [[nodiscard]] std::string read(const std::string& name) const;
    /// Names of what lies in the folder, sorted.
    [[nodiscard]] std::vector<std::string> files() const;
    [[nodiscard]] nlohmann::json read_json(const std::string& name) const;
    /// What `dpcov methods --json` lists.
    [[nodiscard]] nlohmann::json list_methods() const;

private:
    Outcome spawn(const std::vector<std::string>& arguments, const std::string& input,
                  const std::string& out_path, std::size_t file_size_limit,
                  std::size_t memory_limit, bool as_nobody = false,
                  const std::string& program = DPCOV_PROGRAM) const;

    TemporaryFolder folder_;   ///< what the program sees
    TemporaryFolder streams_;  ///< where its standard streams lie
};

/// Waits for a process, and returns how it ended, as Outcome's status.
[[nodiscard]] int wait_for(pid_t child);

/// Expects every one of `words` in `text`.
void expect_told(const std::string& text, const std::vector<std::string>& words);

/// The rows of a CSV of numbers. Fails the test where it is not one.
std::vector<std::vector<double>> parse_csv(const std::string& text);

/// A .npy of float64, C order.
std::string npy(std::size_t rows, std::size_t columns, const std::vector<double>& values);

/// `rows` x `columns` numbers in [-1, 1), always the same.
std::vector<double> some_values(std::size_t rows, std::size_t columns);

/// The CSV of a row-major table, every number in full.
std::string csv(std::size_t columns, const std::vector<double>& values,
                const std::string& header = "");

}  // namespace dpcov::test
