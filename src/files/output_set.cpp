#include "files/output_set.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "dpcov/error.hpp"
#include "files/deferred_signals.hpp"
#include "files/descriptor.hpp"
#include "files/folder_lock.hpp"

namespace dpcov {
namespace {

/// Of commands that write to the same files at the same time one is to go first with all of them.
/// Folders in order, so that no two wait for each other. Best effort, and not for long: not every
/// file system has locks, and anybody who may read a folder can hold its lock.
void lock_folders(const std::deque<AtomicFile>& files, std::deque<FolderLock>& locks) {
    std::map<std::pair<dev_t, ino_t>, std::string> by_folder;  // whatever the folder is called
    std::size_t renamed = 0;
    for (const AtomicFile& file : files) {
        struct stat status {};
        if (!file.is_direct()) {
            ++renamed;
            if (::stat(folder_of(file.target()).c_str(), &status) == 0) {
                by_folder.emplace(std::pair(status.st_dev, status.st_ino), file.target());
            }
        }
    }
    if (renamed < 2) {
        return;
    }
    for (const auto& [folder, target] : by_folder) {
        try {
            if (auto lock = FolderLock::within(target, std::chrono::seconds(2))) {
                locks.push_back(std::move(*lock));
            }  // else without it: the files come all the same
        } catch (const DeviceError&) {
            continue;
        }
    }
}

}  // namespace

void OutputSet::add(const std::string& target, std::string_view bytes, Descriptor opened) {
    if (target.empty() || is_standard_output(target)) {
        if (!standard_output_) {
            standard_output_.emplace(DirectOutput::of_descriptor(STDOUT_FILENO, "standard output"));
        }
        standard_output_->prove();
        standard_output_bytes_ += bytes;
        return;
    }
    files_.emplace_back(target, AtomicFile::Readers::umask, std::move(opened)).write(bytes);
}

void OutputSet::commit(Afterwards afterwards) {
    for (AtomicFile& file : files_) {
        file.sync();
    }
    if (standard_output_) {
        standard_output_->prove();
    }
    std::deque<FolderLock> alone;
    std::optional<DeferredSignals> together;  // until nothing is left beside the targets
    try {
        for (AtomicFile& file : files_) {
            if (file.is_direct()) {
                file.commit();
            }
        }
        if (standard_output_) {
            standard_output_->write(standard_output_bytes_);
        }
        lock_folders(files_, alone);
        together.emplace();
        const auto each_renamed = [this](const auto& step) {
            for (AtomicFile& file : files_) {
                if (!file.is_direct()) {
                    step(file);
                }
            }
        };
        each_renamed([](AtomicFile& file) { file.make_ready(); });
        each_renamed([](AtomicFile& file) { file.commit_reversibly(); });  // one behind another
        each_renamed([](const AtomicFile& file) { file.settle(); });
        files_.clear();  // and what they replaced
        if (afterwards == Afterwards::ends) {
            together->end_well_from_now_on();
        }
    } catch (const DeviceError& error) {
        throw DeviceError(error.what() + take_back(), error.system_error());
    } catch (...) {
        static_cast<void>(take_back());
        throw;
    }
}

/// Gives what is to be said of older files that could not be put back.
std::string OutputSet::take_back() {
    std::for_each(files_.rbegin(), files_.rend(), [](AtomicFile& file) { file.take_back(); });
    if (standard_output_) {
        standard_output_->take_back();
    }
    std::string left;
    for (const AtomicFile& file : files_) {
        if (!file.left_aside().empty()) {
            left += "; what was at " + file.target() + " could not be put back: it is now at " +
                    file.left_aside();
        }
    }
    files_.clear();
    return left;
}

}  // namespace dpcov
