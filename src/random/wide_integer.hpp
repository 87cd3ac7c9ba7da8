// 128-bit integers, under names that do not upset -Wpedantic.
#pragma once

namespace dpcov {

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 UInt128;

}  // namespace dpcov
