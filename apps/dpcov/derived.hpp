// What follows from a release, as 'dpcov derive' has it, and the forms in which it is written.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dpcov/derive.hpp"
#include "dpcov/release.hpp"

namespace dpcov {

/// A covariance or a correlation, between all columns.
struct DerivedMatrix {
    std::string_view what;               ///< "covariance" or "correlation"
    MatrixEstimate estimate;             ///< in a CSV the matrix alone is looked at
    std::vector<std::string> csv_names;  ///< of rows and columns; empty: none
};

struct DerivedMean {
    VectorEstimate estimate;
};

struct DerivedComponents {
    PrincipalComponents pca;

    /// Why something is not known; else empty.
    [[nodiscard]] const std::string& why() const {
        return pca.explained_variance.why.empty() ? pca.explained_variance_ratio.why
                                                  : pca.explained_variance.why;
    }
};

struct DerivedRegression {
    Regression regression;
    std::string target;
    std::vector<std::string> features;
};

using Derived = std::variant<DerivedMatrix, DerivedMean, DerivedComponents, DerivedRegression>;

/// From what: a release, the names of all of its columns in order, the level of the intervals, and
/// what they are to cover.
struct DerivedFrom {
    const Release& release;
    const std::vector<std::string>& names;
    double level = 0.95;
    IntervalsFor intervals_for = IntervalsFor::table;
    std::string assumed = {};  ///< what intervals for a population rest on
};

/// As tables to be read. A number that is not known is a dash.
[[nodiscard]] std::string derived_text(const Derived& derived, const DerivedFrom& from);

/// With all that is known. A number that is not is null.
[[nodiscard]] std::string derived_json(const Derived& derived, const DerivedFrom& from);

/// Of a matrix its lines; else a line of names, and one for each estimate. A number that is not
/// known is an empty field.
[[nodiscard]] std::string derived_csv(const Derived& derived, const DerivedFrom& from);

/// Of a matrix a line of names, and one for each pair of columns, a column and itself as well where
/// that tells something. As for the others, an unknown number is an empty field.
[[nodiscard]] std::string csv_of_pairs(const DerivedMatrix& matrix, const DerivedFrom& from);

}  // namespace dpcov
