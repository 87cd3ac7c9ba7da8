// The Gram matrix of integer rows that are mostly zeros, exactly, in the time of their pairs.
#pragma once

#include <cstddef>
#include <span>

#include "arithmetic/packed_symmetric.hpp"
#include "dpcov/sparse_row.hpp"

namespace dpcov::detail {

/// Adds q q^T of each row of integer-valued doubles with |q|^2 <= 2^(2 radius_bits) to `total`,
/// which has all of its entries, or with sign -1 takes it away. Exact: a product is at most 2^40 in
/// magnitude, so an entry is at most 2^40 times the number of rows. A count of rows is below 2^64,
/// hence an entry below 2^104, and 128 bits hold it whatever the order.
void add_sparse_gram(std::span<const SparseRow> rows, PackedGram& total, unsigned threads,
                     int sign) noexcept;

/// Products that add_sparse_gram() forms.
[[nodiscard]] double sparse_gram_products(std::span<const SparseRow> rows) noexcept;

/// Whether it is likely to be faster than spreading the rows out over `d` columns for BLAS. Either
/// way gives the same integers, so that the choice may depend on rows: it shows in time alone.
[[nodiscard]] bool sparse_gram_is_faster(std::span<const SparseRow> rows, std::size_t d) noexcept;

}  // namespace dpcov::detail
