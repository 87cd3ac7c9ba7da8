#include "moment/rows_apart.hpp"

#include "moment/secret_door.hpp"

namespace dpcov::detail {

SecondMoment empty_like(const SecondMoment& moment) {
    return SecretDoor::wrap(SecretMoment(moment.layout(), SecretDoor::open(moment)->norm_bins()));
}

void move_sums(SecondMoment& apart, SecondMoment& to) {
    SecretDoor::open_to_change(to).take_over(SecretDoor::open_to_change(apart));
}

}  // namespace dpcov::detail
