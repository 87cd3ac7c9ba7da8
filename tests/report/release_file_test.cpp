// A release as a file: all of it comes back, and nothing but a release does.
#include "dpcov/release_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "dpcov/derive.hpp"
#include "dpcov/error.hpp"
#include "dpcov/record.hpp"
#include "mechanism/run_method.hpp"
#include "moment/secret_moment.hpp"
#include "random/random_source.hpp"
#include "report/npy_array.hpp"
#include "report/zip_archive.hpp"
#include "support/special_numbers.hpp"
#include "support/sphere_rows.hpp"
#include "tables/table_support.hpp"

namespace dpcov::test {
namespace {

constexpr std::size_t saved_columns = 3;

detail::SecretMoment table_with_bounds() {
    const Schema schema = {{.name = "age", .bounds = {{0, 100}}, .fill = 40.0, .missing = {-99, 7}},
                           {.name = "größe, \"in\" m", .bounds = {{0.5, 2.5}}},
                           {.name = "", .bounds = {{-1, 1}}}};
    detail::SecretMoment moment({.columns = saved_columns,
                                 .norm_bound = 1.75,
                                 .keep_directions = true,
                                 .dataset = "patients",
                                 .schema = schema});
    moment.add(sphere_rows(400, saved_columns, 0.6, 1, 0.5) +
               sphere_rows(50, saved_columns, 1.7, 2));
    return moment;
}

Release run(std::string_view method, const detail::SecretMoment& secret, double budget,
            const ReleaseOptions& options, std::uint64_t seed) {
    SeededRandomSource random(seed);
    const Method& found = find_method(method);
    return detail::run_method(
        found, secret, found.zcdp ? Budget(Rho(budget)) : Budget(Epsilon(budget)), options, random);
}

// With everything that a release may have: names, bounds, a charge, strata with means, one left
// out. Not all of it occurs together.
Release made_full_release() {
    ReleaseOptions options;
    options.neighbours = Neighbours::add_remove;
    Release release = run("auto", table_with_bounds(), 0.3, options, 3);
    release.definition = ApproximateDp{Epsilon(10.0 / 3.0), Delta(1e-3)};
    release.charged = Rho(0.5);
    release.threshold = 0.1;
    release.origin = Eigen::Vector3d(0.5, -1.0, 0.0);
    release.stretch = Eigen::Vector3d(1.0, 2.5, 3.0);
    release.noisy_rows = (std::uint64_t{1} << 53) + 1;
    release.zero = ZeroReason::nothing_seen;
    release.worse_than_zero = true;
    release.secure_randomness = true;
    release.mean = Eigen::VectorXd::LinSpaced(3, -1.0 / 3.0, 5e-324);
    Statistics& statistics = release.statistics;
    statistics.mean = Eigen::VectorXd::Constant(3, 0.1);
    statistics.mean_noise_scale = 0.01;
    statistics.counted_with_strata = true;
    statistics.strata[0].mean = Eigen::VectorXd::Constant(3, -0.25);
    statistics.strata[0].mean_noise_scale = 1e-3;
    statistics.strata.push_back(statistics.strata[0]);
    statistics.strata.back().left_out = true;
    return in_table_units(release);
}

const Release& full_release() {
    static const Release release = made_full_release();
    return release;
}

bool same(const std::vector<Stage<Budget>>& a, const std::vector<Stage<Budget>>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
        return x.name == y.name && x.what == y.what && x.spent.index() == y.spent.index() &&
               amount_of(x.spent) == amount_of(y.spent);
    });
}

void expect_same(const Release& is, const Release& was) {
    EXPECT_EQ(is.covariance, was.covariance);
    EXPECT_EQ(is.mean, was.mean);
    EXPECT_EQ(is.table_units, was.table_units);
    EXPECT_EQ(is.definition.index(), was.definition.index());
    EXPECT_EQ(is.method, was.method);
    EXPECT_EQ(is.variant, was.variant);
    EXPECT_EQ(is.curve, was.curve);
    EXPECT_EQ(is.neighbours, was.neighbours);
    EXPECT_EQ(is.centered, was.centered);
    EXPECT_EQ(is.norm_bound, was.norm_bound);
    EXPECT_EQ(is.origin, was.origin);
    EXPECT_EQ(is.stretch, was.stretch);
    EXPECT_EQ(is.schema, was.schema);
    EXPECT_EQ(is.dataset, was.dataset);
    EXPECT_EQ(is.charged.has_value(), was.charged.has_value());
    EXPECT_EQ(is.version, was.version);
    EXPECT_TRUE(same(is.stages, was.stages));
    EXPECT_EQ(is.rows, was.rows);
    EXPECT_EQ(is.noisy_rows, was.noisy_rows);
    EXPECT_EQ(is.grid, was.grid);
    EXPECT_EQ(is.threshold, was.threshold);
    EXPECT_EQ(is.estimated_frobenius_error, was.estimated_frobenius_error);
    EXPECT_EQ(is.hidden_rows_error, was.hidden_rows_error);
    EXPECT_EQ(is.worse_than_zero, was.worse_than_zero);
    EXPECT_EQ(is.share_of_norm_bound, was.share_of_norm_bound);
    EXPECT_EQ(is.zero, was.zero);
    EXPECT_EQ(is.secure_randomness, was.secure_randomness);
    EXPECT_EQ(is.statistics.noise, was.statistics.noise);
    EXPECT_EQ(is.statistics.rows, was.statistics.rows);
    EXPECT_EQ(is.statistics.rows_deviation, was.statistics.rows_deviation);
    EXPECT_EQ(is.statistics.counted_with_strata, was.statistics.counted_with_strata);
    EXPECT_EQ(is.statistics.complete, was.statistics.complete);
    EXPECT_EQ(is.statistics.mean, was.statistics.mean);
    EXPECT_EQ(is.statistics.mean_noise_scale, was.statistics.mean_noise_scale);
    ASSERT_EQ(is.statistics.norms.has_value(), was.statistics.norms.has_value());
    if (was.statistics.norms) {
        EXPECT_EQ(is.statistics.norms->counts, was.statistics.norms->counts);
        EXPECT_EQ(is.statistics.norms->radii, was.statistics.norms->radii);
        EXPECT_EQ(is.statistics.norms->deviation, was.statistics.norms->deviation);
    }
    ASSERT_EQ(is.statistics.strata.size(), was.statistics.strata.size());
    for (std::size_t k = 0; k < was.statistics.strata.size(); ++k) {
        const NoisyMoment& a = is.statistics.strata[k];
        const NoisyMoment& b = was.statistics.strata[k];
        EXPECT_EQ(a.radius, b.radius);
        EXPECT_EQ(a.second_moment, b.second_moment);
        EXPECT_EQ(a.noise_scale, b.noise_scale);
        EXPECT_EQ(a.mean, b.mean);
        EXPECT_EQ(a.mean_noise_scale, b.mean_noise_scale);
        EXPECT_EQ(a.left_out, b.left_out);
    }
    // What the record says of them: definition, charge and all.
    EXPECT_EQ(format_record(is), format_record(was));
}

TEST(ReleaseFile, GivesBackEveryField) {
    const TemporaryFolder folder;
    const Release full = full_release();
    ASSERT_GT(full.statistics.strata.size(), 1U);
    save_release(full, folder / "full.npz");
    expect_same(load_release(folder / "full.npz"), full);
    const detail::SecretMoment moment = table_with_bounds();
    for (const Method& method : methods()) {
        for (const bool center : {false, true}) {
            ReleaseOptions options;
            options.center = center;
            if (method.needs_clip) {
                options.clip = 1.75;
            }
            const Release release = run(method.name, moment, 0.1, options, 4);
            save_release(release, folder / "one.npz");
            SCOPED_TRACE(method.name);
            expect_same(load_release(folder / "one.npz"), release);
        }
    }
}

TEST(ReleaseFile, TheSameReleaseMakesTheSameBytes) {
    EXPECT_EQ(release_archive(full_release()), release_archive(full_release()));
}

TEST(ReleaseFile, AnInconsistentReleaseIsNotWritten) {
    const std::vector<std::function<void(Release&)>> spoilers = {
        [](Release& r) { r.covariance(0, 0) = std::numeric_limits<double>::quiet_NaN(); },
        [](Release& r) { r.covariance.resize(0, 0); },
        [](Release& r) { r.mean->resize(2); },
        [](Release& r) { r.schema.pop_back(); },
        [](Release& r) { r.schema[0].fill = 1000.0; },
        [](Release& r) { r.schema[0].missing.push_back(infinity); },
        [](Release& r) { r.schema[0].name = "caf\xe9"; },
        [](Release& r) { r.norm_bound = 0.0; },
        [](Release& r) { r.norm_bound = 1e300; },  // as what is derived from it refuses it
        [](Release& r) {
            r.neighbours = Neighbours::replace;
            r.rows = 500;  // public, and so nothing noisy
        },
        [](Release& r) { r.covariance(0, 1) *= 1.0 + 1e-9; },
        [](Release& r) { r.definition = Rho(1e-9); },
        [](Release& r) {
            double spent = 0.0;
            for (const Stage<Budget>& stage : r.stages) {
                spent += amount_of(stage.spent);
            }
            r.definition = Rho(spent / 1.001);
        },
        [](Release& r) { r.definition = Epsilon(100.0); },
        [](Release& r) { r.stages.clear(); },
        [](Release& r) { r.stages[0].spent = Rho(1.0); },
        [](Release& r) { r.charged = Epsilon(1.0); },
        [](Release& r) { r.rows = 500; },
        [](Release& r) { r.method = "automatic"; },
        [](Release& r) {
            r.centered = true;
            r.mean.reset();
        },
        [](Release& r) { r.statistics.strata[0].noise_scale = 0.0; },
        [](Release& r) { r.statistics.strata[0].radius = -1.0; },
        [](Release& r) { r.statistics.strata[0].second_moment(0, 1) += 1.0; },
        [](Release& r) { r.statistics.strata[1].second_moment.resize(2, 2); },
        [](Release& r) { r.statistics.strata[0].mean_noise_scale = 0.0; },
        [](Release& r) { r.statistics.mean.reset(); },
        [](Release& r) { r.statistics.strata.clear(); },
        [](Release& r) { r.statistics.norms->deviation = 0.0; },
        [](Release& r) { r.statistics.norms->counts.pop_back(); },
        [](Release& r) { r.statistics.norms->counts[1] = infinity; },
        [](Release& r) { r.statistics.norms->radii.back() = 1.5; },
        [](Release& r) { r.statistics.norms->radii.front() = 0.0; },
        [](Release& r) { r.statistics.norms->radii[1] = r.statistics.norms->radii[0]; },
        [](Release& r) { r.statistics.norms = NoisyHistogram{.deviation = 1.0}; },
        [](Release& r) { r.statistics.rows = 0.5; },
        [](Release& r) { r.grid = infinity; },
        [](Release& r) { r.grid = -1.0; },
        [](Release& r) { r.threshold = -1.0; },
        [](Release& r) { r.estimated_frobenius_error = infinity; },
        [](Release& r) { r.hidden_rows_error = -1.0; },
        [](Release& r) { r.share_of_norm_bound = infinity; },
    };
    for (std::size_t i = 0; i < spoilers.size(); ++i) {
        Release release = full_release();
        spoilers[i](release);
        EXPECT_THROW(static_cast<void>(release_archive(release)), UsageError) << i;
    }
}

// --- What is no release is refused, with what to do.

using Bytes = std::map<std::string, std::string>;

Bytes members_of_full_release() {
    return zip_members("file", release_archive(full_release()));
}

std::string archive_of(const Bytes& members) {
    std::vector<ZipMember> list;
    for (const auto& [name, bytes] : members) list.push_back({name, bytes});
    return zip_archive(list);
}

std::string refusal(const std::string& archive) {
    try {
        static_cast<void>(release_of_archive("some.npz", archive));
    } catch (const DataError& error) {
        EXPECT_THAT(error.what(), testing::StartsWith("some.npz"));
        EXPECT_THAT(error.what(), testing::HasSubstr("save the release again"));
        return error.what();
    }
    return "accepted";
}

TEST(ReleaseFile, AMissingMemberIsRefused) {
    for (const auto& [name, bytes] : members_of_full_release()) {
        Bytes without = members_of_full_release();
        without.erase(name);
        if (name == "mean.npy" || name == "columns.npy" || name == "record.json") {
            EXPECT_EQ(refusal(archive_of(without)), "accepted") << name;  // there may be none
        } else {
            EXPECT_NE(refusal(archive_of(without)), "accepted") << name;
        }
    }
}

TEST(ReleaseFile, OtherArraysAreRefused) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const std::vector<double> nine(9, 0.5);
    struct Spoilt {
        const char* member;
        std::string bytes;
        const char* says;
    };
    std::string big_endian = npy_array({3, 3}, nine);
    big_endian.replace(big_endian.find("<f8"), 3, ">f8");
    std::string fortran = npy_array({3, 3}, nine);
    fortran.replace(fortran.find("False"), 5, "True ");
    std::vector<double> with_nan = nine;
    with_nan[4] = nan;
    const std::vector<double> huge(36, 1e200);
    const std::vector<Spoilt> all = {
        {"covariance.npy", npy_array({3, 3}, with_nan), "not finite"},
        {"covariance.npy", npy_array({9}, nine), "dimensions"},
        {"covariance.npy", npy_array({9, 1}, nine), "shape"},
        {"covariance.npy", npy_array({2, 2}, {nine.data(), 4}), "shape"},
        {"covariance.npy", npy_header("<f8", {0, 0}), "bytes"},
        {"covariance.npy", npy_header("<f8", {3, 3}), "bytes"},
        {"covariance.npy", npy_header("<f8", {1ULL << 33U, 1ULL << 33U}), "bytes"},
        {"covariance.npy", npy_header("<f8", {~0ULL, ~0ULL}), "bytes"},
        {"covariance.npy", npy_array({3, 3}, nine) + '\0', "bytes"},
        {"covariance.npy", big_endian, "type"},
        {"covariance.npy", fortran, "Fortran"},
        {"covariance.npy", npy_header("<i8", {3, 3}) + std::string(72, '\0'), "type"},
        {"covariance.npy", "", "empty"},
        {"covariance.npy", "\x93NUMPY", "truncated"},
        {"mean.npy", npy_array({9}, nine), "shape"},
        {"radii.npy", npy_array({1, 9}, nine), "dimensions"},
        {"radii.npy", npy_header("<f8", {1ULL << 62U}), "bytes"},
        {"left_out.npy", npy_array(std::vector<bool>(3, true)), "shape"},
        {"means.npy", npy_array({1, 9}, nine), "shape"},
        {"separate_mean.npy", npy_array({3}, {with_nan.data() + 3, 3}), "not finite"},
        {"second_moments.npy", npy_array({1, 3, 3}, nine), "shape"},
        {"origin.npy", npy_array({3}, std::vector{0.0, 0.0, 1.5}), "within [-1, 1]"},
        {"stretch.npy", npy_array({2}, std::vector{1.0, 1.0}), "shape"},
        {"stretch.npy", npy_array({3}, std::vector{1.0, 0.0, 1.0}), "stretch"},
        {"stretch.npy", npy_array({3}, std::vector{1.0, -1.0, 1.0}), "stretch"},
        {"stretch.npy", npy_array({3}, std::vector{1.0, nan, 1.0}), "not finite"},
        {"stretch.npy", npy_array({3}, std::vector{1.0, 1e300, 1.0}), "out of all range"},
        {"stretch.npy", npy_array({3}, std::vector{1.0, 5e-324, 1.0}), "stretch"},
        {"release.json", "", "no JSON"},
        {"release.json", "{", "no JSON"},
        {"release.json", "[]", "no object"},
        {"release.json", std::string(100000, '['), "no JSON"},
        {"release.json", "{\"format\": \"another\"}", "something else"},
        {"noise_scales.npy", npy_array({4}, {huge.data(), 4}), "out of all range"},
        {"second_moments.npy", npy_array({4, 3, 3}, huge), "out of all range"},
        // Deeper than there is stack for a function of each level.
        {"release.json",
         R"({"format": "dpcov release", "format_version": 1, "version": "1", "definition": {"x": )" +
             std::string(200000, '[') + std::string(200000, ']') + "}}",
         "has no"},
    };
    for (const Spoilt& spoilt : all) {
        Bytes members = members_of_full_release();
        ASSERT_TRUE(members.contains(spoilt.member));
        members[spoilt.member] = spoilt.bytes;
        EXPECT_THAT(refusal(archive_of(members)), testing::HasSubstr(spoilt.says)) << spoilt.member;
    }
}

TEST(ReleaseFile, OtherFactsAreRefused) {
    struct Change {
        std::string from;
        std::string to;
    };
    const std::vector<Change> changes = {
        {"\"format_version\": 3", "\"format_version\": -1"},
        {"\"format_version\": 3", "\"format_version\": 0"},
        {"\"variant\": \"best\"", "\"variant\": \"worst\""},
        {"\"method\": \"auto\"", "\"method\": 3"},
        {"\"private\": true", "\"private\": 1"},
        {"\"delta\": 0.001", "\"delta\": 1e7"},
        {"\"delta\": 0.001", "\"delta\": null"},
        {"\"delta\": 0.001", "\"delta\": 1e-300"},  // less than was spent
        {"\"delta\": 0.001", "\"gamma\": 0.001"},   // pure DP, and stages in rho
        {"\"method\": \"auto\"", "\"method\": \"automatic\""},
        {"\"neighbours\": \"add-remove\"", "\"rows\": 500, \"neighbours\": \"add-remove\""},
        {"\"zero\": \"nothing-seen\"", "\"zero\": \"baseline\""},
        {"\"norm_bound\": 1.75", "\"norm_bound\": 1e999"},
        {"\"norm_bound\": 1.75", "\"norm_bound\": -1"},
        {"\"noisy_rows\": 9007199254740993", "\"noisy_rows\": -9007199254740993"},
        {"\"noisy_rows\": 9007199254740993", "\"noisy_rows\": 1.5"},
        {"\"upper\": 100.0", "\"upper\": -100.0"},
        {"\"upper\": 100.0", "\"oops\": 100.0"},
        {"\"zero\": \"nothing-seen\"", "\"zero\": true"},
        {"\"noise\": \"gaussian\"", "\"noise\": \"none\""},
        {"\"mean_noise_scale\": 0.01", "\"mean_noise_scale\": 0"},
        {"\"stages\": [", "\"stages\": [7, "},
    };
    for (const Change& change : changes) {
        Bytes members = members_of_full_release();
        std::string& facts = members["release.json"];
        const std::size_t place = facts.find(change.from);
        ASSERT_NE(place, std::string::npos) << change.from << facts;
        facts.replace(place, change.from.size(), change.to);
        EXPECT_NE(refusal(archive_of(members)), "accepted") << change.to;
    }
}

// With and without what other versions of the format began with.
TEST(ReleaseFile, TellsForHowManyRowsOfAPersonItIs) {
    for (const bool moved : {true, false}) {
        Release release = full_release();
        if (!moved) {
            release.origin = {};
            release.stretch = {};
        }
        release.rows_per_person = 4;
        const std::string archive = release_archive(release);
        const Release again = release_of_archive("some.npz", archive);
        EXPECT_EQ(again.rows_per_person, 4U);
        expect_same(again, release);
        EXPECT_EQ(format_record(again), format_record(release));
        EXPECT_NE(format_record(again).find("\"rows_per_person\": 4"), std::string::npos);
        EXPECT_EQ(release_archive(again), archive);
        for (const char* wrong : {"\"rows_per_person\": 0", "\"rows_per_person\": 1000001",
                                  "\"rows_per_person\": 4.5", "\"rows_of_person\": 4"}) {
            Bytes members = zip_members("file", archive);
            std::string& facts = members["release.json"];
            facts.replace(facts.find("\"rows_per_person\": 4"), 20, wrong);
            EXPECT_NE(refusal(archive_of(members)), "accepted") << wrong;
        }
        // A program that knows nothing of it must not read the release as one of single rows.
        EXPECT_NE(zip_members("file", archive)["release.json"].find("\"format_version\": 4"),
                  std::string::npos);
    }
    EXPECT_EQ(format_record(full_release()).find("rows_per_person"), std::string::npos);
}

TEST(ReleaseFile, OneOfALaterVersionIsNotCalledDamaged) {
    Bytes members = members_of_full_release();
    std::string& facts = members["release.json"];
    facts.replace(facts.find("\"format_version\": 3"), 19, "\"format_version\": 5");
    try {
        static_cast<void>(release_of_archive("some.npz", archive_of(members)));
        ADD_FAILURE() << "accepted";
    } catch (const DataError& error) {
        EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr("some.npz"),
                                                 testing::HasSubstr("later version"),
                                                 testing::Not(testing::HasSubstr("changed"))));
    }
}

TEST(ReleaseFile, ADamagedArchiveIsRefused) {
    const std::string archive = release_archive(full_release());
    EXPECT_THAT(refusal(""), testing::HasSubstr("no zip archive"));
    EXPECT_THAT(refusal("age,height\n1,2\n"), testing::HasSubstr("no zip archive"));
    for (std::size_t size = 0; size < archive.size(); size += 97) {
        EXPECT_NE(refusal(archive.substr(0, size)), "accepted") << size;
    }
    // A bit of an array: the member's checksum tells.
    std::string flipped = archive;
    flipped[200] = static_cast<char>(flipped[200] ^ 1);
    EXPECT_THAT(refusal(flipped), testing::HasSubstr("damaged"));
    EXPECT_EQ(refusal(archive), "accepted");
}

// The number of `bytes` bytes at each place where `signature` stands.
std::string with_number(std::string archive, const std::string& signature, std::size_t offset,
                        std::uint64_t number, std::size_t bytes) {
    for (std::size_t at = archive.find(signature); at != std::string::npos;
         at = archive.find(signature, at + 1)) {
        std::memcpy(archive.data() + at + offset, &number, bytes);
    }
    return archive;
}

TEST(ReleaseFile, AForgedDirectoryIsRefused) {
    const std::string archive = release_archive(full_release());
    const std::string local("PK\x03\x04", 4);
    const std::string central("PK\x01\x02", 4);
    // Sizes of all members, in both places.
    for (const std::uint64_t size : {0xfffffff0ULL, 0ULL}) {
        std::string forged = archive;
        for (const std::size_t field : {0U, 4U}) {
            forged = with_number(forged, local, 18 + field, size, 4);
            forged = with_number(forged, central, 20 + field, size, 4);
        }
        EXPECT_NE(refusal(forged), "accepted") << size;
    }
    // All members are the first one's bytes: each is as large as the whole.
    EXPECT_NE(refusal(with_number(archive, central, 42, 0, 4)), "accepted");
    // Said to be deflated.
    EXPECT_NE(refusal(with_number(with_number(archive, local, 8, 8, 2), central, 10, 8, 2)),
              "accepted");
    // A name twice.
    Bytes members = members_of_full_release();
    members["radii.npz"] = members["radii.npy"];
    std::string twice = archive_of(members);
    for (std::size_t at = twice.find("radii.npz"); at != std::string::npos;
         at = twice.find("radii.npz", at)) {
        twice[at + 8] = 'y';
    }
    EXPECT_NE(refusal(twice), "accepted");
}

TEST(ReleaseFile, WhatIsNoFileIsRefused) {
    const TemporaryFolder folder;
    EXPECT_THROW(static_cast<void>(load_release(folder / "none.npz")), DeviceError);
    EXPECT_THROW(static_cast<void>(load_release("/dev/zero")), DeviceError);
    ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);  // which nobody writes to
    EXPECT_THROW(static_cast<void>(load_release(folder / "pipe")), DeviceError);
    EXPECT_THROW(save_release(full_release(), folder / "no/such/folder.npz"), DeviceError);
}

// --- As it was saved by a version before.

// What a release holds is enough to estimate from it, now as then. Kernels and libraries round
// differently: by 1.8e-10 of the norm where that was measured (estimate/golden_test.cpp); five
// times that passes.
TEST(ReleaseFile, SavedReleasesGiveTheEstimatesThatTheyGave) {
    for (const char* name : {"gauss_centred", "clip_gauss", "wishart_centred", "auto_zcdp",
                             "auto_pure", "auto_add_remove", "auto_with_norms"}) {
        Release saved = load_release(std::string(DPCOV_GOLDEN_RELEASES) + "/" + name + ".npz");
        SCOPED_TRACE(name);
        const double tolerance = 1e-9 * saved.covariance.norm();
        EXPECT_LT((estimate_covariance(saved) - saved.covariance).norm(), tolerance);
        // Control: a millionth of the noise scale is noticed by estimates that weigh it.
        for (NoisyMoment& stratum : saved.statistics.strata) {
            stratum.noise_scale *= 1.0 + 1e-6;
        }
        if (saved.method == "auto") {
            EXPECT_GT((estimate_covariance(saved) - saved.covariance).norm(), tolerance);
        }
    }
}

// --- As numpy sees it.

TEST(ReleaseFile, IsOpenedByNumpy) {
    if (!have_numpy()) {
        GTEST_SKIP() << "/usr/bin/python3 has no numpy";
    }
    const TemporaryFolder folder;
    const Release release = full_release();
    save_release(release, folder / "release.npz");
    run_python(folder, R"(
import json, sys, numpy
with numpy.load(sys.argv[1] + 'release.npz', allow_pickle=False) as saved:
    assert sorted(saved.files) == sorted([
        'covariance', 'mean', 'origin', 'stretch', 'radii', 'noise_scales', 'second_moments',
        'means', 'mean_noise_scales', 'left_out', 'norm_counts', 'norm_radii', 'separate_mean',
        'columns', 'record.json', 'release.json']), saved.files
    k = len(saved['radii'])
    assert saved['second_moments'].shape == (k, 3, 3)
    assert saved['means'].shape == (k, 3) and saved['mean_noise_scales'].shape == (k,)
    assert saved['norm_counts'].shape == saved['norm_radii'].shape
    assert saved['norm_radii'][-1] == 1
    assert list(saved['columns']) == ['age', 'größe, "in" m', ''], saved['columns']
    assert saved['left_out'].dtype == bool and saved['left_out'].tolist()[-1]
    record = json.loads(saved['record.json'])
    assert record['columns'] == list(saved['columns'])
    numpy.concatenate([saved['covariance'].ravel(), saved['second_moments'].ravel(),
                       saved['mean']]).tofile(sys.argv[1] + 'values')
)");
    std::vector<double> expected;
    const auto add = [&expected](const Eigen::MatrixXd& matrix) {
        for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
            for (Eigen::Index j = 0; j < matrix.cols(); ++j) expected.push_back(matrix(i, j));
        }
    };
    add(release.covariance);
    for (const NoisyMoment& stratum : release.statistics.strata) add(stratum.second_moment);
    add(*release.mean);
    const std::string bytes = read_file(folder / "values");
    ASSERT_EQ(bytes.size(), expected.size() * sizeof(double));
    EXPECT_EQ(std::memcmp(bytes.data(), expected.data(), bytes.size()), 0);
}

}  // namespace
}  // namespace dpcov::test
