// Independent real N(0, 1) variables, known by their leading digits; more are drawn when a decision
// needs them, and then kept: each is one number throughout.
#pragma once

#include <gmpxx.h>

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "random/lazy_number.hpp"
#include "random/random_source.hpp"

namespace dpcov::detail {

class LazyNormals {
public:
    LazyNormals(RandomSource& random, std::size_t count);

    /// The double nearest to floor(2^55 number i) 2^-55: off by at most 1.01 u |it| + u / 4, u =
    /// 2^-53.
    [[nodiscard]] double rough(std::size_t i) const;

    /// Number i lies in [it, it + 1] 2^-bits; bits >= 55.
    [[nodiscard]] mpz_class digits(RandomSource& random, std::size_t i, int bits);

private:
    /// Number i lies in [floors_[i], floors_[i] + 1] 2^-55. Magnitudes below 2^8 are taken for
    /// granted, which fails with probability below exp(-2^15).
    std::vector<std::int64_t> floors_;
    std::unordered_map<std::size_t, LazyNumber> finer_;
};

}  // namespace dpcov::detail
