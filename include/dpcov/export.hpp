// What the shared library shows. Everything else in it is hidden.
#pragma once

#define DPCOV_EXPORT __attribute__((visibility("default")))
