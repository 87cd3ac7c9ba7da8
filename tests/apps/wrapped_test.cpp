// Text in lines, as help and the summary have it.
#include "text/wrapped.hpp"

#include <gtest/gtest.h>

namespace dpcov::test {
namespace {

TEST(Wrapped, BreaksAtSpaces) {
    EXPECT_EQ(wrapped("", 5), "");
    EXPECT_EQ(wrapped("a bc def", 8), "a bc def");
    EXPECT_EQ(wrapped("a bc def", 7), "a bc\ndef");
    EXPECT_EQ(wrapped("a\nbc  def", 7), "a bc\ndef") << "where the author broke it is forgotten";
    EXPECT_EQ(wrapped("a muchtoolong b", 5), "a\nmuchtoolong\nb");
}

TEST(Wrapped, KeepsParagraphsAndWhatIsIndented) {
    EXPECT_EQ(wrapped("a b\n\nc d", 3), "a b\n\nc d");
    EXPECT_EQ(wrapped("Examples:\n  one two three\nfour", 4), "Examples:\n  one two three\nfour");
}

TEST(Wrapped, IndentsWhatFollows) {
    EXPECT_EQ(indented("a bc def", 7, 2), "a bc\n  def");
}

}  // namespace
}  // namespace dpcov::test
