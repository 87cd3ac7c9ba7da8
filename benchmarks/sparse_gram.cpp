// The peer of scipy's X.T @ X in benchmarks/sparse.py: the seconds that the sums of a LIBSVM file
// take, its rows in memory already.
//
//     dpcov_sparse_gram FILE.svm COLUMNS sparse|whole
#include <cblas.h>

#include <chrono>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include "dpcov/second_moment.hpp"
#include "dpcov/table.hpp"
#include "tables/sparse_block.hpp"

int main(int argc, char** argv) {
    if (argc != 4) {
        std::cerr << "usage: dpcov_sparse_gram FILE.svm COLUMNS sparse|whole\n";
        return 2;
    }
    const std::size_t d = std::stoul(argv[2]);
    const bool sparse = std::string(argv[3]) == "sparse";
    openblas_set_num_threads(1);
    const auto table = dpcov::open_table(argv[1], {.dimension = d});
    auto& reader = dynamic_cast<dpcov::SparseReader&>(*table);

    std::vector<std::size_t> starts = {0};
    std::vector<std::uint32_t> columns;
    std::vector<double> values;
    dpcov::SparseBlock block(512, d);
    while (const std::size_t count = reader.read_sparse(block)) {
        for (const dpcov::SparseRow& row : block.rows(count)) {
            columns.insert(columns.end(), row.columns.begin(), row.columns.end());
            values.insert(values.end(), row.values.begin(), row.values.end());
            starts.push_back(values.size());
        }
    }
    const std::size_t n = starts.size() - 1;
    std::vector<dpcov::SparseRow> rows;
    std::vector<double> written_out(sparse ? 0 : n * d);
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t count = starts[i + 1] - starts[i];
        rows.push_back({.columns = std::span(columns).subspan(starts[i], count),
                        .values = std::span(values).subspan(starts[i], count)});
        for (std::size_t k = 0; !sparse && k < count; ++k) {
            written_out[i * d + rows[i].columns[k]] = rows[i].values[k];
        }
    }
    dpcov::SecondMoment moment({.columns = d, .norm_bound = 1.0});
    const auto start = std::chrono::steady_clock::now();
    if (sparse) {
        moment.add_sparse(rows);
    } else {
        moment.add_row_major(written_out);
    }
    std::cout << std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()
              << '\n';
    return 0;
}
