// The figures of the paper (Dong, Liang, Yi 2022) as settings to measure, and nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dpcov/budget.hpp"
#include "mechanism/mechanism.hpp"

namespace dpcov::research {

enum class Source { synthetic, mnist, news };

/// What fixes a table of rows of norm at most 1.
struct DataSet {
    Source source = Source::synthetic;
    std::size_t d = 200;
    std::size_t n = 50000;          ///< 0: as many as there are
    int bins = 4;                   ///< synthetic: N, norms are 2^(1-N), ..., 1
    double skew = 3.0;              ///< synthetic: s of the Zipf law of the norms
    std::optional<int> digit = {};  ///< mnist: only images of this digit
    bool unit_norm = false;         ///< news: every document has norm 1; else the longest has
    std::uint64_t seed = 0;         ///< synthetic: of the table

    friend bool operator==(const DataSet&, const DataSet&) = default;
};

/// "synthetic", "mnist", "mnist-digit-0", "news-unit", "news-max".
[[nodiscard]] std::string name_of(const DataSet& data);

/// A mechanism of the catalogue in one of its variants.
struct Contender {
    std::string method;
    Variant variant = Variant::published;
    int steps = 2;  ///< coinpress only
};

/// "gauss:published"; "coinpress:published:1" where its steps are not the usual 2.
[[nodiscard]] std::string name_of(const Contender& contender);

/// The contender of that name; without a variant the best one. Throws UsageError saying what there
/// is, also for a method that needs a clipping norm.
[[nodiscard]] Contender parse_contender(const std::string& name);

/// One point of a figure: a table, and rho (zCDP) or epsilon (pure DP).
struct Setting {
    DataSet data;
    double budget = 0.1;
};

enum class Axis { columns, rows, bins, budget };

struct Panel {
    std::string title;
    Axis axis = Axis::columns;
    std::vector<Setting> settings;  ///< along the axis
};

struct Figure {
    std::string name;    ///< as the command line spells it
    std::string title;   ///< one line
    std::string paper;   ///< its number there: "Figure 2"; empty where the paper has none
    bool pure = false;   ///< pure epsilon-DP rather than rho-zCDP
    bool quick = false;  ///< thinned out
    std::vector<Panel> panels;
    std::vector<Contender> contenders;
};

/// All figures with the paper's grids, or `quick`: fewer and smaller settings.
[[nodiscard]] std::vector<Figure> figures(bool quick);

/// The figure of that name. Throws UsageError naming the known ones.
[[nodiscard]] Figure find_figure(const std::string& name, bool quick);

/// Leaves only the points of at most `most` columns. Throws UsageError where there are none.
void keep_columns(Figure& figure, std::size_t most);

/// The files that a folder with real data must hold; empty where the data are synthetic.
[[nodiscard]] std::string needed_files(const Figure& figure);

/// The settings of all panels in their order; a run is known by its index here.
[[nodiscard]] std::vector<Setting> settings_of(const Figure& figure);

/// The budget of a setting, in the figure's definition.
[[nodiscard]] Budget budget_of(const Figure& figure, const Setting& setting);

/// The setting in words: "synthetic d=200 n=50000 N=4 s=3 rho=0.1".
[[nodiscard]] std::string describe(const Figure& figure, const Setting& setting);

/// The figure and a fingerprint of all its settings: what its runs were made for.
[[nodiscard]] std::string describe(const Figure& figure);

}  // namespace dpcov::research
