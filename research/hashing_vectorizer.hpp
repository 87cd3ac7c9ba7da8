// Texts to vectors by the hashing trick (Weinberger et al. 2009), equal to scikit-learn's
// HashingVectorizer, with which the paper's experiments make vectors of news.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace dpcov::research {

/// What a vector of counts is divided by. The zero vector stays as it is.
enum class VectorNorm {
    none,
    l1,
    l2,
};

/// scikit-learn's parameters of these names, with its defaults.
struct HashingOptions {
    std::size_t n_features = std::size_t{1} << 20;  ///< d, 1 to 2^31 - 1
    VectorNorm norm = VectorNorm::l2;
    /// Whether half of the words count as -1, as their hash has it: collisions then cancel.
    bool alternate_sign = true;
};

/// Fills `row` (n_features long, whatever it held) with the document's vector.
///
/// The document is UTF-8. It is put in lower case; its words are the longest runs of letters,
/// digits, other numbers and underscores (Python's \w) that are two characters or longer. A word
/// adds 1, or the sign of h under alternate_sign, at |h| mod d, where h is the MurmurHash3_x86_32
/// of its UTF-8, seed 0, as a signed number.
///
/// Equal to scikit-learn to the last bit (in float64) for every character that both Unicode tables
/// know: ICU 72 has Unicode 15, Python 3.11 has Unicode 14.
///
/// Throws UsageError (options or size of row) or DataError (not UTF-8).
void hash_document(std::string_view document, const HashingOptions& options, std::span<double> row);

}  // namespace dpcov::research
