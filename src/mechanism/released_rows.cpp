#include "mechanism/released_rows.hpp"

#include <utility>

namespace dpcov::detail {

ReleasedRows::ReleasedRows(std::shared_ptr<const SecretMoment> rows,
                           std::shared_ptr<SecretMoment> given)
    : rows_(std::move(rows)), given_(std::move(given)) {}

ReleasedRows ReleasedRows::lent(std::shared_ptr<const SecretMoment> rows) {
    return {std::move(rows), nullptr};
}

ReleasedRows ReleasedRows::given(std::shared_ptr<SecretMoment> rows) {
    return {rows, std::move(rows)};
}

void ReleasedRows::forget(const BinRange& bins) const noexcept {
    if (given_) {
        given_->forget_sums(bins);
    }
}

void ReleasedRows::forget_all() const noexcept {
    forget({0, rows_->norm_bins().size() - 1});
}

}  // namespace dpcov::detail
