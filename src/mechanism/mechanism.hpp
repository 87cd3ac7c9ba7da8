// What a mechanism is: the only kind of function that sees both data and noise.
#pragma once

#include "dpcov/release.hpp"
#include "mechanism/released_rows.hpp"
#include "moment/secret_moment.hpp"
#include "random/random_source.hpp"

namespace dpcov::detail {

/// Spends at most the budget, as the stages of what it returns say. For a budget in a definition,
/// or for options, that it cannot honour it throws UsageError before its first noise. Charges
/// nobody: that is release()'s. May forget the rows as it draws from them.
using Mechanism = Release (*)(const ReleasedRows&, const Budget&, const ReleaseOptions&,
                              RandomSource&);

/// The same of a function that forgets nothing.
template <Release (*Function)(const SecretMoment&, const Budget&, const ReleaseOptions&,
                              RandomSource&)>
Release keeping_rows(const ReleasedRows& rows, const Budget& budget, const ReleaseOptions& options,
                     RandomSource& random) {
    return Function(*rows, budget, options, random);
}

}  // namespace dpcov::detail
