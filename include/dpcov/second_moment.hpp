// The sufficient statistic of every mechanism, behind a wall: rows go in, and only dpcov::release()
// gets anything out.
//
// SECRET. A SecondMoment and its file hold un-noised sums over people. No count, sum or Gram can be
// read from them. Keep a saved one like the table itself.
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

/// What fixes the meaning of a SecondMoment; all of it public. Two moments merge only if their
/// layouts are equal.
struct MomentLayout {
    std::size_t columns = 0;  ///< d; 0 takes the number of columns of `schema`
    /// B, the norm bound: the greatest Euclidean norm of a row after its values were mapped, moved
    /// and stretched. Longer rows are clipped to it. Public, never taken from the data. 0 takes
    /// what the bounds imply, for which every column of `schema` must have bounds: sqrt(d), or with
    /// an origin o and a stretch s the norm of the vector of (1 + |o_j|) s_j. That is also taken
    /// for a B more than 2 % above it, which would only add noise (norm_bound_within).
    double norm_bound = 0.0;
    bool keep_directions =
        false;                 ///< also keep Grams of unit directions, for exact clipping below B
    std::string dataset = {};  ///< data set of the rows, as a ledger names it; may be empty
    /// What the columns are, and how their values are mapped. Empty: they are known by their place
    /// alone, and values are taken as they are.
    Schema schema = {};
    /// d values, or empty for zeros: what is subtracted from the mapped values. In [-1, 1] where a
    /// column has bounds, else finite. A guess of the mean: sums are about it, and rows near it are
    /// short. Public, never taken from the data except by a release.
    std::vector<double> origin = {};
    /// d factors, or empty for ones: what the moved values are multiplied by, from 2^-20 to 2^20.
    /// All columns get the same noise after this, so a stretched column suffers less from it.
    /// Public, never taken from the data except by a release.
    std::vector<double> stretch = {};

    friend bool operator==(const MomentLayout&, const MomentLayout&) = default;
};

/// The difference between two layouts, as the end of a sentence about `one`: "has 9 columns, not
/// 8". Empty where they are equal. Holds no name of a column.
[[nodiscard]] DPCOV_EXPORT std::string difference(const MomentLayout& one,
                                                  const MomentLayout& other);

/// How finely a moment groups rows by their norms; public. Moments of both kinds merge with each
/// other.
enum class NormResolution {
    bins,     ///< for every method
    octaves,  ///< less memory and time. Methods without Method::uses_norm_bins give the same
              ///< release, the others give one with more noise
};

/// A norm bound that makes sums fast for rows whose values are whole multiples of `unit` (pixels:
/// 1, or 1/255 after a scale of 255; indicators: 1). It is the least one, from `norm_bound` on, at
/// which such values become whole multiples of an integer in a moment's sums. Then products of 8
/// and 16 bits are enough, which are several times faster. At most 1 % more than `norm_bound`,
/// hence 2 % more noise; `norm_bound` itself where 1 % is not enough. Public, as its arguments are.
/// Throws UsageError unless 2^-200 <= norm_bound <= 2^200, as for a moment, and unit is positive
/// and finite.
[[nodiscard]] DPCOV_EXPORT double norm_bound_for_unit(double norm_bound, double unit);

/// Receives the next bytes of a moment.
using BytesOut = std::function<void(std::string_view bytes)>;
/// Writes the next `count` bytes of a moment to `bytes`, or throws.
using BytesIn = std::function<void(void* bytes, std::size_t count)>;

/// The exact second moment of a table, grouped by the norms of its rows. Moments can be merged.
/// SECRET.
///
/// The sums are integers, so the moment is the same for any order, blocking, thread count, split or
/// merge of the rows. A moved-from moment has its layout and nothing else. Until it is assigned to,
/// adding to it, merging, naming, writing or releasing it throws UsageError: rows would be lost, or
/// go into a part that lost its name. While a moment is released or written, changing it throws
/// UsageError. As with a container, several threads may read one at the same time (release() reads
/// it), but while it changes only one thread may use it.
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

    /// Adds the rows of a matrix, n x d, in either storage order: one row for each person, in the
    /// table's units (the schema maps them). Entries are doubles, or other real numbers, which are
    /// converted in a copy (integers beyond 2^53 to the nearest double). DataError for
    /// NaN or a code for a missing value where the schema has no fill, and for infinities where it
    /// has no bounds. UsageError for another number of columns. If anything is thrown, no row was
    /// added. `threads` is the greatest number of the library's own threads, taken as 1 to 4096;
    /// OpenBLAS has its own setting. The result does not depend on it.
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

    /// As add(), for rows one after another in memory: the d values of a person are contiguous. For
    /// a matrix of another storage order use add().
    void add_row_major(std::span<const double> rows, unsigned threads = 1);

    /// As add(), for rows that are mostly zeros, which are left out. The sums are the same; the
    /// time is that of the pairs of entries in each row. UsageError where a row's columns do not
    /// strictly ascend, are not as many as its values, or are not below d. Where columns have
    /// bounds, rows are written out in full: a zero that was left out is not zero after the map.
    void add_sparse(std::span<const SparseRow> rows, unsigned threads = 1);

    /// Reads a table to its end and adds all its rows. If anything is thrown, no row was added. The
    /// reader must have mapped the values by the same schema, else UsageError. Where every column
    /// has bounds, values outside [-1, 1] are clamped. The reader is called from several threads,
    /// one at a time; meanwhile OpenBLAS may be bound to one thread, in the whole process.
    /// `on_rows` is called from this one, now and then, with the number of rows that were read
    /// since; the moment does not hold them yet. UsageError where `on_rows` gave this moment
    /// another layout. If adding fails, a reader of any kind is abandoned (TableReader::abandon),
    /// because rows were read from it. Adding it again throws UsageError: open the table anew.
    void add(TableReader& table, unsigned threads = 1,
             const std::function<void(std::uint64_t rows)>& on_rows = {});

    /// Names the rows that will be added: they are the part `name` of the data set, and no part is
    /// merged twice. The name has 1 to 200 bytes and no control characters, is public, and is kept
    /// in the file. UsageError for any other name, or where something was added before. Without a
    /// name a part is known by 128 random bits.
    void declare_part(const std::string& name);

    /// Adds another moment of the same layout. UsageError for another layout, or where a part of
    /// `other` is in this moment already: a copy of what was merged before, or a declared part of
    /// the same name. Associative and commutative. If anything is thrown, nothing was added.
    void merge(const SecondMoment& other);

    [[nodiscard]] const MomentLayout& layout() const noexcept { return *layout_; }

    /// How finely it groups rows by their norms. Octaves if it was made so, was merged with one
    /// that was, or comes from a file that is older than bins. UsageError where it was moved from,
    /// and in `on_rows` of its first rows.
    [[nodiscard]] NormResolution resolution() const;

    /// Writes the moment (version, layout, sums, checksum). The file is as secret as the table:
    /// only its owner can read a new one. A file that is replaced keeps its permissions and its
    /// group; if the group cannot be set, no group may read it. Throws DeviceError where the file
    /// cannot be written; an old file then stays.
    void save(const std::string& path) const;
    /// Reads a moment. Throws DataError for a damaged, truncated or foreign file, DeviceError where
    /// the file cannot be read.
    [[nodiscard]] static SecondMoment load(const std::string& path);
    /// Hands the bytes of that file to `to`, in pieces, for another process. Their number is
    /// secret, too. UsageError where `to` is empty. What `to` throws leaves this function.
    void write(const BytesOut& to) const;
    /// Reads a moment from the `size` bytes that write() gave. DataError as load(); its text calls
    /// the bytes `name`. UsageError where `from` is empty. What `from` throws leaves this function.
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
        constexpr bool direct = (Derived::Flags & Eigen::DirectAccessBit) != 0;
        // Eigen 3.4.0 says that what is chosen by evenly spaced indices can be read in memory, and
        // tells neither where it is nor with which strides.
        if constexpr (direct && !requires(const Derived& view) { view.data(); }) {
            add_doubles(RowMajor(rows.derived()), threads);
        } else {
            // One row again and again, in the same place: Eigen::Ref would go on behind it.
            if constexpr (direct) {
                if (rows.rows() > 1 && rows.derived().outerStride() == 0) {
                    add_doubles(rows.derived().eval(), threads);
                    return;
                }
            }
            // No copy where the matrix is row-major doubles already, with no gaps between its rows.
            const Eigen::Ref<const RowMajor> values = rows.derived();
            if (values.rows() > 1 && values.outerStride() != values.cols()) {
                const RowMajor gathered = values;
                add_row_major({gathered.data(), static_cast<std::size_t>(gathered.size())},
                              threads);
            } else {
                add_row_major({values.data(), static_cast<std::size_t>(values.size())}, threads);
            }
        }
    }

    std::shared_ptr<const MomentLayout> layout_;  ///< outlives a move
    /// None: no rows yet, or moved from. Held by a release, too, while one is drawn.
    std::shared_ptr<detail::SecretMoment> secret_;
    bool moved_from_ = false;
};

}  // namespace dpcov
