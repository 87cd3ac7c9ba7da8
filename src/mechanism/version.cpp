#include <string_view>

#include "dpcov/methods.hpp"

namespace dpcov {

std::string_view version() {
    return DPCOV_VERSION;
}

}  // namespace dpcov
