// The paper's experiment on text: news articles as vectors.
#pragma once

#include <cstddef>
#include <string>

#include "research/experiment_table.hpp"
#include "research/text_documents.hpp"

namespace dpcov::research {

/// A corpus of news found on this machine.
struct NewsCorpus {
    std::string name;  ///< "WMT news commentary v16" or "20 Newsgroups"
    std::string path;
    DocumentFormat format = DocumentFormat::json_lines;
};

/// The corpus of the paper, news_commentary/news-commentary-v16.en in `data_folder`, where that is
/// present, and otherwise 20newsgroups/20news-bydate.jsonl in its stead; either plain, .gz or .xz.
/// Throws DeviceError, saying where the first is to be had, where both are absent.
[[nodiscard]] NewsCorpus find_news(const std::string& data_folder);

/// How the paper brings the vectors into the unit ball.
enum class NewsScaling {
    unit_norm,      ///< each vector over its own l2 norm
    greatest_norm,  ///< all vectors of counts over the greatest l2 norm among them
};

/// The corpus of find_news() as vectors: hash_document() with d features and without alternating
/// signs. As in the paper's experiments, texts of fewer than 20 pieces between the separators
/// space , ; : ! " ? - and newline are left out.
///
/// greatest_norm is for experiments only: the greatest norm is taken from the data, which no
/// privacy guarantee covers. A release for use divides by a public bound.
///
/// The table's name is the corpus's. Throws what find_news(), TextDocuments and hash_document() do.
[[nodiscard]] ExperimentTable news_table(const std::string& data_folder, std::size_t d,
                                         NewsScaling scaling);

}  // namespace dpcov::research
