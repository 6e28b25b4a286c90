// What the checker makes of arrays of int for large-count calls: arrays of whatever type of 64 bits
// these take. MPI_Count is `long` in some libraries and `long long` in others, where MPI_Aint is
// `long`.

#include <gtest/gtest.h>

#include "programs/checking/support.hpp"

namespace checking {
namespace {

TEST(Widened, ArraysAreOfTheTypeThatACallTakes) {
  Widened arrays;
  Numbers counts = numbers(2), displacements = numbers(2);
  counts[1] = 7;
  displacements[1] = -3;
  const WidenedArray wide_counts(arrays, counts.data()), wide_displacements(arrays, displacements.data());
  const long long* as_long_long = wide_counts;
  const long* as_long = wide_displacements;
  EXPECT_EQ(as_long_long[1], 7);
  EXPECT_EQ(as_long[1], -3);
  EXPECT_EQ(arrays.size(), 2u);
}

#if MPI_VERSION >= 4
TEST(Widened, ACallGetsThemAndTheRestAsItIs) {
  Widened arrays;
  const Numbers counts = numbers(3);
  const auto call = [](const long long* list, const long* others, int root) {
    return list[0] == 0 && others[2] == 0 ? root : -1;
  };
  EXPECT_EQ(widened(call)(arrays, counts.data(), counts.data(), 5), 5);
}
#endif

}  // namespace
}  // namespace checking
