#include "ledger_path.hpp"

#include <filesystem>
#include <system_error>

#include "dpcov/error.hpp"

namespace dpcov {

void add_ledger_path(CLI::App& command, std::string& path) {
    command.add_option("LEDGER", path, "The ledger's file")->required()->type_name("");
}

void require_ledger(const std::string& path) {
    if (std::error_code unknown; !std::filesystem::exists(path, unknown) && !unknown) {
        throw DeviceError("there is no ledger " + path + "; begin one with 'dpcov ledger init'");
    }
}

}  // namespace dpcov
