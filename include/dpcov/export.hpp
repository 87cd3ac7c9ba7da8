// What the shared library shows. Everything else of its own is hidden; functions and type
// information of the standard library and of Boost that it has copies of are shown, as weak
// symbols.
#pragma once

#if __cplusplus < 202002L
#error "dpcov needs C++20: compile with -std=c++20 or later"
#endif

#define DPCOV_EXPORT __attribute__((visibility("default")))
