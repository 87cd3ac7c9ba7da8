// What the shared library shows. Everything else in it is hidden.
#pragma once

#if __cplusplus < 202002L
#error "dpcov needs C++20: compile with -std=c++20 or later"
#endif

#define DPCOV_EXPORT __attribute__((visibility("default")))
