#include "gil.hpp"

#include <unistd.h>

namespace dpcov::python {

void stay() noexcept {
    while (true) {
        ::pause();
    }
}

}  // namespace dpcov::python
