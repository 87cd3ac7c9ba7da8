#include "moment/secret_moment.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "arithmetic/digit_gram.hpp"
#include "arithmetic/exact_blas.hpp"
#include "arithmetic/packed_symmetric.hpp"
#include "arithmetic/resident_memory.hpp"
#include "arithmetic/wide_sums.hpp"
#include "dpcov/error.hpp"
#include "dpcov/limits.hpp"
#include "moment/layout_difference.hpp"
#include "moment/memory_need.hpp"
#include "tables/norm_bounds.hpp"
#include "text/public_name.hpp"

namespace dpcov::detail {
namespace {

void add_sum(ExactSums& to, const ExactSums& from) {
    to.resize(from.size());  // there is room
    for (std::size_t j = 0; j < from.size(); ++j) {
        to[j] += from[j];
    }
}

void add_bin(SecretMoment::Bin& to, const SecretMoment::Bin& from) {
    if (from.rows > 0) {
        to.rows += from.rows;
        to.gram.add(from.gram);
        add_sum(to.sum, from.sum);
    }
}

// The bin of `to` that takes the rows of bin i of `from`, which are as fine or finer.
std::size_t corresponding(std::size_t i, const NormBins& from, const NormBins& to) {
    return to.of_row(from.octave(i), from.squared_edge(i));
}

}  // namespace

void check_norm_bound(double norm_bound) {
    static_assert(limits::least_norm_bound <= least_stated_norm_bound &&
                  limits::greatest_norm_bound >= greatest_stated_norm_bound);
    if (!(norm_bound >= limits::least_norm_bound && norm_bound <= limits::greatest_norm_bound)) {
        throw UsageError(
            "the norm bound must be between 2^-200 and 2^200 (6.3e-61 and 1.6e60); change the "
            "units of the columns");
    }
}

SecretMoment::SecretMoment(const MomentLayout& layout)
    : SecretMoment(layout, NormBins::for_columns(layout.columns)) {}

SecretMoment::SecretMoment(MomentLayout layout, const NormBins& bins)
    : layout_(std::move(layout)),
      norm_bins_(bins),
      bins_(bins.size()),
      directions_(static_cast<std::size_t>(NormBins::octaves)) {
    if (layout_.columns < 1) {
        throw UsageError("a second moment needs at least one column");
    }
    if (layout_.columns > limits::columns) {
        throw UsageError("a second moment has at most " + std::to_string(limits::columns) +
                         " columns, not " + std::to_string(layout_.columns) + "; select fewer");
    }
    check_norm_bound(layout_.norm_bound);
    if (!layout_.dataset.empty()) {
        detail::check_name("a data set", layout_.dataset);
    }
    require_memory(memory_need(layout_, norm_bins_));
    require_exact_blas();
    static_cast<void>(usable_digit_kernel());  // the trial takes memory, once
    take_memory();
}

SecretMoment::SecretMoment(const SecretMoment& other)
    : layout_(other.layout_),
      norm_bins_(other.norm_bins_),
      bins_(other.bins_.size()),
      directions_(other.directions_.size()),
      zero_rows_(other.zero_rows_),
      untouched_(other.untouched_),
      parts_(other.parts_) {
    take_memory();
    // Element by element, into the memory that is there.
    std::copy(other.bins_.begin(), other.bins_.end(), bins_.begin());
    std::copy(other.directions_.begin(), other.directions_.end(), directions_.begin());
}

SecretMoment& SecretMoment::operator=(const SecretMoment& other) {
    return *this = SecretMoment(other);
}

SecretMoment::SecretMoment(SecretMoment&&) noexcept = default;
SecretMoment& SecretMoment::operator=(SecretMoment&&) noexcept = default;
SecretMoment::~SecretMoment() = default;

void SecretMoment::take_memory() {
    const std::size_t d = layout_.columns;
    const std::size_t entries = packed_size(d);
    const bool resident = memory_need(layout_, norm_bins_).sums_are_resident();
    const std::size_t totals = bins_.size() + (layout_.keep_directions ? directions_.size() : 0);
    // What is resident is one piece of memory: each sum is too small for huge pages.
    std::shared_ptr<std::int64_t[]> all;
    if (resident) {
        all = words_of_zeros(2 * entries * totals);
        touch(all.get(), 2 * entries * totals * sizeof(std::int64_t));
    }
    std::size_t taken = 0;
    const auto take = [&](WideSums& values) {
        if (resident) {
            values = WideSums({all, all.get() + 2 * entries * taken++}, entries);
        } else {
            values.reserve(entries);
        }
    };
    for (Bin& bin : bins_) {
        take(bin.gram);
        bin.sum.reserve(d);
        touch(bin.sum.data(), d * sizeof(Int128));
    }
    for (WideSums& directions : directions_) {
        if (layout_.keep_directions) {
            take(directions);
        }
    }
}

// A count that went below zero is beyond.
bool SecretMoment::has_possible_counts() const noexcept {
    return std::all_of(bins_.begin(), bins_.end(),
                       [](const Bin& bin) { return bin.rows <= limits::rows; });
}

void SecretMoment::merge(const SecretMoment& other) {
    require_same_layout(layout_, other.layout_);
    check_disjoint(parts_, other.parts_);
    // Sums of more could overflow.
    if (rows() + other.rows() > limits::rows) {
        throw UsageError("together the moments would hold more than 2^48 rows");
    }
    Parts parts = parts_;
    parts.insert(other.parts_.begin(), other.parts_.end());
    add_sums(other);
    parts_ = std::move(parts);
}

void SecretMoment::take_over(SecretMoment& apart) {
    if (!(layout_ == apart.layout_)) {
        throw UsageError("rows that were summed apart are of another layout");
    }
    if (untouched_) {
        std::swap(norm_bins_, apart.norm_bins_);
        std::swap(bins_, apart.bins_);
        std::swap(directions_, apart.directions_);
        std::swap(zero_rows_, apart.zero_rows_);
        std::swap(memory_, apart.memory_);
        untouched_ = false;
    } else {
        add_sums(apart);
    }
    // A random part of `apart` was never seen outside: it goes where others stand for these rows.
    if (!parts_.empty()) {
        std::erase_if(apart.parts_, [](const std::string& part) { return !is_declared(part); });
    }
    parts_.merge(apart.parts_);
    apart.clear();
    apart.parts_.clear();  // a declared one, too
}

void SecretMoment::add_sums(const SecretMoment& other) {
    untouched_ = false;
    coarsen_to(common_bins(norm_bins_, other.norm_bins_));
    for (std::size_t i = 0; i < other.bins_.size(); ++i) {
        add_bin(bins_[corresponding(i, other.norm_bins_, norm_bins_)], other.bins_[i]);
    }
    for (std::size_t k = 0; k < directions_.size(); ++k) {
        directions_[k].add(other.directions_[k]);
    }
    zero_rows_ += other.zero_rows_;
}

void SecretMoment::coarsen_to(const NormBins& bins) {
    if (bins == norm_bins_) {
        return;
    }
    // The last bin of those that go together takes the others in: it becomes the one of them.
    for (std::size_t to = 0, from = 0; to < bins.size(); ++to) {
        std::size_t last = from;
        while (last + 1 < bins_.size() && corresponding(last + 1, norm_bins_, bins) == to) {
            ++last;
        }
        for (; from < last; ++from) {
            add_bin(bins_[last], bins_[from]);
        }
        std::swap(bins_[to], bins_[last]);
        from = last + 1;
    }
    bins_.resize(bins.size());
    norm_bins_ = bins;
}

void SecretMoment::declare_part(const std::string& name) {
    parts_ = {declared_part(name)};
}

void SecretMoment::clear() noexcept {
    for (Bin& bin : bins_) {
        bin.rows = 0;
    }
    zero_rows_ = 0;
    untouched_ = true;
    std::erase_if(parts_, [](const std::string& part) { return !is_declared(part); });
    forget_empty();
}

void SecretMoment::forget_sums(const BinRange& bins) noexcept {
    for (std::size_t i = bins.first; i <= bins.last; ++i) {
        bins_[i].gram.forget();
        bins_[i].sum = ExactSums();
    }
}

void SecretMoment::forget_empty() noexcept {
    for (Bin& bin : bins_) {
        if (bin.rows == 0) {
            bin.gram.clear();
            bin.sum.clear();
        }
    }
    for (int k = 0; k < NormBins::octaves; ++k) {
        if (rows_in_octave(k) == 0) {
            directions_[static_cast<std::size_t>(k)].clear();
        }
    }
}

std::uint64_t SecretMoment::rows() const noexcept {
    std::uint64_t rows = 0;
    for (const Bin& bin : bins_) {
        rows += bin.rows;
    }
    return rows;
}

std::uint64_t SecretMoment::rows_in_octave(int k) const {
    std::uint64_t rows = 0;
    const BinRange bins = norm_bins_.of_octave(k);
    for (std::size_t i = bins.first; i <= bins.last; ++i) {
        rows += bins_[i].rows;
    }
    return rows;
}

bool operator==(const SecretMoment& a, const SecretMoment& b) {
    return a.layout_ == b.layout_ && a.norm_bins_ == b.norm_bins_ && a.zero_rows_ == b.zero_rows_ &&
           a.bins_ == b.bins_ && a.directions_ == b.directions_;
}

}  // namespace dpcov::detail
