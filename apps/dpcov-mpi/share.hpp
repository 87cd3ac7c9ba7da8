// What one rank reads: its inputs, one after the other, as one table.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dpcov/second_moment.hpp"
#include "estimate_arguments.hpp"

namespace dpcov {

/// Refuses inputs that are one file, by another name or compressed beside it: its people would
/// count twice. Looks at no row.
void refuse_inputs_that_come_twice(const std::vector<std::string>& inputs);

/// Refuses what is standard input by any name: ranks have none in common.
void refuse_standard_input(const std::string& input);

/// Moments of one layout have one sum. UsageError where these have not: in what the layouts of two
/// inputs differ.
void require_same_layout(const MomentLayout& one, const std::string& name,
                         const MomentLayout& other, const std::string& other_name);

class Share {
public:
    /// Opens every input, but for pipes, to see what it is: no row is read yet. Throws as
    /// read_rows() does, and as require_same_layout(). Estimates that differ in their input alone.
    explicit Share(std::vector<EstimateArguments> inputs);

    /// Of the moment; none where there is no input, or only pipes.
    [[nodiscard]] const std::optional<MomentLayout>& layout() const { return layout_; }
    /// The first input that tells the layout.
    [[nodiscard]] const std::string& name() const { return name_; }

    /// All rows, added up; none where there is no input. In memory is one moment, or two where one
    /// of the inputs is one. SECRET.
    [[nodiscard]] std::optional<SecondMoment> read() const;

private:
    std::vector<EstimateArguments> tables_;
    std::vector<EstimateArguments> moments_;
    std::optional<MomentLayout> layout_;
    std::string name_;
};

}  // namespace dpcov
