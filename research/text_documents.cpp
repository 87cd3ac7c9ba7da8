#include "research/text_documents.hpp"

#include <nlohmann/json.hpp>

#include <utility>

#include "dpcov/error.hpp"

namespace dpcov::research {
namespace {

constexpr std::size_t bytes_at_once = std::size_t{1} << 16;

}  // namespace

TextDocuments::TextDocuments(const std::string& path, DocumentFormat format)
    : file_(path), format_(format) {}

std::optional<std::string> TextDocuments::next() {
    if (format_ == DocumentFormat::blank_lines) {
        return up_to("\n\n");
    }
    const std::optional<std::string> line = up_to("\n");
    if (!line || (ended_ && line->empty())) {
        return std::nullopt;
    }
    ++line_;
    try {
        return nlohmann::json::parse(*line).at("text").get<std::string>();
    } catch (const nlohmann::json::exception&) {
        throw DataError(file_.path() + ", line " + std::to_string(line_) +
                        ": not a JSON object in UTF-8 with a text in its field \"text\"");
    }
}

// What stands before the next separator, or before the end of the file.
std::optional<std::string> TextDocuments::up_to(std::string_view separator) {
    if (ended_) {
        return std::nullopt;
    }
    std::size_t found = buffer_.find(separator, position_);
    while (found == std::string::npos) {
        buffer_.erase(0, position_);
        position_ = 0;
        const std::size_t old_size = buffer_.size();
        buffer_.resize(old_size + bytes_at_once);
        const std::size_t count = file_.read(std::span(buffer_).subspan(old_size));
        buffer_.resize(old_size + count);
        if (count == 0) {
            ended_ = true;
            return std::exchange(buffer_, {});
        }
        // The separator's first byte may have been the last one of the old block.
        found = buffer_.find(separator, old_size - (old_size > 0 ? 1 : 0));
    }
    std::string piece = buffer_.substr(position_, found - position_);
    position_ = found + separator.size();
    return piece;
}

}  // namespace dpcov::research
