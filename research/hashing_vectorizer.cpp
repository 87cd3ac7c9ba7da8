#include "research/hashing_vectorizer.hpp"

#include <murmurhash.h>
#include <unicode/locid.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>
#include <unicode/ustring.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "dpcov/error.hpp"

namespace dpcov::research {
namespace {

constexpr std::size_t most_features = std::numeric_limits<std::int32_t>::max();

icu::UnicodeString lower_case(std::string_view document) {
    // UTF-16 never takes more units than UTF-8, and ICU counts them in 32 bits.
    if (document.size() > std::numeric_limits<std::int32_t>::max()) {
        throw DataError("a document of more than 2^31 - 1 bytes; split it");
    }
    const auto size = static_cast<std::int32_t>(document.size());
    icu::UnicodeString text;
    UErrorCode status = U_ZERO_ERROR;
    std::int32_t length = 0;
    u_strFromUTF8(text.getBuffer(std::max(size, 1)), std::max(size, 1), &length, document.data(),
                  size, &status);
    text.releaseBuffer(U_SUCCESS(status) ? length : 0);
    if (U_FAILURE(status)) {
        throw DataError("a document that is not UTF-8; convert it");
    }
    // No language's own rules: Python's str.lower() knows none.
    return text.toLower(icu::Locale::getRoot());
}

/// Python's \w: str.isalnum() or the underscore.
bool is_word_character(UChar32 character) {
    return character == U'_' || u_isalpha(character) != 0 ||
           u_getIntPropertyValue(character, UCHAR_NUMERIC_TYPE) != U_NT_NONE;
}

void add_word(const std::string& word, const HashingOptions& options, std::span<double> row) {
    std::uint32_t hash = 0;
    lmmh_x86_32(word.data(), static_cast<unsigned>(word.size()), 0, &hash);
    const bool negative = hash >> 31U != 0;
    // 2^31 is its own negative, and right as an unsigned number.
    const std::uint32_t magnitude = negative ? ~hash + 1 : hash;
    row[magnitude % options.n_features] += negative && options.alternate_sign ? -1.0 : 1.0;
}

void divide_by_norm(VectorNorm norm, std::span<double> row) {
    if (norm == VectorNorm::none) {
        return;
    }
    double sum = 0.0;  // of integers: exact in any order
    for (const double x : row) {
        sum += norm == VectorNorm::l1 ? std::abs(x) : x * x;
    }
    if (sum == 0.0) {
        return;
    }
    const double divisor = norm == VectorNorm::l1 ? sum : std::sqrt(sum);
    for (double& x : row) {
        x /= divisor;
    }
}

}  // namespace

void hash_document(std::string_view document, const HashingOptions& options,
                   std::span<double> row) {
    if (options.n_features < 1 || options.n_features > most_features) {
        throw UsageError("the number of features must be 1 to 2^31 - 1");
    }
    if (row.size() != options.n_features) {
        throw UsageError("the row must have as many values as there are features");
    }
    std::fill(row.begin(), row.end(), 0.0);
    const icu::UnicodeString text = lower_case(document);
    std::string word;
    std::int32_t start = 0;  // of the run of word characters that ends at i
    std::int32_t characters = 0;
    for (std::int32_t i = 0; i <= text.length(); i = text.moveIndex32(i, 1)) {
        if (i < text.length() && is_word_character(text.char32At(i))) {
            ++characters;
            continue;
        }
        if (characters >= 2) {
            word.clear();
            add_word(text.tempSubStringBetween(start, i).toUTF8String(word), options, row);
        }
        if (i == text.length()) {
            break;
        }
        start = text.moveIndex32(i, 1);
        characters = 0;
    }
    divide_by_norm(options.norm, row);
}

}  // namespace dpcov::research
