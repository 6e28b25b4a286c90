// The proof of a plan has to fail where the plan is wrong on one number of ranks, for one root, in
// place, for operations that do not commute, or for one length only.

#include "core/plan/prove.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/plan/plan.hpp"

namespace tutti {
namespace {

using testing::AllOf;
using testing::HasSubstr;

using Forgets = bool (*)(const Builder& b, Rank rank);
Forgets forgets = nullptr;

// A broadcast in which the root sends to all others, but for those that `which` names.
Plan bcast_that_forgets(Forgets which) {
  static const Algorithm algorithm{
      .collective = Collective::bcast,
      .name = "made_up",
      .summary = "",
      .wins = "",
      .source = "",
      .blocks = [](int, const Arguments&, std::size_t bytes) { return bytes > 50'000 ? 2 : 1; },
      .generate =
          [](Builder& b, const Arguments&) {
            for (Rank rank = 0; rank < b.ranks(); ++rank) {
              if (rank == b.root() || forgets(b, rank)) continue;
              if (b.rank() == b.root()) b.send(rank, output(0, b.blocks()));
              if (b.rank() == rank) b.recv(b.root(), output(0, b.blocks()));
            }
          }};
  forgets = which;
  return Plan(Collective::bcast, algorithm, {});
}

Plan allreduce_by(void (*generate)(Builder&, const Arguments&), bool claims_order = false) {
  static Algorithm algorithm;
  algorithm = {.collective = Collective::allreduce,
               .name = "made_up",
               .summary = "",
               .wins = "",
               .source = "",
               .keeps_fixed_order = claims_order ? on_any_ranks : nullptr,
               .blocks = one_block,
               .generate = generate};
  return Plan(Collective::allreduce, algorithm, {});
}

TEST(Prove, CountsWhatItHasProven) {
  const Plan plan = bcast_that_forgets([](const Builder&, Rank) { return false; });
  const Proof proof = prove_all(plan, 4);
  EXPECT_EQ(proof.violation, "");
  EXPECT_EQ(proof.schedules, 2u * (1 + 2 + 3 + 4)) << "two lengths, by root";
}

TEST(Prove, FindsWhatIsWrongOnOneNumberOfRanks) {
  const Plan plan =
      bcast_that_forgets([](const Builder& b, Rank rank) { return b.ranks() == 5 && rank == 4; });
  EXPECT_EQ(prove_all(plan, 4).violation, "");
  EXPECT_EQ(prove(plan, 6, 0).violation, "");
  for (const std::string& found : {prove_all(plan, 6).violation, prove(plan, 5, 0).violation})
    EXPECT_THAT(found, AllOf(HasSubstr("5 ranks, root 0"), HasSubstr("rank 4"), HasSubstr("holds nothing")));
}

TEST(Prove, FindsWhatIsWrongForOneRoot) {
  const Plan plan =
      bcast_that_forgets([](const Builder& b, Rank rank) { return b.root() == 2 && rank == 0; });
  EXPECT_EQ(prove(plan, 4, 0).violation, "");
  const Rank roots[] = {0, 1, 2, 3};
  for (const std::string& found : {prove_all(plan, 3).violation, prove(plan, 4, roots).violation})
    EXPECT_THAT(found, HasSubstr("root 2"));
}

TEST(Prove, FindsWhatIsWrongForOneLength) {
  const Plan plan =
      bcast_that_forgets([](const Builder& b, Rank rank) { return b.blocks() == 2 && rank == 1; });
  EXPECT_THAT(prove(plan, 2, 0).violation, HasSubstr("2 ranks, root 0, 2 blocks"));
}

// Both ranks read the input when the output, which may be the same memory, was written.
TEST(Prove, FindsWhatIsWrongInPlace) {
  const Plan plan = allreduce_by([](Builder& b, const Arguments&) {
    if (b.ranks() == 1) return b.copy(output(0), input(0));
    b.recv(1 - b.rank(), scratch(0));
    b.send(1 - b.rank(), input(0));
    b.copy(output(0), scratch(0));
    b.copy(scratch(1), input(0));
    b.reduce(output(0), scratch(1), b.rank() == 0 ? OperandOrder::from_first : OperandOrder::into_first);
  });
  EXPECT_THAT(prove(plan, 2, 0).violation, HasSubstr(", in place"));
}

// Rank 0 has its own value behind that of rank 1.
TEST(Prove, FindsAnOrderThatIsNotKept) {
  const Plan plan = allreduce_by([](Builder& b, const Arguments&) {
    b.copy(output(0), input(0));
    if (b.ranks() == 1) return;
    b.recv(1 - b.rank(), scratch(0));
    b.send(1 - b.rank(), output(0));
    b.reduce(output(0), scratch(0), OperandOrder::from_first);
  });
  EXPECT_THAT(prove(plan, 2, 0).violation, AllOf(HasSubstr("order kept"), HasSubstr("breaks rank order")));
}

// All gather all values and combine them one after the other: the fixed order on three ranks, and
// on four another one.
TEST(Prove, FindsAFixedOrderThatIsClaimed) {
  const auto one_after_the_other = [](Builder& b, const Arguments&) {
    for (Rank rank = 0; rank < b.ranks(); ++rank) {
      if (rank == b.rank()) {
        b.copy(scratch(rank), input(0));
        continue;
      }
      b.recv(rank, scratch(rank));
      b.send(rank, input(0));
    }
    for (Rank rank = 1; rank < b.ranks(); ++rank)
      b.reduce(scratch(0), scratch(rank), OperandOrder::into_first);
    b.copy(output(0), scratch(0));
  };
  EXPECT_EQ(prove(allreduce_by(one_after_the_other), 4, 0).violation, "");
  EXPECT_EQ(prove(allreduce_by(one_after_the_other, true), 3, 0).violation, "");
  EXPECT_THAT(prove(allreduce_by(one_after_the_other, true), 4, 0).violation, HasSubstr("order kept"));
}

}  // namespace
}  // namespace tutti
