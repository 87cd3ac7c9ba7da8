#include "random/random_source.hpp"
#include "random/wiped_page.hpp"

namespace dpcov {

SystemRandomSource::SystemRandomSource() : page_(detail::map_wiped_page()) {
    detail::fill_page(*page_, detail::fill_from_kernel);
}

std::uint64_t SystemRandomSource::next_word() {
    return detail::take_word(*page_, detail::fill_from_kernel);
}

}  // namespace dpcov
