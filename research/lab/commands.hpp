// The commands of the laboratory. Each adds itself, its options and its help to the program.
#pragma once

#include <CLI/CLI.hpp>

namespace dpcov::research {

void add_experiment_command(CLI::App& program);
void add_ablation_command(CLI::App& program);
void add_estimated_error_command(CLI::App& program);
void add_oracle_command(CLI::App& program);
void add_examples_command(CLI::App& program);
void add_stress_command(CLI::App& program);
void add_tuning_command(CLI::App& program);
void add_levels_command(CLI::App& program);
void add_partition_command(CLI::App& program);
void add_regression_command(CLI::App& program);
void add_components_command(CLI::App& program);
void add_coverage_command(CLI::App& program);
void add_plan_command(CLI::App& program);

}  // namespace dpcov::research
