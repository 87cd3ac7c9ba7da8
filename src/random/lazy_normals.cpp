#include "random/lazy_normals.hpp"

#include <utility>

#include "random/rounded_gaussian.hpp"

namespace dpcov::detail {

LazyNormals::LazyNormals(RandomSource& random, std::size_t count) : floors_(count) {
    for (std::size_t i = 0; i < count; ++i) {
        LazyNormal normal = lazy_normal(random);
        floors_[i] = normal.floor;
        if (normal.finer) {
            finer_.emplace(i, std::move(*normal.finer));
        }
    }
}

double LazyNormals::rough(std::size_t i) const {
    return static_cast<double>(floors_[i]) * 0x1p-55;
}

mpz_class LazyNormals::digits(RandomSource& random, std::size_t i, int bits) {
    static_assert(LazyNormal::fraction_bits == 55);
    if (bits == LazyNormal::fraction_bits) {
        return {static_cast<long>(floors_[i])};
    }
    LazyNumber& number =
        finer_.try_emplace(i, LazyNumber{static_cast<long>(floors_[i]), LazyNormal::fraction_bits})
            .first->second;
    while (number.fraction_bits < bits) {
        number.extend(random);
    }
    return number.digits >> static_cast<mp_bitcnt_t>(number.fraction_bits - bits);
}

}  // namespace dpcov::detail
