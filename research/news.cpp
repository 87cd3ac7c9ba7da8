#include "research/news.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string_view>

#include "dpcov/error.hpp"
#include "research/decompressed_file.hpp"
#include "research/hashing_vectorizer.hpp"

namespace dpcov::research {
namespace {

bool is_long_enough(std::string_view document) {
    constexpr std::string_view separators = " ,;:!\n\"?-";
    constexpr std::ptrdiff_t least_pieces = 20;
    const auto found = std::count_if(document.begin(), document.end(), [&](char c) {
        return separators.find(c) != std::string_view::npos;
    });
    return found + 1 >= least_pieces;
}

double squared_norm(std::span<const double> row) {
    double sum = 0.0;
    for (const double x : row) {
        sum += x * x;
    }
    return sum;
}

void divide_by_greatest_norm(ExperimentTable& table) {
    double greatest = 0.0;
    for (std::size_t i = 0; i < table.n; ++i) {
        greatest =
            std::max(greatest, squared_norm(std::span(table.rows).subspan(i * table.d, table.d)));
    }
    if (greatest == 0.0) {
        return;
    }
    for (double& x : table.rows) {
        x /= std::sqrt(greatest);
    }
}

}  // namespace

NewsCorpus find_news(const std::string& data_folder) {
    const std::string wmt = "news_commentary/news-commentary-v16.en";
    const std::string newsgroups = "20newsgroups/20news-bydate.jsonl";
    if (const auto path = find_data_file(data_folder, wmt)) {
        return {"WMT news commentary v16", *path, DocumentFormat::blank_lines};
    }
    if (const auto path = find_data_file(data_folder, newsgroups)) {
        return {"20 Newsgroups", *path, DocumentFormat::json_lines};
    }
    throw DeviceError(data_folder + ": neither " + wmt + " nor " + newsgroups +
                      " (each plain, .gz or .xz) is there; fetch "
                      "https://data.statmt.org/news-commentary/v16/training-monolingual/"
                      "news-commentary-v16.en.gz into its folder news_commentary");
}

ExperimentTable news_table(const std::string& data_folder, std::size_t d, NewsScaling scaling) {
    const NewsCorpus corpus = find_news(data_folder);
    const HashingOptions options = {
        .n_features = d,
        .norm = scaling == NewsScaling::unit_norm ? VectorNorm::l2 : VectorNorm::none,
        .alternate_sign = false};
    ExperimentTable table;
    table.name = corpus.name;
    table.d = d;
    TextDocuments documents(corpus.path, corpus.format);
    std::size_t number = 0;
    while (const std::optional<std::string> document = documents.next()) {
        ++number;
        if (!is_long_enough(*document)) {
            continue;
        }
        table.rows.resize((table.n + 1) * d);
        try {
            hash_document(*document, options, std::span(table.rows).last(d));
        } catch (const DataError& error) {
            throw DataError(corpus.path + ", document " + std::to_string(number) + ": " +
                            error.what());
        }
        ++table.n;
    }
    if (table.n == 0) {
        throw DataError(corpus.path + ": no document of 20 words or more; fetch it again");
    }
    if (scaling == NewsScaling::greatest_norm) {
        divide_by_greatest_norm(table);
    }
    return table;
}

}  // namespace dpcov::research
