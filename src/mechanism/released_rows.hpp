// SECRET. The rows that a release is drawn from: lent by someone who may draw another one from
// them, or given up to this one, which then gives back their memory as soon as it can.
#pragma once

#include <memory>

#include "moment/norm_bins.hpp"
#include "moment/secret_moment.hpp"

namespace dpcov::detail {

class ReleasedRows {
public:
    /// Lent by a caller who keeps them for longer than this is used.
    ReleasedRows(const SecretMoment& lent)  // NOLINT(google-explicit-constructor): what most do
        : rows_(std::shared_ptr<void>(), &lent) {}
    [[nodiscard]] static ReleasedRows lent(std::shared_ptr<const SecretMoment> rows);
    [[nodiscard]] static ReleasedRows given(std::shared_ptr<SecretMoment> rows);

    const SecretMoment& operator*() const noexcept { return *rows_; }
    const SecretMoment* operator->() const noexcept { return rows_.get(); }

    /// To be called when nothing more is drawn from those bins: their sums are gone, where the rows
    /// were given. Their numbers of rows stay.
    void forget(const BinRange& bins) const noexcept;
    void forget_all() const noexcept;

private:
    ReleasedRows(std::shared_ptr<const SecretMoment> rows, std::shared_ptr<SecretMoment> given);

    std::shared_ptr<const SecretMoment> rows_;
    std::shared_ptr<SecretMoment> given_;  ///< the same; none where they are lent
};

}  // namespace dpcov::detail
