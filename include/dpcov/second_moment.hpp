// The sufficient statistic of every mechanism, behind a wall: rows go in, and only dpcov::release()
// gets anything out.
//
// SECRET. A SecondMoment and its file hold un-noised sums over people. They have no public counts,
// sums or Grams; keep a saved one like the table itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "dpcov/eigen.hpp"
#include "dpcov/export.hpp"
#include "dpcov/schema.hpp"
#include "dpcov/sparse_row.hpp"

namespace dpcov {

class TableReader;
namespace detail {
class SecretMoment;
struct SecretDoor;  // the library's own way in
}  // namespace detail

/// What fixes the meaning of a SecondMoment; all of it public. Two moments merge only if equal.
struct MomentLayout {
    std::size_t columns = 0;  ///< d; 0 takes the number of columns of `schema`
    /// B, the longest that a row may be (Euclidean norm) after its values were mapped, moved and
    /// stretched; longer rows are clipped to it. Public, never taken from the data. 0 takes what
    /// the bounds imply where every column of `schema` has some: sqrt(d), or with an origin o and a
    /// stretch s the length of the vector of (1 + |o_j|) s_j. A longer one only adds noise
    /// (norm_bound_within).
    double norm_bound = 0.0;
    bool keep_directions =
        false;                 ///< also keep Grams of unit directions, for exact clipping below B
    std::string dataset = {};  ///< whose rows these are, as a ledger names them; may be empty
    /// What the columns are and how their values are mapped; empty: known by their place alone and
    /// taken as they are.
    Schema schema = {};
    /// d values, or none for all zero: what is subtracted from the values as mapped, in [-1, 1]
    /// where a column has bounds, else finite. Sums are about it, and rows near it are short. A
    /// guess at the mean; public, never taken from the data but by a release.
    std::vector<double> origin = {};
    /// d values, or none for all one: what the moved values are multiplied by, from 2^-20 to 2^20.
    /// The noise is alike in all columns of the products, so less of it drowns those that are
    /// stretched. Public, never taken from the data but by a release.
    std::vector<double> stretch = {};

    friend bool operator==(const MomentLayout&, const MomentLayout&) = default;
};

/// What `one` has that `other` has not, as the end of a sentence about `one`: "has 9 columns, not
/// 8". Empty where they are equal. Tells no name of a column.
[[nodiscard]] DPCOV_EXPORT std::string difference(const MomentLayout& one,
                                                  const MomentLayout& other);

/// How finely a moment tells the norms of rows apart; public. Moments of either kind merge.
enum class NormResolution {
    bins,     ///< for every method
    octaves,  ///< less memory and time. Methods without Method::uses_norm_bins release the same
              ///< from it, the others with more noise
};

/// The least norm bound, from `norm_bound` on, at which rows whose values are whole multiples of
/// `unit` (pixels: 1, or 1/255 after a scale of 255; indicators: 1) become whole multiples of an
/// integer in a moment's sums. Products of 8 and 16 bits then do, which are several times faster.
/// At most a hundredth more than `norm_bound`, hence two hundredths more noise; `norm_bound` itself
/// where that is not enough.
/// Public, like what it is made of. Throws UsageError unless 2^-200 <= norm_bound <= 2^200, as of
/// a moment, and unit is positive and finite.
[[nodiscard]] DPCOV_EXPORT double norm_bound_for_unit(double norm_bound, double unit);

/// Takes the next bytes.
using BytesOut = std::function<void(std::string_view bytes)>;
/// Gives the next bytes: as many as asked for, or throws.
using BytesIn = std::function<void(void* bytes, std::size_t count)>;

/// The exact second moment of a table, by the norms of its rows, to be merged with others. SECRET.
///
/// The sums are integers, so the moment is the same for any order, blocking, thread count, split or
/// merge of the rows. A moved-from moment has its layout and nothing else: until it is assigned to,
/// to add to it, merge, name, write or release it is a UsageError, so that rows do not go to where
/// they are lost, or into a part that lost its name. While a release is drawn of a moment, or it is
/// written, what would change it is a UsageError. As of a container, several threads may look at
/// one (release() does), but only one may use it while it changes.
class DPCOV_EXPORT SecondMoment {
public:
    /// An empty moment. Throws UsageError unless 1 <= d <= limits::columns, 2^-200 <= B <= 2^200,
    /// schema, origin and stretch have d columns or none and are valid, and the data set's name is
    /// empty or one that a Ledger takes; DeviceError where there is too little memory for so many
    /// columns.
    explicit SecondMoment(MomentLayout layout, NormResolution resolution = NormResolution::bins);
    ~SecondMoment();
    SecondMoment(const SecondMoment& other);
    SecondMoment(SecondMoment&& other) noexcept;
    SecondMoment& operator=(const SecondMoment& other);
    SecondMoment& operator=(SecondMoment&& other) noexcept;

    /// Adds the rows of a matrix with d columns, in either storage order: n x d, one row a person,
    /// in the table's units (the schema maps them). Of doubles, or of other real numbers, which are
    /// converted in a copy: integers beyond 2^53 to the nearest double. All finite, but for NaN
    /// where the schema has a fill and infinities where it has bounds; else DataError. UsageError
    /// for another number of columns. All rows or none, whatever is thrown. `threads`, taken as 1
    /// to 4096, bounds the library's own threads; OpenBLAS has its own setting. The result does not
    /// depend on it.
    template <class Derived>
    void add(const Eigen::DenseBase<Derived>& rows, unsigned threads = 1) {
        using Scalar = typename Derived::Scalar;
        static_assert(std::is_arithmetic_v<Scalar>,
                      "rows are real numbers: convert the matrix by .cast<double>() first");
        check_columns(static_cast<std::size_t>(rows.cols()));
        if constexpr (std::is_same_v<Scalar, double>) {
            add_doubles(rows, threads);
        } else {
            add_doubles(RowMajor(rows.derived().template cast<double>()), threads);
        }
    }

    /// As add(), for rows one behind another in memory, d values each: a person's values must be
    /// neighbours there. A matrix of another layout belongs into add().
    void add_row_major(std::span<const double> rows, unsigned threads = 1);

    /// As add(), for rows that are mostly zeros, which are left out: the same sums, in the time of
    /// the pairs of entries. UsageError where a row's columns do not ascend, are not as many as its
    /// values, or are none of the d. Where columns have bounds, the rows are written out:
    /// what is left out is no zero after the map.
    void add_sparse(std::span<const SparseRow> rows, unsigned threads = 1);

    /// Reads a table to its end and adds all of it or, whatever is thrown, nothing. The reader has
    /// mapped its values already, by the same schema, else UsageError; where every column has
    /// bounds values beyond [-1, 1] are clamped. One block is read while another is summed.
    /// `on_rows` is told after every block how many rows it had; the moment holds none of them yet.
    /// UsageError where `on_rows` made it a moment of another layout. Where adding fails, the
    /// reader is abandoned (TableReader::abandon), of whatever kind it is, for rows of it were
    /// read: to add it again is a UsageError, so open the table anew.
    void add(TableReader& table, unsigned threads = 1,
             const std::function<void(std::uint64_t rows)>& on_rows = {});

    /// Before anything is added, else UsageError: says that it is the part that its owner calls
    /// `name` (1 to 200 bytes, no control characters, else UsageError; public, kept in the file). A
    /// moment that has no name is known by 128 random bits.
    void declare_part(const std::string& name);

    /// Adds another moment of the same layout, with no part that is inside already (a copy of what
    /// was merged before, or a declared part of the same name), else UsageError. Associative and
    /// commutative; all or nothing, as add().
    void merge(const SecondMoment& other);

    [[nodiscard]] const MomentLayout& layout() const noexcept { return *layout_; }

    /// Writes the moment (version, layout, sums, checksum). The file is as secret as the table: a
    /// new one is for its owner alone. One that is replaced keeps its permissions and its group, or
    /// is for no group where it cannot be given to that one. Throws DeviceError where the file
    /// cannot be written; the one that was there then stays.
    void save(const std::string& path) const;
    /// Reads a moment. Throws DataError for a damaged, truncated or foreign file, DeviceError where
    /// the file cannot be read.
    [[nodiscard]] static SecondMoment load(const std::string& path);
    /// The bytes of that file, in pieces, for another process. How many there are is secret, too.
    /// UsageError where there is no function; what the function throws comes through.
    void write(const BytesOut& to) const;
    /// A moment of so many of those bytes; DataError as load(), in which `name` says what they are.
    /// UsageError where there is no function; what the function throws comes through.
    [[nodiscard]] static SecondMoment read(const std::string& name, std::uint64_t size,
                                           const BytesIn& from);

private:
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    friend struct detail::SecretDoor;

    SecondMoment(std::shared_ptr<const MomentLayout> layout,
                 std::shared_ptr<detail::SecretMoment> secret);
    void check_columns(std::size_t columns) const;
    void require_not_moved_from() const;
    detail::SecretMoment& secret();

    template <class Derived>
    void add_doubles(const Eigen::DenseBase<Derived>& rows, unsigned threads) {
        // One row again and again, in the same place: Eigen::Ref would go on behind it.
        if constexpr ((Derived::Flags & Eigen::DirectAccessBit) != 0) {
            if (rows.rows() > 1 && rows.derived().outerStride() == 0) {
                add_doubles(rows.derived().eval(), threads);
                return;
            }
        }
        // No copy where the matrix is row-major doubles already, with no gaps between its rows.
        const Eigen::Ref<const RowMajor> values = rows.derived();
        if (values.rows() > 1 && values.outerStride() != values.cols()) {
            const RowMajor gathered = values;
            add_row_major({gathered.data(), static_cast<std::size_t>(gathered.size())}, threads);
        } else {
            add_row_major({values.data(), static_cast<std::size_t>(values.size())}, threads);
        }
    }

    std::shared_ptr<const MomentLayout> layout_;  ///< outlives a move
    /// None: no rows yet, or moved from. Held by a release, too, while one is drawn.
    std::shared_ptr<detail::SecretMoment> secret_;
    bool moved_from_ = false;
};

}  // namespace dpcov
