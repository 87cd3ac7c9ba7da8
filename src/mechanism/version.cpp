#include "dpcov/version.hpp"

namespace dpcov {

std::string_view version() {
    return DPCOV_VERSION;
}

}  // namespace dpcov
