// The symbols that the shared library exports. All its other own symbols are hidden. Its copies of
// functions and type information of the standard library and of Boost are exported, as weak
// symbols.
#pragma once

#if __cplusplus < 202002L
#error "dpcov needs C++20: compile with -std=c++20 or later"
#endif

#define DPCOV_EXPORT __attribute__((visibility("default")))
