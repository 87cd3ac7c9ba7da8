// Pieces of text that have a meaning to some reader of tables, for texts made at random.
#pragma once

#include <array>
#include <random>
#include <string_view>

namespace dpcov::test {

inline std::string_view random_piece(std::mt19937_64& random) {
    using namespace std::string_view_literals;
    constexpr std::array pieces = {"1"sv,
                                   "2.5"sv,
                                   "-3"sv,
                                   ","sv,
                                   ","sv,
                                   ","sv,
                                   "\n"sv,
                                   "\n"sv,
                                   "\n"sv,
                                   "\r\n"sv,
                                   "\r"sv,
                                   "\""sv,
                                   "\""sv,
                                   "\"\""sv,
                                   " "sv,
                                   "\t"sv,
                                   "x"sv,
                                   "nan"sv,
                                   "inf"sv,
                                   "1e999"sv,
                                   "NA"sv,
                                   ";"sv,
                                   "#"sv,
                                   ":"sv,
                                   "1:2"sv,
                                   "3:4 "sv,
                                   "qid:1 "sv,
                                   "\0"sv,
                                   "\xff\xfe"sv,
                                   "\x1f\x8b"sv,
                                   "\xef\xbb\xbf"sv,
                                   "1,2,3\n"sv,
                                   "\"4\",5,6\n"sv,
                                   "1 1:2 2:3\n"sv};
    return pieces[random() % pieces.size()];
}

}  // namespace dpcov::test
