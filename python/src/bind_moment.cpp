// Secret moments, and rows on their way into them.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "arrow_stream.hpp"
#include "bindings.hpp"
#include "dpcov/error.hpp"
#include "dpcov/limits.hpp"
#include "dpcov/second_moment.hpp"
#include "gil.hpp"
#include "part.hpp"
#include "rows.hpp"

namespace nb = nanobind;

namespace dpcov::python {

using namespace nb::literals;

namespace {

using Array = nb::ndarray<nb::ro, nb::device::cpu>;
using Moment = std::shared_ptr<SharedMoment>;
/// name, (lower, upper), fill, codes for missing values, scale
using ColumnFacts = std::tuple<std::string, std::optional<std::pair<double, double>>,
                               std::optional<double>, std::vector<double>, double>;

Element element_of(const Array& array) {
    const nb::dlpack::dtype type = array.dtype();
    const auto code = static_cast<nb::dlpack::dtype_code>(type.code);
    using Code = nb::dlpack::dtype_code;
    const auto of_bits = [&type](Element b8, Element b16, Element b32, Element b64) {
        return type.bits == 8 ? b8 : type.bits == 16 ? b16 : type.bits == 32 ? b32 : b64;
    };
    if (type.lanes == 1 && type.bits <= 64) {
        if (code == Code::Bool && type.bits == 8) {
            return Element::boolean;
        }
        if (code == Code::Int) {
            return of_bits(Element::int8, Element::int16, Element::int32, Element::int64);
        }
        if (code == Code::UInt) {
            return of_bits(Element::uint8, Element::uint16, Element::uint32, Element::uint64);
        }
        if (code == Code::Float && type.bits >= 16) {
            return of_bits(Element::float16, Element::float16, Element::float32, Element::float64);
        }
    }
    throw UsageError("the array holds no plain numbers; convert it to float64");
}

ColumnView column_of(const Array& array, std::size_t place) {
    const Element element = element_of(array);
    const auto bytes = static_cast<std::ptrdiff_t>(bytes_of(element));
    return {
        .data =
            static_cast<const unsigned char*>(array.data()) +
            (array.ndim() == 2 ? static_cast<std::ptrdiff_t>(place) * array.stride(1) * bytes : 0),
        .element = element,
        .stride = array.stride(0) * bytes};
}

void take_matrix(Part& part, const Array& matrix, const std::vector<std::size_t>& places) {
    if (matrix.ndim() != 2 || places.size() != part.columns()) {
        throw UsageError("the matrix has other columns than the moment");
    }
    bool all_in_order = matrix.stride(1) == 1;
    for (std::size_t j = 0; j < places.size(); ++j) {
        all_in_order &= places[j] == j;
        if (places[j] >= matrix.shape(1)) {
            throw UsageError("there is no column " + std::to_string(places[j]));
        }
    }
    if (matrix.shape(0) == 0) {
        return;
    }
    const WithoutGil no_gil;
    if (all_in_order) {
        const ColumnView first = column_of(matrix, 0);
        part.take(
            MatrixRows(first.data, first.element, matrix.shape(0), places.size(), first.stride));
        return;
    }
    std::vector<ColumnView> columns;
    columns.reserve(places.size());
    for (const std::size_t place : places) {
        columns.push_back(column_of(matrix, place));
    }
    part.take(ColumnRows(std::move(columns), matrix.shape(0)));
}

void take_columns(Part& part, const std::vector<Array>& arrays) {
    std::vector<ColumnView> columns;
    for (const Array& array : arrays) {
        if (array.ndim() != 1 || array.shape(0) != arrays.front().shape(0)) {
            throw UsageError("the columns are not of one length");
        }
        columns.push_back(column_of(array, 0));
    }
    if (arrays.size() != part.columns()) {
        throw UsageError("the table has other columns than the moment");
    }
    if (arrays.front().shape(0) == 0) {
        return;
    }
    const std::size_t rows = arrays.front().shape(0);
    const WithoutGil no_gil;
    part.take(ColumnRows(std::move(columns), rows));
}

ColumnView indices_of(const Array& array) {
    ColumnView view = column_of(array, 0);
    if (array.ndim() != 1 || (view.element != Element::int32 && view.element != Element::int64)) {
        throw UsageError("the sparse matrix's indices are no integers of 32 or 64 bits");
    }
    return view;
}

void take_sparse(Part& part, const Array& values, const Array& indices, const Array& starts,
                 std::size_t width, const std::vector<std::size_t>& places) {
    if (values.ndim() != 1 || values.shape(0) != indices.shape(0) ||
        places.size() != part.columns()) {
        throw UsageError("the sparse matrix is damaged, or has other columns than the moment");
    }
    const SparseRows rows(column_of(values, 0), integers_of(indices_of(starts), starts.shape(0)),
                          indices_of(indices), values.shape(0), width, places);
    const WithoutGil no_gil;
    part.take(rows);
}

/// All that is left of one column, as numbers.
void fill_from_stream(
    ArrowStream& stream, const Source& source, const std::string& label,
    const nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>& values) {
    const WithoutGil no_gil;
    std::size_t filled = 0;
    stream.read({source}, {label}, [&](const Rows& rows) {
        if (rows.count() > values.shape(0) - filled) {
            throw UsageError("the column has more values than there is room for");
        }
        rows.gather(0, rows.count(), values.data() + filled);
        filled += rows.count();
    });
    if (filled < values.shape(0)) {
        throw UsageError("the column has fewer values than there is room for");
    }
}

MomentLayout layout_of(const std::vector<ColumnFacts>& columns, std::optional<double> norm_bound,
                       bool keep_directions, std::string dataset) {
    MomentLayout layout{.columns = columns.size(),
                        .norm_bound = norm_bound.value_or(0.0),
                        .keep_directions = keep_directions,
                        .dataset = std::move(dataset)};
    if (norm_bound && !(*norm_bound > 0.0)) {
        throw UsageError("norm_bound must be above 0");
    }
    for (const auto& [name, bounds, fill, missing, scale] : columns) {
        Column column{.name = name, .fill = fill, .missing = missing, .scale = scale};
        if (bounds) {
            column.bounds = ColumnBounds{bounds->first, bounds->second};
        }
        layout.schema.push_back(std::move(column));
    }
    layout.norm_bound = norm_bound_within(layout.schema, layout.norm_bound);
    return layout;
}

Moment share(SecondMoment moment) {
    return std::make_shared<SharedMoment>(std::move(moment));
}

/// The sum of both, in a new moment.
Moment sum_of(SharedMoment& a, SharedMoment& b) {
    require_not_mine(a);
    require_not_mine(b);
    const WithoutGil no_gil;
    Moment sum;
    {
        const std::scoped_lock lock(a.mutex);
        sum = share(a.moment);
    }
    const std::scoped_lock lock(b.mutex);
    sum->moment.merge(b.moment);
    return sum;
}

void merge_into(SharedMoment& into, SharedMoment& other) {
    const WithoutGil no_gil;
    if (&into == &other) {
        throw UsageError("a moment cannot be merged into itself: its rows would count twice");
    }
    require_not_mine(into);
    require_not_mine(other);
    const std::scoped_lock lock(into.mutex, other.mutex);
    into.moment.merge(other.moment);
}

std::vector<ColumnFacts> columns_of(const SharedMoment& shared) {
    const MomentLayout& layout = shared.moment.layout();
    std::vector<ColumnFacts> columns;
    for (std::size_t j = 0; j < layout.columns; ++j) {
        const Column column = layout.schema.empty() ? Column{} : layout.schema[j];
        std::optional<std::pair<double, double>> bounds;
        if (column.bounds) {
            bounds = {column.bounds->lower, column.bounds->upper};
        }
        columns.emplace_back(column.name, bounds, column.fill, column.missing, column.scale);
    }
    return columns;
}

void bind_part(nb::module_& module) {
    nb::class_<Part>(module, "Part", nb::is_final())
        .def(
            "__init__",
            [](Part* self, const Moment& moment,
               const std::vector<std::pair<std::size_t, std::string>>& labels, bool zero_bad_rows,
               unsigned threads) {
                std::vector<Label> known;
                known.reserve(labels.size());
                for (const auto& [place, name] : labels) {
                    known.push_back({place, name});
                }
                if (known.size() != moment->moment.layout().columns) {
                    throw UsageError("the table has other columns than the moment");
                }
                new (self) Part(*moment, std::move(known), zero_bad_rows, threads);
            },
            "moment"_a, "labels"_a, "zero_bad_rows"_a, "threads"_a)
        .def("label", &Part::label, "column"_a)
        .def("take_matrix", &take_matrix, "matrix"_a, "places"_a)
        .def("take_columns", &take_columns, "columns"_a)
        .def("take_sparse", &take_sparse, "values"_a, "indices"_a, "starts"_a, "width"_a,
             "places"_a)
        .def(
            "take_stream",
            [](Part& part, ArrowStream& stream, const std::vector<Source>& sources) {
                if (sources.size() != part.columns()) {
                    throw UsageError("the table has other columns than the moment");
                }
                std::vector<std::string> labels;
                for (std::size_t j = 0; j < sources.size(); ++j) {
                    labels.push_back(part.label(j));
                }
                const WithoutGil no_gil;
                stream.read(sources, labels, [&part](const Rows& rows) { part.take(rows); });
            },
            "stream"_a, "sources"_a)
        .def(
            "add_to",
            [](Part& part, const Moment& moment) {
                const WithoutGil no_gil;
                part.add_to(*moment);
            },
            "moment"_a);

    nb::class_<ArrowStream>(module, "ArrowStream", nb::is_final())
        .def(
            "__init__",
            [](ArrowStream* self, const nb::object& capsule) {
                void* const stream = PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream");
                if (stream == nullptr) {
                    throw nb::python_error();
                }
                const WithoutGil no_gil;
                new (self) ArrowStream(static_cast<ArrowArrayStream*>(stream));
            },
            "capsule"_a)
        .def_prop_ro("names", &ArrowStream::names)
        .def("fill", &fill_from_stream, "source"_a, "label"_a, "values"_a);
    module.def("number_of_value", &number_of_value, "label"_a, "value"_a, "truth"_a,
               "float_bytes"_a);
}

/// What a file of the moment would hold. SECRET.
nb::bytes saved_bytes(SharedMoment& self) {
    std::string bytes;
    {
        const Alone alone(self);
        self.moment.write([&bytes](std::string_view more) { bytes += more; });
    }
    return nb::bytes(bytes.data(), bytes.size());
}

Moment of_saved_bytes(const nb::bytes& bytes) {
    std::string_view left(bytes.c_str(), bytes.size());
    const WithoutGil no_gil;
    return share(SecondMoment::read("bytes", left.size(), [&left](void* to, std::size_t count) {
        std::memcpy(to, left.data(), count);
        left.remove_prefix(count);
    }));
}

}  // namespace

void bind_moment(nb::module_& module) {
    module.attr("most_rows") = limits::rows;
    module.attr("most_rows_per_person") = limits::rows_per_person;
    module.attr("most_columns") = limits::columns;
    module.attr("most_threads") = limits::threads;
    module.def("norm_bound_for_unit", &norm_bound_for_unit, "norm_bound"_a, "unit"_a);
    module.def(
        "norm_bound_of",
        [](const std::vector<ColumnFacts>& columns, std::optional<double> norm_bound) {
            return layout_of(columns, norm_bound, false, "").norm_bound;
        },
        "columns"_a, "norm_bound"_a.none());
    module.def(
        "read_bounds",
        [](const std::string& path) {
            using Bounds =
                std::tuple<std::string, double, double, std::optional<double>, std::vector<double>>;
            std::vector<Bounds> bounds;
            for (const Column& column : read_schema(path)) {
                bounds.emplace_back(column.name, column.bounds->lower, column.bounds->upper,
                                    column.fill, column.missing);
            }
            return bounds;
        },
        "path"_a);
    nb::class_<SharedMoment>(module, "Moment", nb::is_final())
        .def(nb::new_([](const std::vector<ColumnFacts>& columns, std::optional<double> norm_bound,
                         bool keep_directions, bool norm_bins, const std::string& dataset) {
                 return share(
                     SecondMoment(layout_of(columns, norm_bound, keep_directions, dataset),
                                  norm_bins ? NormResolution::bins : NormResolution::octaves));
             }),
             "columns"_a, "norm_bound"_a.none(), "keep_directions"_a, "norm_bins"_a, "dataset"_a)
        .def(
            "__add__", [](SharedMoment& self, SharedMoment& other) { return sum_of(self, other); },
            "other"_a)
        .def("copy",
             [](SharedMoment& self) {
                 const Alone alone(self);
                 return share(self.moment);
             })
        .def("merge", &merge_into, "other"_a)
        .def(
            "declare_part",
            [](SharedMoment& self, const std::string& name) {
                const Alone alone(self);
                self.moment.declare_part(name);
            },
            "name"_a)
        .def(
            "save",
            [](SharedMoment& self, const std::string& path) {
                const Alone alone(self);
                self.moment.save(path);
            },
            "path"_a)
        .def_static(
            "load",
            [](const std::string& path) {
                const WithoutGil no_gil;
                return share(SecondMoment::load(path));
            },
            "path"_a)
        .def("to_bytes", &saved_bytes)
        .def_static("from_bytes", &of_saved_bytes, "bytes"_a)
        .def_prop_ro("columns", &columns_of)
        .def_prop_ro("norm_bound",
                     [](const SharedMoment& self) { return self.moment.layout().norm_bound; })
        .def_prop_ro("keep_directions",
                     [](const SharedMoment& self) { return self.moment.layout().keep_directions; })
        .def_prop_ro("dataset",
                     [](const SharedMoment& self) { return self.moment.layout().dataset; });
    bind_part(module);
}

}  // namespace dpcov::python
