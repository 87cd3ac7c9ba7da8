#include "mechanism/automatic.hpp"

#include "mechanism/adaptive_cov.hpp"
#include "mechanism/centered.hpp"
#include "mechanism/stratified.hpp"

namespace dpcov::detail {

namespace {

bool takes_strata(Variant variant) {
    return variant == Variant::best;
}

}  // namespace

Curve automatic_curve(Variant variant) {
    return takes_strata(variant) ? Curve::gaussian : Curve::zcdp;
}

bool automatic_needs_directions(Variant variant) {
    return !takes_strata(variant);
}

Release automatic_cov(const ReleasedRows& rows, const Budget& budget, const ReleaseOptions& options,
                      RandomSource& random) {
    if (takes_strata(options.variant)) {
        return stratified_cov(rows, budget, options, random);
    }
    return options.center ? centered(*rows, budget, options, random, &adaptive_cov)
                          : adaptive_cov(*rows, budget, options, random);
}

}  // namespace dpcov::detail
