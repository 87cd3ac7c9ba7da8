// What an estimate writes: the matrix, the record and the release.
#pragma once

#include "dpcov/release.hpp"
#include "dpcov/schema.hpp"
#include "estimate_arguments.hpp"
#include "files/held_pipe.hpp"

namespace dpcov {

/// Fails before the reading rather than after it: throws UsageError where a target's format is not
/// known, where two are the same file, or one is a file that the command reads or keeps;
/// DeviceError where one cannot be written.
void check_outputs(const EstimateArguments& arguments);

/// Throws UsageError where names are asked for that the columns do not have.
void check_names(const EstimateArguments& arguments, const Schema& schema);

/// The first of them that is a named pipe, once somebody reads it. Says so where it has to wait.
HeldPipe held_output(const EstimateArguments& arguments);

/// Writes all of them, or none; to `pipe` what goes to its path.
void write_outputs(const EstimateArguments& arguments, const Release& release, HeldPipe& pipe);

}  // namespace dpcov
