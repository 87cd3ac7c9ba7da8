#include "partition/partition_error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "estimate/risk.hpp"
#include "estimate/tuning.hpp"
#include "partition/partial_rows.hpp"

namespace dpcov::detail {
namespace {

constexpr double first_detection = Tuning{}.first_detection_z;

}  // namespace

ReferenceShape::ReferenceShape(Eigen::Index d) {
    double sum = 0.0;
    for (Eigen::Index i = 1; i <= d; ++i) {
        squares_.push_back(std::pow(static_cast<double>(i), -2.0));
        sum += 1.0 / static_cast<double>(i);
    }
    for (double& square : squares_) {
        square /= sum * sum;
        squared_norm_ += square;
    }
}

double ReferenceShape::squared_error(double u) const {
    double error = u;
    double rest = squared_norm_;
    auto free = static_cast<double>(squares_.size());
    for (const double square : squares_) {
        if (square <= u * free) {
            break;
        }
        error += u * free;
        rest -= square;
        free -= 1.0;
    }
    return std::min(squared_norm_, error + std::max(0.0, rest));
}

PartitionError::PartitionError(const NoisyHistogram& histogram, const PartitionFacts& facts)
    : radii_(histogram.radii),
      facts_(facts),
      shape_(facts.columns),
      coordinates_(std::pow(degrees_of_freedom(facts.columns), facts.tuning.spread)) {
    double inner = 0.0;
    for (std::size_t bin = 0; bin < histogram.counts.size(); ++bin) {
        const double radius = radii_[bin];
        const double square = 0.5 * (inner * inner + radius * radius);
        const double trace = histogram.counts[bin] / facts.rows * square;
        below_.push_back(
            {below_.back().trace + trace, below_.back().squares + trace * square / facts.rows});
        inner = radius;
    }
    for (const double radius : radii_) {
        const double deviation = facts.noise_deviation_at_radius_one * radius * radius;
        variances_.push_back(deviation * deviation);
    }
}

PartitionError::Held PartitionError::held(std::size_t first, std::size_t last) const {
    const Held& all = below_[last + 1];
    const Held& before = below_[first];
    return {all.trace - before.trace, all.squares - before.squares};
}

double PartitionError::if_alike(const Ends& ends) const {
    double precision = 0.0;   // of the common shape
    double from_shape = 0.0;  // trace that is estimated along it
    double fresh = 0.0;
    double variance = 0.0;
    std::size_t begin = 0;
    for (const std::size_t end : ends) {
        variance += variances_[end];
        const Held inside = held(begin, end);
        // What is not detected at first is pooled with the next.
        if (precision == 0.0 && !is_detected(inside.trace, variance) && end != ends.back()) {
            continue;
        }
        const double trace = std::max(inside.trace, 1e-12);
        const double noise = variance / (trace * trace);
        const double sampling = std::max(inside.squares, 0.0) / (trace * trace) *
                                (1.0 - shape_.squared_norm()) / coordinates_;
        const double filtered = noise / (noise + sampling);
        fresh += trace * trace * coordinates_ * sampling * filtered +
                 std::min(facts_.tuning.stratum_freedom * variance, trace * trace);
        from_shape += trace * filtered;
        precision += 1.0 / (noise + sampling);
        variance = 0.0;
        begin = end + 1;
    }
    return fresh + from_shape * from_shape * shape_.squared_error(1.0 / precision);
}

double PartitionError::if_unlike(const Ends& ends) const {
    double error = 0.0;
    double variance = 0.0;
    std::size_t begin = 0;
    for (const std::size_t end : ends) {
        variance += variances_[end];
        const double trace = held(begin, end).trace;
        if (is_detected(trace, variance)) {
            error += trace * trace * shape_.squared_error(variance / (trace * trace));
        } else if (end == ends.back()) {
            error += std::pow(std::max(0.0, trace), 2);
        } else {
            continue;
        }
        variance = 0.0;
        begin = end + 1;
    }
    return error;
}

double PartitionError::part_of(std::size_t bin, std::size_t inner, std::size_t own) const {
    const auto square = [&](std::size_t at, std::size_t of) {
        return std::pow(radii_[at] / radii_[of], 2);
    };
    return greatest_part(square(bin, inner), {square(bin - 1, own), square(bin, own)},
                         facts_.noise);
}

std::vector<double> PartitionError::traces(const Ends& ends,
                                           std::optional<std::size_t> extended) const {
    std::vector<double> all;
    double elsewhere = 0.0;  // in the extended stratum
    std::size_t begin = 0;
    for (std::size_t k = 0; k < ends.size(); ++k) {
        double trace = held(begin, ends[k]).trace;
        for (std::size_t bin = begin; extended && k > *extended && bin <= ends[k]; ++bin) {
            const double part = part_of(bin, ends[*extended], ends[k]) * held(bin, bin).trace;
            elsewhere += part;
            trace -= part;
        }
        all.push_back(std::max(trace, 0.0));
        begin = ends[k] + 1;
    }
    if (extended) {
        const bool mostly_longer = elsewhere > facts_.tuning.most_elsewhere * all[*extended];
        all[*extended] += elsewhere;
        if (mostly_longer || all[*extended] < *std::max_element(all.begin(), all.end())) {
            return {};
        }
    }
    return all;
}

// Stratum `main` is estimated by itself, each other as a multiple of it, which then has its error,
// too, or by itself, or not at all.
double PartitionError::if_like(std::size_t main, const std::vector<double>& trace,
                               const Ends& ends) const {
    const auto by_itself = [&](std::size_t k) {
        const double square = trace[k] * trace[k];
        return square > 0.0 ? square * shape_.squared_error(variances_[ends[k]] / square) : 0.0;
    };
    const PartitionTuning& tuning = facts_.tuning;
    const double of_main = by_itself(main);
    double multiple = 1.0;
    double error = of_main;
    for (std::size_t k = 0; k < trace.size(); ++k) {
        if (k == main || trace[k] == 0.0) {
            continue;
        }
        const double square = trace[k] * trace[k];
        const double more = multiple + trace[k] / trace[main];
        const double along = tuning.mismatch * tuning.mismatch * square +
                             tuning.stratum_freedom * variances_[ends[k]] +
                             of_main * (more * more - multiple * multiple);
        const double apart = std::min(by_itself(k), square);
        if (along < apart) {
            error += along;
            multiple = more;
        } else {
            error += apart;
        }
    }
    return error;
}

double PartitionError::if_somewhat_alike(const Ends& ends,
                                         std::optional<std::size_t> extended) const {
    const std::vector<double> trace = traces(ends, extended);
    double least = std::numeric_limits<double>::infinity();
    double nothing = 0.0;
    for (std::size_t k = 0; k < trace.size(); ++k) {
        nothing += trace[k] * trace[k];
        if (trace[k] > 0.0) {
            least = std::min(least, if_like(k, trace, ends));
        }
    }
    return trace.empty() ? least : std::min(least, nothing);
}

double PartitionError::cost(const Ends& ends) const {
    return price_of(ends) * if_alike(ends);
}

double PartitionError::cost(const Ends& ends, std::optional<std::size_t> extended) const {
    const double alike = facts_.tuning.alike;
    return price_of(ends) * std::pow(if_alike(ends), alike) *
           std::pow(if_somewhat_alike(ends, extended), 1.0 - alike);
}

double PartitionError::price_of(const Ends& ends) const {
    return 1.0 + facts_.tuning.price * static_cast<double>(ends.size());
}

double PartitionError::trace() const {
    return std::clamp(below_.back().trace, 0.0, 1.0);
}

double PartitionError::trace_above(std::size_t bin) const {
    return held(bin + 1, radii_.size() - 1).trace;
}

double PartitionError::squared_norm() const {
    return std::pow(trace(), 2) * shape_.squared_norm();
}

double PartitionError::main_radius(const Ends& ends) const {
    double greatest = 0.0;
    double radius = 1.0;
    std::size_t begin = 0;
    for (const std::size_t end : ends) {
        const double trace = held(begin, end).trace;
        if (trace > greatest) {
            greatest = trace;
            radius = radii_[end];
        }
        begin = end + 1;
    }
    return radius;
}

double PartitionError::squared_mean(double radius) const {
    const double square = below_.back().trace / (radius * radius);
    return square > 0.0 ? std::min(square, 1.0) : 1.0;
}

bool PartitionError::is_detected(double trace, double variance) const {
    return trace > first_detection * std::sqrt(variance * static_cast<double>(facts_.columns));
}

}  // namespace dpcov::detail
