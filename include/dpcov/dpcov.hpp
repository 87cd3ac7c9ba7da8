// All of dpcov's interface.
#pragma once

#include "dpcov/accountant.hpp"     // IWYU pragma: export
#include "dpcov/bounds.hpp"         // IWYU pragma: export
#include "dpcov/budget.hpp"         // IWYU pragma: export
#include "dpcov/concerns.hpp"       // IWYU pragma: export
#include "dpcov/derive.hpp"         // IWYU pragma: export
#include "dpcov/error.hpp"          // IWYU pragma: export
#include "dpcov/ledger.hpp"         // IWYU pragma: export
#include "dpcov/limits.hpp"         // IWYU pragma: export
#include "dpcov/methods.hpp"        // IWYU pragma: export
#include "dpcov/plan.hpp"           // IWYU pragma: export
#include "dpcov/record.hpp"         // IWYU pragma: export
#include "dpcov/release.hpp"        // IWYU pragma: export
#include "dpcov/release_file.hpp"   // IWYU pragma: export
#include "dpcov/schema.hpp"         // IWYU pragma: export
#include "dpcov/second_moment.hpp"  // IWYU pragma: export
#include "dpcov/statistics.hpp"     // IWYU pragma: export
#include "dpcov/table.hpp"          // IWYU pragma: export
#include "dpcov/version.hpp"        // IWYU pragma: export
