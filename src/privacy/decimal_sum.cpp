#include "privacy/decimal_sum.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>

namespace dpcov::detail {
namespace {

// Digits d and exponent e of the shortest decimal: value = d * 10^e.
void set_decimal(mpq_t to, double value) {
    std::array<char, 32> text{};
    const auto end =
        std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific)
            .ptr;
    const std::string scientific(text.data(), end);  // d.ddde[+-]xx
    const std::size_t e = scientific.find('e');
    std::string digits = scientific.substr(0, e);
    long exponent = std::strtol(scientific.c_str() + e + 1, nullptr, 10);
    if (digits.size() > 1) {
        digits.erase(1, 1);
        exponent -= static_cast<long>(digits.size()) - 1;
    }
    mpz_set_str(mpq_numref(to), digits.c_str(), 10);
    mpz_set_ui(mpq_denref(to), 1);
    mpz_ptr scaled = exponent < 0 ? mpq_denref(to) : mpq_numref(to);
    mpz_t power;
    mpz_init(power);
    mpz_ui_pow_ui(power, 10, static_cast<unsigned long>(std::labs(exponent)));
    mpz_mul(scaled, scaled, power);
    mpz_clear(power);
    mpq_canonicalize(to);
}

int compare(const mpq_t sum, double value) {
    mpq_t decimal;
    mpq_init(decimal);
    set_decimal(decimal, value);
    const int order = mpq_cmp(sum, decimal);
    mpq_clear(decimal);
    return order;
}

}  // namespace

DecimalSum::DecimalSum() {
    mpq_init(sum_);
}

DecimalSum::~DecimalSum() {
    mpq_clear(sum_);
}

void DecimalSum::add(double value, double times) {
    mpq_t decimal;
    mpq_t factor;
    mpq_inits(decimal, factor, nullptr);
    set_decimal(decimal, value);
    mpq_set_d(factor, times);
    mpq_mul(decimal, decimal, factor);
    mpq_add(sum_, sum_, decimal);
    mpq_clears(decimal, factor, nullptr);
}

bool DecimalSum::at_most(double limit) const {
    return compare(sum_, limit) <= 0;
}

double DecimalSum::rounded_up() const {
    double value = mpq_get_d(sum_);  // truncates, so it is at most two doubles too low
    while (std::isfinite(value) && compare(sum_, value) > 0) {
        value = std::nextafter(value, HUGE_VAL);
    }
    return value;
}

double DecimalSum::left_of(double limit) const {
    mpq_t left;
    mpq_init(left);
    set_decimal(left, limit);
    mpq_sub(left, left, sum_);
    double value = 0.0;
    if (mpq_sgn(left) > 0) {
        value = std::nextafter(mpq_get_d(left), HUGE_VAL);
        while (value > 0.0 && compare(left, value) < 0) {
            value = std::nextafter(value, 0.0);
        }
    }
    mpq_clear(left);
    return value;
}

double equal_part(double whole, double parts) {
    const auto fits = [&](double part) {
        DecimalSum sum;
        sum.add(part, parts);
        return sum.at_most(whole);
    };
    double part = std::nextafter(whole / parts, whole);  // 0.3 / 3 is less than 0.1
    while (part > 0.0 && !fits(part)) {
        part = std::nextafter(part, 0.0);
    }
    return part;
}

}  // namespace dpcov::detail
