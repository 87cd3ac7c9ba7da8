// A negative control: takes memory for a stratum with the first row in it, as dpcov must not. It is
// called as `dpcov estimate TABLE.npy` is, with doubles in 128 bytes of header and 200 columns, and
// ends with 5 where there is too little memory.
#include <array>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <map>
#include <new>
#include <vector>

int main(int argc, char** argv) {
    constexpr std::size_t d = 200;
    constexpr std::streamoff header = 128;
    std::ifstream table(argc > 2 ? argv[2] : "", std::ios::binary);
    std::array<double, d> row{};
    std::map<int, std::vector<std::array<double, 2>>> strata;
    std::size_t rows = 0;
    try {
        for (table.seekg(header); table.read(reinterpret_cast<char*>(row.data()), sizeof row);
             ++rows) {
            double square = 0.0;
            for (const double x : row) {
                square += x * x;
            }
            strata[std::ilogb(square) / 2].resize(d * (d + 1) / 2);
        }
    } catch (const std::bad_alloc&) {
        return 5;
    }
    return rows > 0 ? 0 : 3;
}
