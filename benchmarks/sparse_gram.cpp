// The peer of scipy's X.T @ X in benchmarks/sparse.py: the seconds that the sums of a LIBSVM file
// take, its rows in memory already.
//
//     dpcov_sparse_gram FILE.svm COLUMNS sparse|whole
#include <cblas.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <memory>
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

    constexpr std::size_t rows_at_a_time = 512;
    std::vector<double> whole(sparse ? 0 : rows_at_a_time * d);
    dpcov::SecondMoment moment({.columns = d, .norm_bound = 1.0});
    moment.add_sparse({});  // takes the working memory
    double seconds = 0.0;
    const auto time = [&seconds](const auto& action) {
        const auto start = std::chrono::steady_clock::now();
        action();
        seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    dpcov::SparseBlock block(rows_at_a_time, d);
    while (const std::size_t rows = reader.read_sparse(block)) {
        const auto entries = block.rows(rows);
        if (sparse) {
            time([&] { moment.add_sparse(entries); });
            continue;
        }
        std::fill(whole.begin(), whole.end(), 0.0);
        for (std::size_t i = 0; i < rows; ++i) {
            for (std::size_t k = 0; k < entries[i].columns.size(); ++k) {
                whole[i * d + entries[i].columns[k]] = entries[i].values[k];
            }
        }
        time([&] { moment.add_row_major(std::span<const double>(whole).first(rows * d)); });
    }
    std::cout << seconds << '\n';
    return 0;
}
