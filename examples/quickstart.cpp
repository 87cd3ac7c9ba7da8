#include <dpcov/dpcov.hpp>
#include <iostream>

int main(int argc, char** argv) try {
    if (argc != 3) {
        throw dpcov::UsageError("needs two files: bounds.csv people.csv");
    }
    const dpcov::Schema schema = dpcov::read_schema(argv[1]);  // name,lower,upper: public
    dpcov::SecondMoment rows({.schema = schema});
    rows.add(*dpcov::open_table(argv[2], {.bounds = schema}));  // or any Eigen matrix
    const dpcov::Release release = dpcov::release(rows, dpcov::Rho(0.5), {.center = true});
    std::cout << in_table_units(release).covariance << '\n';
} catch (const dpcov::Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
}
