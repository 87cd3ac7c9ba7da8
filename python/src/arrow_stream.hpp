// Tables that come by the Arrow C stream interface, from whatever library: its three structs are
// all that is needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "part.hpp"

// As https://arrow.apache.org/docs/format/CDataInterface.html and CStreamInterface.html lay down.
struct ArrowSchema {
    const char* format;
    const char* name;
    const char* metadata;
    std::int64_t flags;
    std::int64_t n_children;
    ArrowSchema** children;
    ArrowSchema* dictionary;
    void (*release)(ArrowSchema*);
    void* private_data;
};

struct ArrowArray {
    std::int64_t length;
    std::int64_t null_count;
    std::int64_t offset;
    std::int64_t n_buffers;
    std::int64_t n_children;
    const void** buffers;
    ArrowArray** children;
    ArrowArray* dictionary;
    void (*release)(ArrowArray*);
    void* private_data;
};

struct ArrowArrayStream {
    int (*get_schema)(ArrowArrayStream*, ArrowSchema* out);
    int (*get_next)(ArrowArrayStream*, ArrowArray* out);
    const char* (*get_last_error)(ArrowArrayStream*);
    void (*release)(ArrowArrayStream*);
    void* private_data;
};

namespace dpcov::python {

/// What a producer handed out, which is released with it.
template <class Struct>
struct Owned {
    Struct value{};

    Owned() = default;
    explicit Owned(Struct& from) : value(std::exchange(from, {})) {}
    Owned(const Owned&) = delete;
    Owned& operator=(const Owned&) = delete;
    ~Owned() {
        if (value.release != nullptr) {
            value.release(&value);
        }
    }
};

/// A column that is taken: its place, and for an indicator the value that is to be 1.
using Source = std::pair<std::size_t, std::optional<std::string>>;

/// A stream of batches of rows. Read once, from the front.
class ArrowStream {
public:
    /// Moves the stream out of where it is. UsageError where it is no stream of tables, or was read
    /// before; DeviceError where its producer fails.
    explicit ArrowStream(ArrowArrayStream* stream);

    [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }

    /// Hands everything that is left to `take`, of those columns, which messages call by `labels`.
    /// TypeError where one of them holds no numbers (nor, for an indicator, text), UsageError where
    /// an indicator of numbers has a value that is none, DataError where a batch is not as the
    /// schema says.
    void read(const std::vector<Source>& sources, const std::vector<std::string>& labels,
              const std::function<void(const Rows&)>& take);

private:
    /// Arrow's words for a column's type.
    struct Type {
        std::string format;
        std::string entries;  ///< of a dictionary's values, of which `format` counts the places
    };
    struct Reading;

    [[nodiscard]] static Reading reading_of(const Type& type, const Source& source,
                                            const std::string& label);
    [[noreturn]] void fail(const char* what);

    Owned<ArrowArrayStream> stream_;
    std::vector<std::string> names_;
    std::vector<Type> types_;
};

}  // namespace dpcov::python
