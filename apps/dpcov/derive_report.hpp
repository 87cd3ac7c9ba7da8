// What was derived from a release, as JSON and as tables to be read.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "dpcov/derive.hpp"
#include "dpcov/release.hpp"

namespace dpcov {

/// How it is written: as tables to be read; as JSON; as CSV, a line for each estimate and one of
/// names, of what is no matrix. A number that is not known is a dash in the text, null in JSON, and
/// nothing in CSV.
enum class DeriveForm { text, json, csv };

/// What a report is of: a release, the names of all of its columns in order, the level of the
/// intervals, and the form.
struct DeriveRequest {
    const Release& release;
    const std::vector<std::string>& names;
    double level = 0.95;
    DeriveForm form = DeriveForm::text;
};

/// As text or as JSON.
[[nodiscard]] std::string covariance_report(const DeriveRequest& request);
[[nodiscard]] std::string correlation_report(const DeriveRequest& request);
[[nodiscard]] std::string mean_report(const DeriveRequest& request);
/// Of the first `count` components.
[[nodiscard]] std::string pca_report(const DeriveRequest& request, Eigen::Index count,
                                     ComponentsOf of);
/// Of column `target` on `features`, or on all others where there are none.
[[nodiscard]] std::string regression_report(const DeriveRequest& request, Eigen::Index target,
                                            const std::vector<Eigen::Index>& features);

}  // namespace dpcov
