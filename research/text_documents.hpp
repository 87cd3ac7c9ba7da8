// Reading the documents of a text corpus one by one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "research/decompressed_file.hpp"

namespace dpcov::research {

/// How a file holds its documents.
enum class DocumentFormat {
    json_lines,   ///< one JSON object a line, the document in its field "text"
    blank_lines,  ///< plain text, an empty line between documents (WMT's news commentary)
};

/// The documents of a file, plain, .gz or .xz, in order. Memory does not grow with their number.
class TextDocuments {
public:
    /// Throws DeviceError where the file cannot be opened, DataError as next() does.
    TextDocuments(const std::string& path, DocumentFormat format);

    /// The next document, UTF-8 (not checked under blank_lines); nothing at the end. Under
    /// blank_lines documents are what Python's split('\n\n') makes of the file, empty ones
    /// included. Throws DataError, with the number of the line under json_lines, where the file is
    /// damaged or a line is not what the format says.
    [[nodiscard]] std::optional<std::string> next();

private:
    [[nodiscard]] std::optional<std::string> up_to(std::string_view separator);

    DecompressedFile file_;
    DocumentFormat format_;
    std::string buffer_;
    std::size_t position_ = 0;  // of the first byte of buffer_ not handed out
    bool ended_ = false;
    std::size_t line_ = 0;
};

}  // namespace dpcov::research
