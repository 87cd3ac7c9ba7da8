// What is told before hours of reading.
#pragma once

#include <string>

#include "dpcov/table.hpp"
#include "estimate_arguments.hpp"

namespace dpcov {

/// Of what is likely to be regretted in the end, though it is no reason to refuse: a delta that is
/// too great for so many rows, too little memory for so many columns. Empty where there is nothing.
/// Public: columns, method, machine, and the number of rows only where it is.
std::string early_warnings(const EstimateArguments& arguments, const TableReader& table);

}  // namespace dpcov
