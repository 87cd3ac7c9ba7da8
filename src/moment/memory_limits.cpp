#include "moment/memory_limits.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <limits>
#include <sstream>

namespace dpcov::detail {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

double limit_of(decltype(RLIMIT_AS) resource) {
    rlimit limit{};
    return ::getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY
               ? infinite
               : static_cast<double>(limit.rlim_cur);
}

// The number in a file that has nothing else; infinity for "max", or where there is none.
double number_in(const std::string& path) {
    std::ifstream file(path);
    double number = 0.0;
    return file >> number ? number : infinite;
}

// The least limit from a group up to the root of its hierarchy. In a container the group's path may
// be one of the host's, of which only the root is there.
double least_on_the_way(const std::string& hierarchy, std::string group, const std::string& name) {
    double least = infinite;
    for (;;) {
        least = std::fmin(least, number_in(hierarchy + group + "/" + name));
        if (group.empty()) {
            return least;
        }
        group.resize(group.find_last_of('/'));
    }
}

double control_group_limit(const std::string& root) {
    std::ifstream file(root + "/proc/self/cgroup");  // lines "number:controllers:/group"
    double least = infinite;
    for (std::string line; std::getline(file, line);) {
        std::istringstream fields(line);
        std::string number;
        std::string controllers;
        std::string group;
        std::getline(fields, number, ':');
        std::getline(fields, controllers, ':');
        std::getline(fields, group);
        if (group.empty() || group.front() != '/') {
            continue;
        }
        if (group == "/") {
            group.clear();
        }
        if (controllers.empty()) {  // version 2
            least =
                std::fmin(least, least_on_the_way(root + "/sys/fs/cgroup", group, "memory.max"));
        } else if (("," + controllers + ",").find(",memory,") != std::string::npos) {
            least = std::fmin(least, least_on_the_way(root + "/sys/fs/cgroup/memory", group,
                                                      "memory.limit_in_bytes"));
        }
    }
    return least;
}

double available_memory(const std::string& root) {
    std::ifstream file(root + "/proc/meminfo");  // lines "name: number kB"
    double kilobytes = 0.0;
    bool found = false;
    for (std::string line; std::getline(file, line);) {
        std::istringstream fields(line);
        std::string name;
        double value = 0.0;
        if (fields >> name >> value && (name == "MemAvailable:" || name == "SwapFree:")) {
            kilobytes += value;
            found = found || name == "MemAvailable:";
        }
    }
    return found ? kilobytes * 1024.0 : infinite;
}

}  // namespace

std::array<AddressSpace, 2> address_space() {
    constexpr std::size_t mapped = 0;
    constexpr std::size_t writable = 5;
    std::array<double, writable + 1> pages{};  // 0 where it cannot be read
    std::ifstream file("/proc/self/statm");
    std::for_each(pages.begin(), pages.end(), [&file](double& number) { file >> number; });
    const auto page = static_cast<double>(::sysconf(_SC_PAGESIZE));
    return {{{limit_of(RLIMIT_AS), pages[mapped] * page},
             {limit_of(RLIMIT_DATA), pages[writable] * page}}};
}

double resident_memory_limit(const std::string& root) {
    return std::fmin(control_group_limit(root), available_memory(root));
}

}  // namespace dpcov::detail
