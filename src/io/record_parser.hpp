// Splits a byte stream of separated values into records and fields.
#pragma once

#include <csv.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/byte_stream.hpp"

namespace dpcov {

/// Receives the fields of a record.
class FieldSink {
public:
    virtual ~FieldSink() = default;
    /// The next field of the record; the text lives until the call returns. Called through C code,
    /// hence noexcept.
    virtual void take_field(std::string_view text) noexcept = 0;
};

/// libcsv, fed a line at a time so that it stops after every record: rows can go straight to the
/// caller's block, with no queue between.
class RecordParser {
public:
    /// Throws DataError for text that is UTF-16 or compressed.
    RecordParser(std::unique_ptr<ByteStream> stream, char separator);
    RecordParser(const RecordParser&) = delete;
    RecordParser& operator=(const RecordParser&) = delete;
    ~RecordParser();

    [[nodiscard]] const std::string& name() const noexcept { return stream_->name(); }

    /// Hands the fields of the next record to `sink`; false at the end. Blank lines are no records.
    /// Throws DataError where the quotes do not tell where the record ends.
    bool next_record(FieldSink& sink);

    /// 1-based line in which the last record began.
    [[nodiscard]] std::uint64_t line() const noexcept { return record_line_; }

private:
    static void on_field(void* text, std::size_t length, void* self);
    static void on_record(int terminator, void* self);

    bool refill();
    void check_first_bytes();
    [[nodiscard]] std::size_t find(unsigned char wanted) const;
    void feed_line();
    void parse(std::size_t count);
    [[noreturn]] void throw_bad_quotes(const char* what) const;

    std::unique_ptr<ByteStream> stream_;
    std::vector<unsigned char> buffer_;
    std::size_t position_ = 0;
    std::size_t end_ = 0;
    std::size_t next_line_feed_ = 0;        ///< first at or behind position_; end_ if none
    std::size_t next_carriage_return_ = 0;  ///< likewise
    bool after_carriage_return_ = false;

    csv_parser parser_{};
    FieldSink* sink_ = nullptr;
    bool record_done_ = false;
    std::uint64_t line_ = 1;
    std::uint64_t record_line_ = 1;
};

}  // namespace dpcov
