#include "apps/program.hpp"

#include <fcntl.h>
#include <grp.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <sstream>
#include <stdexcept>

namespace dpcov::test {
namespace {

namespace fs = std::filesystem;

constexpr unsigned patience_seconds = 300;
constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

std::string read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        ADD_FAILURE() << "cannot read " << path;
    }
    std::ostringstream content;
    content << file.rdbuf();
    return content.str();
}

void write_file(const std::string& path, const std::string& content) {
    std::ofstream file(path, std::ios::binary);
    file << content;
    if (!file.flush()) {
        throw std::runtime_error("cannot write " + path);
    }
}

/// In the child: `path` becomes the stream `descriptor`.
void redirect(const std::string& path, int flags, int descriptor) {
    const int file = ::open(path.c_str(), flags | O_CLOEXEC, 0600);
    if (file < 0 || ::dup2(file, descriptor) < 0) {
        ::_exit(127);
    }
}

/// In the child, where it is root's.
void become_nobody() {
    constexpr unsigned nobody = 65534;
    if (::geteuid() == 0 &&
        (::setgroups(0, nullptr) != 0 || ::setgid(nobody) != 0 || ::setuid(nobody) != 0)) {
        ::_exit(126);
    }
}

/// Starts a program inside of the folder. In the child `prepare` comes first.
template <class Prepare>
pid_t start_program(std::string program, std::vector<std::string> arguments,
                    const std::string& folder, const Prepare& prepare) {
    std::vector<char*> argv = {program.data()};
    for (std::string& word : arguments) {
        argv.push_back(word.data());
    }
    argv.push_back(nullptr);
    const pid_t child = ::fork();
    if (child == 0) {
        ::alarm(patience_seconds);  // survives exec: a program that hangs ends, and the test fails
        if (::chdir(folder.c_str()) == 0) {
            prepare();
            ::execv(program.c_str(), argv.data());
        }
        ::_exit(127);
    }
    if (child < 0) {
        throw std::runtime_error("cannot start " + program);
    }
    return child;
}

}  // namespace

Outcome ProgramTest::run(const std::vector<std::string>& arguments, const std::string& input,
                         const std::string& out_path) const {
    return spawn(arguments, input, out_path, no_limit, no_limit);
}

Outcome ProgramTest::run_with_file_size_limit(const std::vector<std::string>& arguments,
                                              std::size_t bytes) const {
    return spawn(arguments, "", "", bytes, no_limit);
}

Outcome ProgramTest::run_with_memory_limit(const std::vector<std::string>& arguments,
                                           std::size_t bytes, const std::string& program) const {
    return spawn(arguments, "", "", no_limit, bytes, false, program);
}

Outcome ProgramTest::run_as_nobody(const std::vector<std::string>& arguments,
                                   const std::string& input) const {
    return spawn(arguments, input, "", no_limit, no_limit, true);
}

Outcome ProgramTest::spawn(const std::vector<std::string>& arguments, const std::string& input,
                           const std::string& out_path, std::size_t file_size_limit,
                           std::size_t memory_limit, bool as_nobody,
                           const std::string& program) const {
    const std::string in = streams_ / "in";
    const std::string out = out_path.empty() ? streams_ / "out" : out_path;
    const std::string err = streams_ / "err";
    write_file(in, input);

    const pid_t child = start_program(program, arguments, folder_.path(), [&] {
        redirect(in, O_RDONLY, STDIN_FILENO);
        redirect(out, O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
        redirect(err, O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
        if (file_size_limit != no_limit) {
            const rlimit limit = {file_size_limit, file_size_limit};
            ::setrlimit(RLIMIT_FSIZE, &limit);
        }
        if (memory_limit != no_limit) {
            const rlimit limit = {memory_limit, memory_limit};
            ::setrlimit(RLIMIT_AS, &limit);
        }
        if (as_nobody) {
            become_nobody();
        }
    });
    Outcome outcome;
    outcome.status = wait_for(child);
    outcome.out = out_path.empty() ? read_file(out) : "";
    outcome.err = read_file(err);
    return outcome;
}

void ProgramTest::write(const std::string& name, const std::string& content) const {
    write_file(path(name), content);
}

std::string ProgramTest::read(const std::string& name) const {
    return read_file(path(name));
}

std::vector<std::string> ProgramTest::files() const {
    std::vector<std::string> names;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder_.path())) {
        names.push_back(entry.path().lexically_relative(folder_.path()).string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

nlohmann::json ProgramTest::read_json(const std::string& name) const {
    return nlohmann::json::parse(read(name));
}

nlohmann::json ProgramTest::list_methods() const {
    return nlohmann::json::parse(run({"methods", "--json"}).out);
}

void expect_told(const std::string& text, const std::vector<std::string>& words) {
    for (const std::string& word : words) {
        EXPECT_TRUE(text.find(word) != std::string::npos) << "'" << word << "' is not in:\n"
                                                          << text;
    }
}

std::vector<std::vector<double>> parse_csv(const std::string& text) {
    std::vector<std::vector<double>> rows;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::vector<double> row;
        std::istringstream fields(line);
        for (std::string field; std::getline(fields, field, ',');) {
            double value = 0.0;
            const char* end = field.data() + field.size();
            const auto [stop, error] = std::from_chars(field.data(), end, value);
            if (error != std::errc() || stop != end) {
                ADD_FAILURE() << "not a number: " << field;
            }
            row.push_back(value);
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

std::string npy(std::size_t rows, std::size_t columns, const std::vector<double>& values) {
    std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (" +
                         std::to_string(rows) + ", " + std::to_string(columns) + "), }";
    header.resize(118 - 1, ' ');
    header += '\n';
    std::string file("\x93NUMPY\x01\x00", 8);
    file += static_cast<char>(header.size());
    file += '\0';
    file += header;
    file.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
    return file;
}

std::vector<double> some_values(std::size_t rows, std::size_t columns) {
    std::mt19937_64 generator(1);
    std::vector<double> values(rows * columns);
    for (double& value : values) {
        value = static_cast<double>(static_cast<std::int64_t>(generator())) * 0x1p-63;
    }
    return values;
}

std::string csv(std::size_t columns, const std::vector<double>& values, const std::string& header) {
    std::string text = header.empty() ? "" : header + "\n";
    std::array<char, 32> number{};
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto result = std::to_chars(number.begin(), number.end(), values[i]);
        text.append(number.data(), result.ptr);
        text += (i + 1) % columns == 0 ? '\n' : ',';
    }
    return text;
}

pid_t ProgramTest::start(const std::vector<std::string>& arguments) const {
    return start_program(DPCOV_PROGRAM, arguments, folder_.path(), [] {
        redirect("/dev/null", O_RDONLY, STDIN_FILENO);
        redirect("/dev/null", O_WRONLY, STDOUT_FILENO);
        redirect("/dev/null", O_WRONLY, STDERR_FILENO);
    });
}

bool ProgramTest::nobody_can_run_it() const {
    const int status = run_as_nobody({"--version"}, "").status;
    return ::geteuid() != 0 || (status != 126 && status != 127);
}

int wait_for(pid_t child) {
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace dpcov::test
