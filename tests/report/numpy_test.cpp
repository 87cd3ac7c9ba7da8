// Files exchanged with numpy itself.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/matrix_writer.hpp"
#include "tables/table_support.hpp"

namespace dpcov::test {
namespace {

class Numpy : public testing::Test {
protected:
    void SetUp() override {
        if (!have_numpy()) {
            GTEST_SKIP() << "/usr/bin/python3 has no numpy";
        }
    }

    TemporaryFolder folder_;
};

TEST_F(Numpy, WritesArraysThatAreReadExactly) {
    run_python(folder_, R"(
import gzip, shutil, sys, numpy
folder = sys.argv[1]
array = numpy.random.default_rng(1).standard_normal((1000, 7)).astype('float32').astype('float64')
array.tofile(folder + 'expected')
for type in ['<f4', '>f4', '<f8', '>f8']:
    for order in 'CF':
        for version in [(1, 0), (2, 0), (3, 0)]:
            name = f'{folder}{order}{type[1:]}{"big" if type[0] == ">" else ""}{version[0]}.npy'
            with open(name, 'wb') as file:
                numpy.lib.format.write_array(file, numpy.asarray(array.astype(type), order=order),
                                             version=version)
            if order == 'C':
                with open(name, 'rb') as file, gzip.open(name + '.gz', 'wb') as packed:
                    shutil.copyfileobj(file, packed)
numpy.savetxt(folder + 'a.csv', array, delimiter=',', fmt='%.17g')
numpy.savetxt(folder + 'a.tsv', array, delimiter='\t', header='a\tb\tc\td\te\tf\tg', comments='')
)");
    const std::string bytes = read_file(folder_ / "expected");
    std::vector<double> expected(bytes.size() / sizeof(double));
    std::memcpy(expected.data(), bytes.data(), bytes.size());
    ASSERT_EQ(expected.size(), 7000U);
    TableOptions text_options;
    std::size_t files = 0;
    for (const std::string& name : folder_.names()) {
        text_options.header = name == "a.tsv" ? Header::yes : Header::no;
        if (name != "expected" && name != "script.py") {
            const TableOptions options = name.ends_with("sv") ? text_options : TableOptions{};
            EXPECT_EQ(read_all(*open_table(folder_ / name, options)).values, expected) << name;
            ++files;
        }
    }
    EXPECT_EQ(files, 24U + 12U + 2U);
}

TEST_F(Numpy, WritesIntegersThatAreRead) {
    run_python(folder_, R"(
import sys, numpy
folder = sys.argv[1]
array = numpy.arange(120).reshape(20, 6)
array.astype('float64').tofile(folder + 'expected')
for type in ['i1', 'i2', 'i4', 'i8', 'u1', 'u2', 'u4', 'u8']:
    for order in 'CF':
        for ends in '<>':
            numpy.save(f'{folder}{order}{type}{"big" if ends == ">" else ""}.npy',
                       numpy.asarray(array.astype(ends + type), order=order))
numpy.save(folder + 'truth.npy', array % 3 == 0)
)");
    const std::string bytes = read_file(folder_ / "expected");
    std::vector<double> expected(bytes.size() / sizeof(double));
    std::memcpy(expected.data(), bytes.data(), bytes.size());
    std::size_t files = 0;
    for (const std::string& name : folder_.names()) {
        if (name.ends_with(".npy") && name != "truth.npy") {
            EXPECT_EQ(read_all(*open_table(folder_ / name)).values, expected) << name;
            ++files;
        }
    }
    EXPECT_EQ(files, 32U);
    const Table truth = read_all(*open_table(folder_ / "truth.npy"));
    for (std::size_t k = 0; k < 120; ++k) {
        EXPECT_EQ(truth.values[k], k % 3 == 0 ? 1.0 : 0.0);
    }
}

TEST_F(Numpy, WritesOtherArraysThatAreRefused) {
    run_python(folder_, R"(
import sys, numpy
folder = sys.argv[1]
for name, array in {
    'half': numpy.ones((2, 2), 'float16'),
    'long': numpy.ones((2, 2), 'longdouble'), 'complex': numpy.ones((2, 2), complex),
    'text': numpy.array([['a', 'b']]),
    'scalar': numpy.float64(1), 'vector': numpy.ones(3), 'cube': numpy.ones((2, 2, 2)),
    'none': numpy.ones((3, 0)), 'structured': numpy.zeros(3, [('a', 'f8'), ('b', 'f8')]),
    'objects': numpy.array([[None]], dtype=object),
}.items():
    numpy.save(folder + name + '.npy', array)
)");
    std::size_t files = 0;
    for (const std::string& name : folder_.names()) {
        if (name.ends_with(".npy")) {
            expect_error<DataError>([&] { (void)open_table(folder_ / name); }, {name});
            ++files;
        }
    }
    EXPECT_EQ(files, 10U);
}

TEST_F(Numpy, ReadsReleasedMatrices) {
    Eigen::MatrixXd matrix(2, 2);
    matrix << 0.1, -2.5e-300, 5e-324, 1.7976931348623157e308;
    write_file(folder_ / "m.npy", format_matrix(MatrixFormat::npy, matrix, {"a", "b"}));
    write_file(folder_ / "m.csv", format_matrix(MatrixFormat::csv, matrix, {}));
    write_file(folder_ / "named.csv", format_matrix(MatrixFormat::csv, matrix, {"a", "b"}));
    write_file(folder_ / "m.json", format_matrix(MatrixFormat::json, matrix, {"a", "b"}));
    run_python(folder_, R"(
import json, sys, numpy
folder = sys.argv[1]
expected = numpy.array([[0.1, -2.5e-300], [5e-324, 1.7976931348623157e308]])
array = numpy.load(folder + 'm.npy')
assert array.dtype == '<f8' and array.flags.c_contiguous and (array == expected).all()
assert (numpy.loadtxt(folder + 'm.csv', delimiter=',') == expected).all()
named = numpy.loadtxt(folder + 'named.csv', delimiter=',', skiprows=1, usecols=(1, 2))
assert (named == expected).all()
document = json.load(open(folder + 'm.json'))
assert (numpy.array(document['covariance']) == expected).all()
assert document['columns'] == ['a', 'b']
)");
}

}  // namespace
}  // namespace dpcov::test
