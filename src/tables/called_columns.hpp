// Which column somebody means who calls it by a name or an index. Whoever asks words the answer.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dpcov/schema.hpp"

namespace dpcov {

/// Whether a column is asked for by its place: the text is a 0-based index, or empty (the place in
/// the list that it stands in). So is its indicator: 3=north.
[[nodiscard]] bool is_place(std::string_view wanted);

/// Whether a column has bounds 0 and 1, and is called as an indicator is: NAME=VALUE. Its values
/// are zeros and ones then, as a rule. (A column of the table may have such a name, too.)
[[nodiscard]] bool is_called_indicator(const Column& column);

/// What columns are called in results: by their names, or their 0-based indices; of `columns`
/// columns, whose schema may be empty.
[[nodiscard]] std::vector<std::string> names_or_places(const Schema& schema, std::size_t columns);

/// The answer to a call.
struct CalledColumn {
    enum class Problem {
        none,
        several,   ///< columns have that name
        beyond,    ///< an index, but there are not so many columns
        nameless,  ///< no index, and no column has a name
        unknown,   ///< no index, and no column has that name
    };
    Problem problem = Problem::none;
    std::size_t place = 0;  ///< counted from 0, where there is no problem
    bool by_index = false;  ///< likewise: no column has that name
    /// Where the column's indicator of this value is meant, NAME=VALUE.
    std::optional<std::string> value = {};
};

/// Columns that can be called.
class CalledColumns {
public:
    /// Of a table: `names` has one for each of the `width` columns, or is empty.
    CalledColumns(std::vector<std::string> names, std::size_t width);

    /// Of a release, by names_or_places(). Where these are all indices, in the table that was
    /// released, columns are not counted once more.
    [[nodiscard]] static CalledColumns released(const Schema& schema, std::size_t columns);

    /// A name wins over an index, so a column named 2019 can be asked for. Text that may be no
    /// index is a name alone.
    [[nodiscard]] CalledColumn find(std::string_view wanted, bool may_be_index = true) const;

    /// The same of a table that may have indicators, NAME=VALUE: text before an `=` calls the
    /// column where the whole does not, the longest one that does. Without the blanks around both.
    /// NAME may be an index or, as in Python where columns have names, a name alone; it is not
    /// empty. Which VALUE stands for a missing value, a reader knows.
    [[nodiscard]] CalledColumn find_or_indicator(std::string_view wanted,
                                                 bool may_be_index = true) const;

    /// "; did you mean 'A'? There are 'A', 'B' and 3 more", the names most like `wanted` first.
    [[nodiscard]] std::string instead_of(const std::string& wanted) const;

    /// The same of what may be an indicator: a slip in NAME=VALUE is one in NAME, unless there is a
    /// name like the whole.
    [[nodiscard]] std::string instead_of_indicator(const std::string& wanted) const;

    [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }
    [[nodiscard]] std::size_t width() const noexcept { return width_; }

private:
    std::vector<std::string> names_;
    std::vector<std::size_t> by_name_;  ///< places in the order of their names
    std::size_t width_;
    bool counted_ = true;  ///< may be called by index
};

}  // namespace dpcov
