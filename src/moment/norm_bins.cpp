#include "moment/norm_bins.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "dpcov/error.hpp"

namespace dpcov::detail {
namespace {

// floor(2^(40 - i/8) (1 + 2^-13)), and 2^40 for i = 0: squared edges a sixteenth of an octave apart
// in norm. Edges inside an octave lie slightly above their powers of two, so that rows whose norm
// should be exactly that are below, whichever way they are rounded. It costs 0.012 % of noise.
constexpr std::array<double, NormBins::most_per_octave> squared_edges = {
    1099511627776, 1008379686420, 924688249532, 847942863525, 777567034259, 713032114278,
    653853331728,  599586148857,  549822922752, 504189843210, 462344124766, 423971431762,
    388783517129,  356516057139,  326926665864, 299793074428};

// Below how many of these edges, but for the first, a squared norm is: a table over 32 cells for
// each power of two, which hold one edge at most.
class EdgesAbove {
public:
    constexpr EdgesAbove() {
        for (std::size_t cell = 0; cell < cells; ++cell) {
            const double end =
                start * (1.0 + static_cast<double>(cell % 32 + 1) / 32.0) * (cell < 32 ? 1.0 : 2.0);
            for (std::size_t i = 1; i < squared_edges.size(); ++i) {
                if (squared_edges[i] >= end) {
                    ++whole_[cell];
                } else if (of(squared_edges[i]) == cell) {
                    edge_[cell] = squared_edges[i];
                }
            }
        }
    }

    [[nodiscard]] constexpr std::size_t operator()(double squared_norm) const {
        if (!(squared_norm >= start)) {
            return squared_edges.size() - 1;
        }
        const std::size_t cell = std::min(of(squared_norm), cells);
        return whole_[cell] + (squared_norm <= edge_[cell] ? 1U : 0U);
    }

private:
    static constexpr double start = 0x1p38;  // below all edges
    static constexpr std::size_t cells = 64;

    static constexpr std::size_t of(double squared_norm) {
        return (std::bit_cast<std::uint64_t>(squared_norm) - std::bit_cast<std::uint64_t>(start)) >>
               47U;
    }

    std::array<std::uint32_t, cells + 1> whole_{};  // edges at or above the cell's end
    std::array<double, cells + 1> edge_{};          // the one inside
};

constexpr EdgesAbove edges_above;

constexpr auto octave_count = static_cast<std::size_t>(NormBins::octaves);

}  // namespace

NormBins::NormBins(int per_octave, int fine_octaves)
    : per_octave_(per_octave), fine_octaves_(fine_octaves) {
    const bool divides = per_octave >= 1 && most_per_octave % per_octave == 0;
    if (!divides || fine_octaves < 0 || fine_octaves > most_fine_octaves ||
        (per_octave == 1) != (fine_octaves == 0)) {
        throw UsageError("no such bins of norms");
    }
}

NormBins NormBins::for_columns(std::size_t columns) {
    // Each bin takes a packed matrix. Where that is next to nothing, edges are so close that it
    // hardly matters where among them the norm bound lies; what that costs and gains is in
    // docs/research-log.md#finer-bins.
    const int per_octave = columns <= 200 ? 16 : columns <= 1024 ? 8 : columns <= 2048 ? 4 : 2;
    return {per_octave, most_fine_octaves};
}

std::size_t NormBins::size() const noexcept {
    return octave_count + static_cast<std::size_t>(fine_octaves_ * (per_octave_ - 1));
}

int NormBins::octave(std::size_t bin) const noexcept {
    const auto from_coarsest = static_cast<int>(size() - 1 - bin);
    const int fine = fine_octaves_ * per_octave_;
    return from_coarsest < fine ? from_coarsest / per_octave_
                                : fine_octaves_ + from_coarsest - fine;
}

BinRange NormBins::of_octave(int k) const noexcept {
    const int coarser = std::min(k, fine_octaves_) * per_octave_ + std::max(0, k - fine_octaves_);
    const std::size_t last = size() - 1 - static_cast<std::size_t>(coarser);
    return {last + 1 - static_cast<std::size_t>(bins_in(k)), last};
}

std::size_t NormBins::of_row(int k, double squared_norm) const noexcept {
    // Where bins are fewer, every second or fourth edge is theirs.
    const std::size_t below =
        edges_above(squared_norm) * static_cast<std::size_t>(bins_in(k)) / most_per_octave;
    return of_octave(k).last - below;
}

double NormBins::squared_edge(std::size_t bin) const noexcept {
    const std::size_t below = of_octave(octave(bin)).last - bin;
    return squared_edges[below * static_cast<std::size_t>(most_per_octave / per_octave_)];
}

double NormBins::radius(std::size_t bin) const noexcept {
    return std::ldexp(std::sqrt(squared_edge(bin)), -20 - octave(bin));
}

NormBins common_bins(const NormBins& a, const NormBins& b) {
    const int per_octave = std::min(a.per_octave(), b.per_octave());
    return {per_octave, per_octave == 1 ? 0 : std::min(a.fine_octaves(), b.fine_octaves())};
}

}  // namespace dpcov::detail
