// The rows of an estimate: of a table, or of a moment file.
#pragma once

#include <memory>
#include <string>

#include "dpcov/schema.hpp"
#include "dpcov/second_moment.hpp"
#include "dpcov/table.hpp"
#include "estimate_arguments.hpp"

namespace dpcov {

/// Throws UsageError where the options do not go with such an input, or leave out what it needs.
void check_input(const EstimateArguments& arguments);

/// Why the rows are looked at once; empty where a second time may be worth it. Public.
std::string why_one_pass(const EstimateArguments& arguments);

/// B; 0 where nothing tells it.
double asked_norm_bound(const EstimateArguments& arguments, const Schema& schema);

/// The input, opened: a table.
std::unique_ptr<TableReader> open_input(const EstimateArguments& arguments);

/// What a moment of such a table is to keep.
MomentLayout layout_of(const EstimateArguments& arguments, const TableReader& table);

/// The moment of no rows of it.
SecondMoment empty_moment(const EstimateArguments& arguments, const TableReader& table);

/// The input: a moment file that the method can do with. SECRET.
SecondMoment read_moment(const EstimateArguments& arguments);

/// The rows of the input, table or moment file, added up. SECRET.
SecondMoment read_rows(const EstimateArguments& arguments);

}  // namespace dpcov
