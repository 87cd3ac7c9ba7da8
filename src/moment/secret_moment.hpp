// The sufficient statistic of every mechanism: per bin of norms a count and an exact integer Gram.
//
// SECRET. Everything in this header is un-noised data about people. Only src/mechanism/ may turn it
// into something that leaves the vault. Users hold it as a dpcov::SecondMoment, which shows none of
// it.
//
// How a row gets in (docs/privacy.md#placement): a row x of norm at most B lies in octave k when
// |x| / B is in (2^-(k+1), 2^-k]; it is multiplied by 2^k / B and rounded to integers q with
// |q|^2 <= 2^40, checked in exact arithmetic. |q|^2 says in which of the octave's bins it counts
// (moment/norm_bins.hpp). That map looks at no other row. The Grams sum q q^T in integers, so the
// statistic is the same for any order, blocking, thread count, split or merge.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arithmetic/digit_gram.hpp"
#include "arithmetic/packed_symmetric.hpp"
#include "arithmetic/sparse_gram.hpp"
#include "arithmetic/wide_sums.hpp"
#include "dpcov/second_moment.hpp"
#include "dpcov/sparse_row.hpp"
#include "moment/gram_slots.hpp"
#include "moment/norm_bins.hpp"
#include "moment/parts.hpp"
#include "moment/row_block.hpp"

namespace dpcov::detail {

class MomentReader;
class MomentWriter;

/// Rows, of which the first has that number, counted from 0, in its table.
struct NumberedRows {
    RowBlock rows;
    std::uint64_t first = 0;
};

/// UsageError unless it is one that a moment may have.
void check_norm_bound(double norm_bound);

/// The exact second moment, by bins of norms, to be merged with others. SECRET.
class SecretMoment {
public:
    /// The rows of one bin of norms, in octave k. SECRET.
    struct Bin {
        std::uint64_t rows = 0;
        WideSums gram;  ///< sum of q q^T, packed; empty while rows == 0; one unit is 4^-(k+20) B^2
        ExactSums sum;  ///< sum of q, length d; one unit is 2^-(k+20) B

        friend bool operator==(const Bin&, const Bin&) = default;
    };

    /// An empty moment, with the memory for every octave: no row that comes takes more, whatever
    /// its norm. Throws UsageError unless d >= 1, 2^-200 <= B <= 2^200, and the data set's name is
    /// empty or one that a Ledger takes; DeviceError or bad_alloc, which do not depend on rows,
    /// where there is too little memory for it, for adding rows or for a release (memory_need.hpp).
    explicit SecretMoment(const MomentLayout& layout);
    /// The same with other bins than those for so many columns.
    SecretMoment(MomentLayout layout, const NormBins& bins);
    /// As much memory as the other has, but no working memory.
    SecretMoment(const SecretMoment& other);
    SecretMoment(SecretMoment&&) noexcept;
    SecretMoment& operator=(const SecretMoment& other);
    SecretMoment& operator=(SecretMoment&&) noexcept;
    ~SecretMoment();

    /// Adds `rows` (row-major, a multiple of d values, all finite, else DataError). Rows longer
    /// than B are clipped to B. `threads` >= 1 bounds the library's own threads; OpenBLAS has its
    /// own setting. The result does not depend on it. All rows or none: whatever is thrown, for
    /// want of memory too, the moment is what it was; it is empty where the rows changed meanwhile
    /// (DataError says so). The first call, of no rows too, takes the
    /// working memory, which depends on columns and threads alone.
    void add(std::span<const double> rows, unsigned threads = 1);
    /// The same of rows whose zeros are left out: the same sums, in the same memory. Columns ascend
    /// in each row and are below d.
    void add_sparse(std::span<const SparseRow> rows, unsigned threads = 1);
    /// To a moment without rows, the blocks that `next` returns, all sparse or none, up to one
    /// without rows. Without moving sums after each block. Whatever is thrown, there are no rows.
    void add_all(const std::function<NumberedRows()>& next, unsigned threads = 1);

    /// Adds another moment of the same layout, and with no part that this one has, else UsageError;
    /// together they hold at most 2^48 rows.
    /// Where their bins are not the same the result has those that both add up to. Associative and
    /// commutative; all or nothing, as add(). Takes no memory for sums.
    void merge(const SecretMoment& other);

    /// Takes over the rows of `apart`, of the same layout, as if they had been added here, so
    /// nobody else may have seen or copied `apart`. Names of parts that were declared there come
    /// along; where this moment has none, so does what stands for its rows. It is left as new, in
    /// memory of its own. Takes no memory for sums.
    void take_over(SecretMoment& apart);

    /// Takes all rows out again; memory and a declared part stay.
    void clear() noexcept;

    /// Gives back the memory of the sums of some bins, whose rows still count: of a moment from
    /// which nothing of them is to be drawn any more.
    void forget_sums(const BinRange& bins) noexcept;

    /// Whether nothing came in since it was new or cleared, blocks of no rows among it. Public:
    /// unlike rows() > 0, which decides nothing that shows.
    [[nodiscard]] bool untouched() const noexcept { return untouched_; }

    /// Says that what was and will be added is the part that the owner calls `name`.
    void declare_part(const std::string& name);
    /// What is inside: none before the first row.
    [[nodiscard]] const Parts& parts() const noexcept { return parts_; }

    [[nodiscard]] const MomentLayout& layout() const noexcept { return layout_; }
    /// n, the number of rows added.
    [[nodiscard]] std::uint64_t rows() const noexcept;
    /// Rows that were rounded to the zero vector (they count in the last octave).
    [[nodiscard]] std::uint64_t zero_rows() const noexcept { return zero_rows_; }
    /// How finely norms are told apart. Public.
    [[nodiscard]] const NormBins& norm_bins() const noexcept { return norm_bins_; }
    [[nodiscard]] const Bin& bin(std::size_t i) const { return bins_.at(i); }
    /// Of the rows of octave k: sum of u u^T, u = 2^20 x/|x| rounded; empty unless kept, and while
    /// there are none.
    [[nodiscard]] const WideSums& directions(int k) const {
        return directions_.at(static_cast<std::size_t>(k));
    }
    /// Rows of octave k.
    [[nodiscard]] std::uint64_t rows_in_octave(int k) const;

    /// Writes the moment (version, layout, sums, checksum). The file is as secret as the table.
    void save(const std::string& path) const;
    /// Reads a moment. Throws DataError for a damaged, truncated or foreign file, DeviceError where
    /// the file cannot be read.
    [[nodiscard]] static SecretMoment load(const std::string& path);
    /// The bytes of the file, in order and in pieces.
    void write(const BytesOut& to) const;
    /// A moment of so many of those bytes. Throws DataError as load(), in which `name` says what
    /// they are, and what `from` throws.
    [[nodiscard]] static SecretMoment read(const std::string& name, std::uint64_t size,
                                           const BytesIn& from);

    /// Of layouts and sums. Equal moments may be of different parts.
    friend bool operator==(const SecretMoment& a, const SecretMoment& b);

private:
    class Addition;

    /// Working memory of add(), kept between calls, with no meaning from one to the next: integers
    /// of some rows, and some Grams.
    struct WorkingMemory {
        HugePageVector<double> integers;
        std::vector<RoomForGrams> grams;
        DigitGram::Memory digits;
        SparseGramSums::Memory sparse;  ///< none before the first sparse rows
    };

    void write_bins(MomentWriter& writer) const;
    void write_directions(MomentWriter& writer) const;
    /// So many bins, or octaves with their directions, as versions before 4 have them.
    void read_bins(MomentReader& reader, std::uint64_t count, bool by_octave);
    void read_directions(MomentReader& reader);

    void add_block(const RowBlock& rows, unsigned threads);
    /// Finds the memory for every bin, and makes it resident where that is little.
    void take_memory();
    void add_sums(const SecretMoment& other);
    /// Adds up bins, into those of a coarser resolution that they add up to.
    void coarsen_to(const NormBins& bins);
    [[nodiscard]] bool has_possible_counts() const noexcept;
    /// The sums of what has no rows become empty; they keep their memory.
    void forget_empty() noexcept;

    MomentLayout layout_;
    NormBins norm_bins_;
    std::vector<Bin> bins_;
    std::vector<WideSums> directions_;  ///< by octave
    std::uint64_t zero_rows_ = 0;
    bool untouched_ = true;
    Parts parts_;
    WorkingMemory memory_;
};

}  // namespace dpcov::detail
