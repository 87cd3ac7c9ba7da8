#include "mechanism/automatic.hpp"

#include "mechanism/adaptive_cov.hpp"
#include "mechanism/stratified.hpp"

namespace dpcov::detail {

Release automatic_cov(const SecondMoment& secret, const Budget& budget,
                      const MechanismOptions& options, RandomSource& random) {
    const bool zcdp = std::holds_alternative<Rho>(budget);
    return zcdp && options.variant == Variant::best
               ? stratified_cov(secret, budget, options, random)
               : adaptive_cov(secret, budget, options, random);
}

}  // namespace dpcov::detail
