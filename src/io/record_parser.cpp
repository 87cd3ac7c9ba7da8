#include "io/record_parser.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "dpcov/error.hpp"

namespace dpcov {

namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 17;
/// A longer field means that a quote was never closed; without a bound it would fill the memory.
constexpr std::size_t longest_field = std::size_t{1} << 24;
constexpr std::size_t field_growth = std::size_t{1} << 14;
/// csv_parser::pstate between records.
constexpr int between_records = 0;

}  // namespace

RecordParser::RecordParser(std::unique_ptr<ByteStream> stream, char separator)
    : stream_(std::move(stream)), buffer_(buffer_bytes) {
    csv_init(&parser_, CSV_STRICT);
    csv_set_delim(&parser_, static_cast<unsigned char>(separator));
    csv_set_blk_size(&parser_, field_growth);
    check_first_bytes();
}

RecordParser::~RecordParser() {
    csv_free(&parser_);
}

void RecordParser::check_first_bytes() {
    constexpr std::size_t longest_mark = 3;
    end_ = read_fully(*stream_, std::span(buffer_).first(longest_mark));
    const auto begins_with = [this](std::string_view mark) {
        return end_ >= mark.size() && std::memcmp(buffer_.data(), mark.data(), mark.size()) == 0;
    };
    if (begins_with("\xef\xbb\xbf")) {
        position_ = end_;  // the byte order mark of UTF-8
    } else if (begins_with("\xff\xfe") || begins_with("\xfe\xff")) {
        throw DataError(name() + ": the text is UTF-16; convert it with iconv -f UTF-16 -t UTF-8");
    } else if (begins_with("\x1f\x8b")) {
        throw DataError(name() +
                        ": compressed with gzip; decompress it first (gunzip), or give "
                        "the file a name that ends in .gz");
    }
    next_line_feed_ = find('\n');
    next_carriage_return_ = find('\r');
}

bool RecordParser::next_record(FieldSink& sink) {
    sink_ = &sink;
    record_done_ = false;
    while (!record_done_) {
        if (position_ == end_ && !refill()) {
            csv_set_opts(&parser_, CSV_STRICT | CSV_STRICT_FINI);
            if (csv_fini(&parser_, on_field, on_record, this) != 0) {
                throw_bad_quotes("a quote is opened and never closed");
            }
            break;
        }
        feed_line();
    }
    return record_done_;
}

bool RecordParser::refill() {
    position_ = 0;
    end_ = stream_->read(buffer_);
    next_line_feed_ = find('\n');
    next_carriage_return_ = find('\r');
    return end_ > 0;
}

std::size_t RecordParser::find(unsigned char wanted) const {
    const unsigned char* const data = buffer_.data();
    const void* const found = std::memchr(data + position_, wanted, end_ - position_);
    return found == nullptr
               ? end_
               : static_cast<std::size_t>(static_cast<const unsigned char*>(found) - data);
}

/// Feeds what is left of the line, or of the buffer if that ends first: at most one record ends in
/// it.
void RecordParser::feed_line() {
    if (parser_.pstate == between_records) {
        record_line_ = line_;
    }
    const std::size_t line_end = std::min(next_line_feed_, next_carriage_return_);
    const bool complete = line_end < end_;
    const std::size_t count = (complete ? line_end + 1 : end_) - position_;
    parse(count);

    const unsigned char last = buffer_[position_ - 1];
    const bool completes_pair = after_carriage_return_ && last == '\n' && count == 1;
    if (complete && !completes_pair) {
        ++line_;
    }
    after_carriage_return_ = last == '\r';
    if (next_line_feed_ < position_) {
        next_line_feed_ = find('\n');
    }
    if (next_carriage_return_ < position_) {
        next_carriage_return_ = find('\r');
    }
    if (csv_get_buffer_size(&parser_) > longest_field) {
        throw_bad_quotes("a field is longer than 16 MiB; perhaps a quote is never closed");
    }
}

/// Hands the next `count` bytes of the buffer to libcsv. A quote inside an unquoted field is plain
/// text, which the field's reader will judge; text behind a closing quote is an error, for it
/// leaves open where the record ends.
void RecordParser::parse(std::size_t count) {
    const std::size_t stop = position_ + count;
    while (position_ < stop) {
        position_ += csv_parse(&parser_, buffer_.data() + position_, stop - position_, on_field,
                               on_record, this);
        if (position_ == stop) {
            return;
        }
        if (csv_error(&parser_) != CSV_EPARSE) {
            throw std::bad_alloc();
        }
        if (parser_.quoted != 0) {
            throw_bad_quotes(
                "text follows a closing quote; a quote inside a quoted field must be "
                "written twice");
        }
        csv_set_opts(&parser_, 0);
        position_ += csv_parse(&parser_, buffer_.data() + position_, 1, on_field, on_record, this);
        csv_set_opts(&parser_, CSV_STRICT);
    }
}

void RecordParser::on_field(void* text, std::size_t length, void* self) {
    static_cast<RecordParser*>(self)->sink_->take_field({static_cast<const char*>(text), length});
}

void RecordParser::on_record(int /*terminator*/, void* self) {
    static_cast<RecordParser*>(self)->record_done_ = true;
}

void RecordParser::throw_bad_quotes(const char* what) const {
    throw DataError(name() + ": in the record that begins in line " + std::to_string(record_line_) +
                    " " + what);
}

}  // namespace dpcov
