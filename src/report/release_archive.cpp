#include "dpcov/release_file.hpp"

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "derive/column_units.hpp"
#include "dpcov/error.hpp"
#include "dpcov/record.hpp"
#include "files/atomic_file.hpp"
#include "files/byte_stream.hpp"
#include "report/npy_array.hpp"
#include "report/release_check.hpp"
#include "report/release_facts.hpp"
#include "report/zip_archive.hpp"

namespace dpcov {
namespace detail {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

NpyShape shape_of(const Eigen::MatrixXd& matrix) {
    return {static_cast<std::uint64_t>(matrix.rows()), static_cast<std::uint64_t>(matrix.cols())};
}

NpyShape shape_of(const Eigen::VectorXd& vector) {
    return {static_cast<std::uint64_t>(vector.size())};
}

// One after the other, each row by row.
void append(std::vector<double>& values, const Eigen::MatrixXd& matrix) {
    const RowMajor rows = matrix;
    values.insert(values.end(), rows.data(), rows.data() + rows.size());
}

ZipMember member(const std::string& name, const Eigen::MatrixXd& matrix) {
    std::vector<double> values;
    append(values, matrix);
    return {name, npy_array(shape_of(matrix), values)};
}

ZipMember member(const std::string& name, const Eigen::VectorXd& vector) {
    return {name,
            npy_array(shape_of(vector), {vector.data(), static_cast<std::size_t>(vector.size())})};
}

void add_strata(std::vector<ZipMember>& members, const std::vector<NoisyMoment>& strata) {
    if (strata.empty()) {
        return;
    }
    const auto count = static_cast<std::uint64_t>(strata.size());
    std::vector<double> radii;
    std::vector<double> noise_scales;
    std::vector<double> second_moments;
    std::vector<double> means;
    std::vector<double> mean_noise_scales;
    std::vector<bool> left_out;
    bool any_mean = false;
    const Eigen::Index d = strata.front().second_moment.rows();
    second_moments.reserve(strata.size() * static_cast<std::size_t>(d * d));
    for (const NoisyMoment& stratum : strata) {
        radii.push_back(stratum.radius);
        noise_scales.push_back(stratum.noise_scale);
        append(second_moments, stratum.second_moment);
        const bool has_mean = stratum.mean.size() > 0;
        any_mean = any_mean || has_mean;
        append(means, has_mean ? stratum.mean : Eigen::VectorXd::Zero(d));
        mean_noise_scales.push_back(stratum.mean_noise_scale);
        left_out.push_back(stratum.left_out);
    }
    const auto columns = static_cast<std::uint64_t>(d);
    members.push_back({"radii.npy", npy_array({count}, radii)});
    members.push_back({"noise_scales.npy", npy_array({count}, noise_scales)});
    members.push_back({"second_moments.npy", npy_array({count, columns, columns}, second_moments)});
    if (any_mean) {
        members.push_back({"means.npy", npy_array({count, columns}, means)});
        members.push_back({"mean_noise_scales.npy", npy_array({count}, mean_noise_scales)});
    }
    members.push_back({"left_out.npy", npy_array(left_out)});
}

void add_norms(std::vector<ZipMember>& members, const NoisyHistogram& norms) {
    const auto bins = static_cast<std::uint64_t>(norms.counts.size());
    members.push_back({"norm_counts.npy", npy_array({bins}, norms.counts)});
    members.push_back({"norm_radii.npy", npy_array({bins}, norms.radii)});
}

// The members of an archive that is being read.
class Members {
public:
    Members(std::string name, std::map<std::string, std::string> bytes)
        : name_(std::move(name)), bytes_(std::move(bytes)) {}

    [[nodiscard]] bool has(const std::string& member) const { return bytes_.contains(member); }
    [[nodiscard]] const std::string& bytes(const std::string& member) const {
        const auto found = bytes_.find(member);
        if (found == bytes_.end()) {
            throw DataError(name_ + ": the archive has no member " + member);
        }
        return found->second;
    }
    [[nodiscard]] NpyShape shape(const std::string& member, std::size_t dimensions) const {
        NpyShape shape = shape_of_npy(called(member), bytes(member));
        if (shape.size() != dimensions) {
            throw DataError(called(member) + ": an array of " + std::to_string(shape.size()) +
                            " dimensions where " + std::to_string(dimensions) + " should be");
        }
        return shape;
    }
    [[nodiscard]] std::vector<double> doubles(const std::string& member,
                                              const NpyShape& shape) const {
        return doubles_of_npy(called(member), bytes(member), shape);
    }
    [[nodiscard]] Eigen::VectorXd vector(const std::string& member, std::uint64_t size) const {
        const std::vector<double> values = doubles(member, {size});
        return Eigen::Map<const Eigen::VectorXd>(values.data(),
                                                 static_cast<Eigen::Index>(values.size()));
    }
    [[nodiscard]] std::string called(const std::string& member) const {
        return name_ + ", member " + member;
    }

private:
    std::string name_;
    std::map<std::string, std::string> bytes_;
};

Eigen::MatrixXd matrix_at(const std::vector<double>& values, Eigen::Index place, Eigen::Index d) {
    return Eigen::Map<const RowMajor>(values.data() + place * d * d, d, d);
}

std::vector<NoisyMoment> strata_of(const Members& members, std::uint64_t columns) {
    std::vector<NoisyMoment> strata;
    if (!members.has("radii.npy") && !members.has("second_moments.npy")) {
        return strata;
    }
    const std::uint64_t count = members.shape("radii.npy", 1)[0];
    const auto d = static_cast<Eigen::Index>(columns);
    const std::vector<double> radii = members.doubles("radii.npy", {count});
    const std::vector<double> noise_scales = members.doubles("noise_scales.npy", {count});
    const std::vector<double> second_moments =
        members.doubles("second_moments.npy", {count, columns, columns});
    const std::vector<bool> left_out =
        booleans_of_npy(members.called("left_out.npy"), members.bytes("left_out.npy"), count);
    const bool any_mean = members.has("means.npy") || members.has("mean_noise_scales.npy");
    const std::vector<double> means =
        any_mean ? members.doubles("means.npy", {count, columns}) : std::vector<double>();
    const std::vector<double> mean_noise_scales =
        any_mean ? members.doubles("mean_noise_scales.npy", {count}) : std::vector<double>();
    for (std::size_t k = 0; k < radii.size(); ++k) {
        NoisyMoment stratum{
            .radius = radii[k],
            .second_moment = matrix_at(second_moments, static_cast<Eigen::Index>(k), d),
            .noise_scale = noise_scales[k],
            .left_out = left_out[k]};
        if (any_mean && mean_noise_scales[k] != 0.0) {
            stratum.mean = Eigen::Map<const Eigen::VectorXd>(
                means.data() + static_cast<Eigen::Index>(k) * d, d);
            stratum.mean_noise_scale = mean_noise_scales[k];
        }
        strata.push_back(std::move(stratum));
    }
    return strata;
}

void read_bins(const Members& members, NoisyHistogram& norms) {
    const std::uint64_t bins = members.shape("norm_counts.npy", 1)[0];
    norms.counts = members.doubles("norm_counts.npy", {bins});
    norms.radii = members.doubles("norm_radii.npy", {bins});
}

Release read_release(const std::string& name, std::string_view archive) {
    const Members members(name, zip_members(name, archive));
    auto [release, version] = release_of_facts(name, members.bytes("release.json"));
    const std::uint64_t columns = members.shape("covariance.npy", 2)[0];
    const std::vector<double> covariance = members.doubles("covariance.npy", {columns, columns});
    release.covariance = matrix_at(covariance, 0, static_cast<Eigen::Index>(columns));
    if (members.has("mean.npy")) {
        release.mean = members.vector("mean.npy", columns);
    }
    // Without them the statistics would be in other units.
    if (version >= first_with_origin) {
        release.origin = members.vector("origin.npy", columns);
    }
    if (version >= first_with_stretch) {
        release.stretch = members.vector("stretch.npy", columns);
    }
    if (release.origin.isZero(0.0)) {
        release.origin = {};
    }
    if (release.stretch.isOnes(0.0)) {
        release.stretch = {};
    }
    release.statistics.strata = strata_of(members, columns);
    if (release.statistics.norms) {
        read_bins(members, *release.statistics.norms);
    }
    if (members.has("separate_mean.npy")) {
        release.statistics.mean = members.vector("separate_mean.npy", columns);
    }
    check_release(release);
    return release;
}

}  // namespace
}  // namespace detail

std::string release_archive(const Release& release) {
    detail::check_release(release);
    std::vector<ZipMember> members = {detail::member("covariance.npy", release.covariance)};
    if (release.mean) {
        members.push_back(detail::member("mean.npy", *release.mean));
    }
    const int version = detail::version_of(release);
    if (version >= detail::first_with_origin) {
        members.push_back(detail::member("origin.npy", detail::origin_of(release)));
    }
    if (version >= detail::first_with_stretch) {
        members.push_back(detail::member("stretch.npy", detail::stretch_of(release)));
    }
    detail::add_strata(members, release.statistics.strata);
    if (release.statistics.norms) {
        detail::add_norms(members, *release.statistics.norms);
    }
    if (release.statistics.mean) {
        members.push_back(detail::member("separate_mean.npy", *release.statistics.mean));
    }
    if (const auto names = column_names(release.schema); !names.empty()) {
        members.push_back({"columns.npy", npy_array(names)});
    }
    members.push_back({"record.json", format_record(release)});
    members.push_back({"release.json", detail::facts_json(release)});
    return zip_archive(std::move(members));
}

Release release_of_archive(const std::string& name, std::string_view archive) {
    const auto again = [](const std::string& what) {
        return DataError(
            what + "; this is no release of dpcov, or it was changed: save the release again");
    };
    try {
        return detail::read_release(name, archive);
    } catch (const detail::LaterVersion&) {
        throw;
    } catch (const DataError& error) {
        throw again(error.what());
    } catch (const UsageError& error) {  // what no release can have
        throw again(name + ": " + error.what());
    }
}

void save_release(const Release& release, const std::string& path) {
    const std::string bytes = release_archive(release);
    AtomicFile file(path);
    file.write(bytes);
    file.commit();
}

Release load_release(const std::string& path) {
    const std::unique_ptr<ByteStream> stream = open_regular_file(path, "a release");
    std::vector<unsigned char> bytes(stream->size());
    bytes.resize(read_fully(*stream, bytes));
    return release_of_archive(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace dpcov
