// 128-bit integers, under names that do not upset -Wpedantic.
#pragma once

namespace dpcov {

__extension__ using Int128 = __int128;
__extension__ using UInt128 = unsigned __int128;

}  // namespace dpcov
