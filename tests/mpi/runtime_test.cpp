// The executor on schedules that no algorithm of the catalogue has: free dependencies, native
// phases, polling. Every rank runs all tests, in the same order; each is collective.

#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "core/network/groups.hpp"
#include "core/schedule/builder.hpp"
#include "core/schedule/verify.hpp"
#include "counting_new.hpp"
#include "programs/measuring/neighbor_workload.hpp"
#include "run/calls/call_execution.hpp"
#include "run/calls/communicator.hpp"
#include "run/calls/told_groups.hpp"
#include "run/mpi/hosts.hpp"
#include "run/online/chosen_texts.hpp"

namespace tutti::run {
namespace {

using Generate = void (*)(Builder&);

Part part_of(const Shape& shape, Rank rank, Generate generate) {
  Builder builder(shape, rank);
  generate(builder);
  return std::move(builder).finish();
}

class ExecutorTest : public testing::Test {
 protected:
  void SetUp() override {
    world.hosts() = hosts_of(MPI_COMM_WORLD);
    ASSERT_TRUE(world.meet());
  }

  /// The world, where it needs them with neighbours.
  Communicator& world_for(Collective collective) {
    if (!traits(collective).on_neighbors) return world;
    if (!neighbors_) neighbors_.emplace(world, stencil_topology(9, world.ranks()).value());
    return neighbors_->communicator();
  }

  Communicator world{MPI_COMM_WORLD};
  Shape shape{Collective::bcast, world.ranks(), 0, 1};

  // Proves the schedule, then binds this rank's part for a vector of elements of a type.
  Program bind(Generate generate, std::size_t units, const Unit& unit) {
    Schedule schedule{shape, {}};
    for (Rank rank = 0; rank < shape.ranks; ++rank) schedule.parts.push_back(part_of(shape, rank, generate));
    for (const Violation& violation : verify(schedule, {})) ADD_FAILURE() << violation.message;
    const Part part = part_of(shape, world.rank(), generate);
    const Blocks blocks = even_split(units, shape.blocks);
    Layout layout{blocks, blocks, {}};
    for (int block = 0; block < part.scratch_blocks(); ++block)
      layout.scratch.push_back(blocks.units[static_cast<std::size_t>(block % shape.blocks)]);
    return Program(part, world.surroundings(world.memory()), layout, unit);
  }

  // Runs a broadcast of `count` bytes from rank 0.
  void expect_broadcast(const Program& program, std::size_t count) {
    std::vector<char> data(count, world.rank() == 0 ? 'x' : 'o');
    Execution execution;
    execution.operands().base[static_cast<int>(Buffer::output)] = data.data();
    execution.start(program, world.context().comm(), world.context().first_tag(), world.memory());
    bool done = false;
    ASSERT_EQ(execution.wait(done), MPI_SUCCESS);
    EXPECT_EQ(data, std::vector<char>(count, 'x'));
  }

 private:
  std::optional<NeighborComm> neighbors_;
};

const Unit bytes{MPI_BYTE, 1, true, 1};

// A pipelined chain: each block goes on as soon as it has arrived, whatever the others do.
void chain(Builder& b) {
  for (int block = 0; block < b.shape().blocks; ++block) {
    if (b.rank() > 0) b.recv(b.rank() - 1, output(block));
    if (b.rank() + 1 < b.ranks()) b.send(b.rank() + 1, output(block));
  }
}

TEST_F(ExecutorTest, RunsFreeDependencies) {
  shape.blocks = 7;
  const Program program = bind(chain, 1000, bytes);
  // Inner ranks receive the next block while they send the last one on.
  EXPECT_EQ(program.in_step(), world.rank() == 0 || world.rank() + 1 == world.ranks());
  for (int run = 0; run < 3; ++run) {
    expect_broadcast(program, 1000);
  }
}

// However many messages there are, a rank has a few of each direction under way.
TEST_F(ExecutorTest, BoundsWhatIsUnderWay) {
  const Generate to_all = [](Builder& b) {
    for (int block = 0; block < b.shape().blocks; ++block)
      for (Rank rank = 1; rank < b.ranks(); ++rank)
        if (b.rank() == 0)
          b.send(rank, output(block));
        else if (b.rank() == rank)
          b.recv(0, output(block));
  };
  shape.blocks = 100;
  const InFlight before = in_flight;
  for (const InFlight bound : {InFlight{8, std::size_t{1} << 20}, InFlight{1000, 80}, InFlight{1, 1}}) {
    in_flight = bound;
    const Program program = bind(to_all, 1000, bytes);
    std::uint32_t begin = 0;
    std::size_t all = 0;
    for (const Wave& wave : program.waves()) {
      std::size_t messages = 0;
      for (; begin < wave.end; ++begin) messages += program.instructions()[begin].kind != OperationKind::copy;
      EXPECT_LE(messages, std::max<std::size_t>({2, std::min(bound.messages, bound.bytes / 10)}));
      all += messages;
    }
    EXPECT_EQ(all, static_cast<std::size_t>(100 * (world.rank() == 0 ? world.ranks() - 1 : 1)));
    expect_broadcast(program, 1000);
  }
  in_flight = before;
}

TEST_F(ExecutorTest, CanBePolled) {
  for (const Generate generate : {chain, Generate([](Builder& b) {
                                    if (b.rank() > 0) b.recv(b.rank() - 1, output(0, b.shape().blocks));
                                    if (b.rank() + 1 < b.ranks())
                                      b.send(b.rank() + 1, output(0, b.shape().blocks));
                                  })}) {
    shape.blocks = 5;
    const Program program = bind(generate, 100, bytes);
    std::vector<char> data(100, world.rank() == 0 ? 'x' : 'o');
    Execution execution;
    execution.operands().base[static_cast<int>(Buffer::output)] = data.data();
    execution.start(program, world.context().comm(), world.context().first_tag(), world.memory());
    bool done = false;
    while (!done) ASSERT_EQ(execution.test(done), MPI_SUCCESS);
    EXPECT_EQ(data, std::vector<char>(100, 'x'));
  }
}

// An allreduce left to the library on the even and the odd ranks apart, then an exchange of the two
// sums.
void native_halves(Builder& b) {
  std::vector<Rank> group;
  for (Rank rank = b.rank() % 2; rank < b.ranks(); rank += 2) group.push_back(rank);
  b.native({.collective = Collective::allreduce, .group = group, .into = {output(0)}, .from = {input(0)}});
  const Rank partner = b.rank() ^ 1;
  b.recv(partner, scratch(0));
  b.send(partner, output(0));
  b.reduce(output(0), scratch(0), OperandOrder::from_first);
}

TEST_F(ExecutorTest, RunsNativePhases) {
  if (world.ranks() % 2 == 1) GTEST_SKIP() << "for an even number of ranks";
  shape.collective = Collective::allreduce;
  const Program program = bind(native_halves, 10, {MPI_INT, sizeof(int), true, sizeof(int)});
  std::vector<int> in(10, world.rank() + 1), out(10), scratch_memory(20);
  Execution execution;
  Operands& operands = execution.operands();
  operands.base[0] = reinterpret_cast<char*>(in.data());
  operands.base[1] = reinterpret_cast<char*>(out.data());
  operands.base[2] = reinterpret_cast<char*>(scratch_memory.data());
  operands.type = MPI_INT;
  operands.op = MPI_SUM;
  execution.start(program, world.context().comm(), world.context().first_tag(), world.memory());
  bool done = false;
  ASSERT_EQ(execution.wait(done), MPI_SUCCESS);
  EXPECT_EQ(out, std::vector<int>(10, world.ranks() * (world.ranks() + 1) / 2));
  EXPECT_EQ(program.phases().size(), 1u);
  const Program of_nothing = bind(native_halves, 0, {MPI_INT, sizeof(int), true, sizeof(int)});
  EXPECT_TRUE(of_nothing.phases().empty()) << "libraries are not asked to reduce nothing";
}

TEST_F(ExecutorTest, EveryPlanOfTheCatalogueIsRight) {
  if (world.ranks() < 2) GTEST_SKIP() << "for two ranks and more";
  for (const CollectiveTraits& collective : collectives) {
    Communicator& ranks = world_for(collective.collective);
    for (const std::size_t size :
         {std::size_t{8}, std::size_t{1000}, std::size_t{60000}, std::size_t{100001}})
      for (const BlockLengths lengths :
           {BlockLengths::equal, BlockLengths::irregular, BlockLengths::degenerate}) {
        if (lengths != BlockLengths::equal && !has_lengths(collective.collective)) continue;
        for (const Plan& plan : known_plans(collective.collective, ranks.setting())) {
          const auto workload = make_workload(ranks, collective.collective, size, lengths);
          workload->fill();
          EXPECT_EQ(plan.is_native() ? workload->run_natively() : workload->run(plan), MPI_SUCCESS);
          EXPECT_TRUE(workload->check())
              << collective.name << " " << plan.text() << ", " << size << " bytes, " << name(lengths);
        }
      }
  }
}

TEST_F(ExecutorTest, ARepeatedCallAllocatesNothing) {
  if (world.ranks() < 2) GTEST_SKIP() << "for two ranks and more";
  for (const CollectiveTraits& collective : collectives) {
    Communicator& ranks = world_for(collective.collective);
    for (const Plan& plan : known_plans(collective.collective, ranks.setting())) {
      if (plan.is_native()) continue;
      const auto workload = make_workload(ranks, collective.collective, 1000);
      ASSERT_EQ(workload->run(plan), MPI_SUCCESS);
      const std::size_t before = allocations;
      ASSERT_EQ(workload->run(plan), MPI_SUCCESS);
      EXPECT_EQ(allocations, before) << collective.name << " " << plan.text();
    }
  }
  EXPECT_GT(allocations, 0u) << "they are counted";
}

// What was bound for one call serves another with its arguments, in other buffers, as long as the
// program lives.
TEST_F(ExecutorTest, ACallIsBoundOnce) {
  if (world.ranks() < 2) GTEST_SKIP() << "for two ranks and more";
  const int ranks = world.ranks();
  for (const bool in_place : {false, true}) {
    const Plan plan = make_plan(Collective::allgather, "ring").value(),
               other = make_plan(Collective::allgather, "bruck").value();
    BoundCall bound;
    const auto gather = [&](int value, bool again) {
      std::vector<int> in(3, 10 * world.rank() + value), out(static_cast<std::size_t>(3 * ranks), -1);
      if (in_place) std::copy(in.begin(), in.end(), out.begin() + 3 * world.rank());
      const Call call{.sendbuf = in_place ? MPI_IN_PLACE : in.data(),
                      .sendcount = 3,
                      .sendtype = MPI_INT,
                      .recvbuf = out.data(),
                      .recvcount = 3,
                      .recvtype = MPI_INT};
      EXPECT_EQ(again ? bound.run(world, call) : carry_out(world, plan, call, true, &bound), MPI_SUCCESS);
      for (int i = 0; i < 3 * ranks; ++i) EXPECT_EQ(out[static_cast<std::size_t>(i)], 10 * (i / 3) + value);
    };
    gather(1, false);
    ASSERT_TRUE(bound.is_by(plan, world));
    EXPECT_FALSE(bound.is_by(other, world));
    gather(2, true);
    gather(3, true);
    world.programs().clear();
    EXPECT_FALSE(bound.is_by(plan, world));
    gather(4, false);
    gather(5, true);
  }
}

// Where data have to be packed, or counts are in arrays, there is more to do than to run a program.
TEST_F(ExecutorTest, NotEveryCallIsBound) {
  if (world.ranks() < 2) GTEST_SKIP() << "for two ranks and more";
  MPI_Datatype type;
  MPI_Type_vector(2, 1, 2, MPI_INT, &type);
  MPI_Type_commit(&type);
  const Plan bcast = make_plan(Collective::bcast, "binomial").value(),
             gatherv = make_plan(Collective::allgatherv, "ring").value();
  std::vector<int> data(3, world.rank());
  BoundCall bound;
  EXPECT_EQ(carry_out(world, bcast, {.recvbuf = data.data(), .recvcount = 1, .recvtype = type}, true, &bound),
            MPI_SUCCESS);
  EXPECT_EQ(data, (std::vector<int>{0, world.rank(), 0}));
  EXPECT_FALSE(bound.is_by(bcast, world));
  MPI_Type_free(&type);

  const auto ranks = static_cast<std::size_t>(world.ranks());
  std::vector<int> counts(ranks, 1), displacements(ranks), all(ranks);
  std::iota(displacements.begin(), displacements.end(), 0);
  const Call call{.sendbuf = &data[1],
                  .sendcount = 1,
                  .sendtype = MPI_INT,
                  .recvbuf = all.data(),
                  .recvcounts = Numbers(counts.data()),
                  .recvdispls = Numbers(displacements.data()),
                  .recvtype = MPI_INT};
  EXPECT_EQ(carry_out(world, gatherv, call, true, &bound), MPI_SUCCESS);
  EXPECT_EQ(all, displacements);
  EXPECT_FALSE(bound.is_by(gatherv, world));
}

// Requests that are started again pass on blocks of the same sizes: these are told once, also where
// only some ranks have to pack.
TEST_F(ExecutorTest, SizesAreToldOnceWhereCallsRepeat) {
  if (world.ranks() < 2) GTEST_SKIP() << "for two ranks and more";
  const auto ranks = static_cast<std::size_t>(world.ranks()), me = static_cast<std::size_t>(world.rank());
  MPI_Datatype pairs;
  MPI_Type_vector(1, 1, 2, MPI_INT, &pairs);
  MPI_Type_create_resized(std::exchange(pairs, MPI_DATATYPE_NULL), 0, 2 * sizeof(int), &pairs);
  MPI_Type_commit(&pairs);
  const int stride = world.rank() == 1 ? 2 : 1;
  for (const char* text : {"bruck", "aggregated(balanced)[linear]", "linear"}) {
    const Plan plan = make_plan(Collective::alltoallv, text).value();
    std::vector<int> sent, received, send_at, receive_at;
    for (std::size_t other = 0, give = 0, get = 0; other < ranks; ++other) {
      sent.push_back(static_cast<int>((me + 2 * other) % 3));
      received.push_back(static_cast<int>((other + 2 * me) % 3));
      send_at.push_back(static_cast<int>(give));
      receive_at.push_back(static_cast<int>(get));
      give += static_cast<std::size_t>(sent.back());
      get += static_cast<std::size_t>(received.back());
    }
    std::vector<int> out(2 * 3 * ranks), in(out.size());
    const MPI_Datatype type = stride == 2 ? pairs : MPI_INT;
    const Call call{.sendbuf = out.data(),
                    .sendcounts = Numbers(sent.data()),
                    .senddispls = Numbers(send_at.data()),
                    .sendtype = type,
                    .recvbuf = in.data(),
                    .recvcounts = Numbers(received.data()),
                    .recvdispls = Numbers(receive_at.data()),
                    .recvtype = type};
    Workspace workspace;
    std::optional<CallExecution> execution;
    for (int start = 0; start < 3; ++start) {
      for (std::size_t to = 0; to < ranks; ++to)
        for (int i = 0; i < sent[to]; ++i)
          out[static_cast<std::size_t>(stride * (send_at[to] + i))] =
              static_cast<int>(100 * me + 10 * to) + start;
      int programs = 0;
      if (!execution || !execution->repeats()) {
        const bool knows_sizes = execution && execution->knows_sizes();
        execution.emplace(world, workspace, plan, call, true, Mode::persistent, nullptr, nullptr);
        ASSERT_EQ(execution->begin(knows_sizes), MPI_SUCCESS);
      }
      for (; execution->program(); ++programs) {
        workspace.execution.start(*execution->program(), world.context().comm(), world.context().first_tag(),
                                  nullptr);
        bool done = false;
        ASSERT_EQ(workspace.execution.wait(done), MPI_SUCCESS);
        ASSERT_EQ(execution->go_on(), MPI_SUCCESS);
      }
      EXPECT_EQ(programs, start == 0 && plan.relays() ? 2 : 1) << text;
      for (std::size_t from = 0; from < ranks; ++from)
        for (int i = 0; i < received[from]; ++i)
          EXPECT_EQ(in[static_cast<std::size_t>(stride * (receive_at[from] + i))],
                    static_cast<int>(100 * from + 10 * me) + start)
              << text;
    }
  }
  MPI_Type_free(&pairs);
}

// Programs are found by what a plan is, not by where it lies: one plan after another in the same
// place gets its own.
TEST_F(ExecutorTest, PlansInTheSamePlaceAreToldApart) {
  if (world.ranks() < 2) GTEST_SKIP() << "for two ranks and more";
  const std::size_t programs = cache_totals.programs;
  std::size_t plans = 0;
  std::optional<Plan> place;
  for (int time = 0; time < 2; ++time)
    for (const Plan& plan : known_plans(Collective::allgather, world.ranks())) {
      if (plan.is_native()) continue;
      place.emplace(plan);
      const auto workload = make_workload(world, Collective::allgather, 32);
      workload->fill();
      EXPECT_EQ(workload->run(*place), MPI_SUCCESS);
      EXPECT_TRUE(workload->check()) << plan.text();
      if (time == 0) ++plans;
    }
  EXPECT_GT(plans, 5u);
  EXPECT_EQ(cache_totals.programs, programs + plans);
}

// A cache that may hold nothing still runs everything, one program at a time.
TEST_F(ExecutorTest, TheCacheStaysBounded) {
  if (world.ranks() < 2) GTEST_SKIP() << "for two ranks and more";
  const std::size_t limit = cache_totals.limit, programs = cache_totals.programs;
  cache_totals.limit = 0;
  const Plan plan = make_plan(Collective::bcast, "binomial").value();
  for (int count = 1; count < 50; ++count) {
    std::vector<char> data(static_cast<std::size_t>(count), world.rank() == 0 ? 'x' : 'o');
    ASSERT_EQ(carry_out(world, plan, Call{.recvbuf = data.data(), .recvcount = count, .recvtype = MPI_BYTE}),
              MPI_SUCCESS);
    EXPECT_EQ(data.back(), 'x');
    EXPECT_LE(cache_totals.programs, programs + 1);
  }
  cache_totals.limit = limit;
}

TEST(Arena, KeepsNoMoreThanALittleFromCallToCall) {
  Arena arena;
  const char* const small = arena.get(1000);
  arena.shrink();
  EXPECT_EQ(arena.get(1000), small);
  EXPECT_TRUE(arena.holds(small + 1000));
  arena.get(calls::most_kept_bytes + 1);
  arena.shrink();
  EXPECT_EQ(arena.begin(), nullptr);
  EXPECT_EQ(arena.given(), 0u);
  EXPECT_NE(arena.get(10), nullptr);
  EXPECT_EQ(arena.given(), 10u);
}

// What was chosen is told again until choosing took but a small share of the time since.
TEST(ChosenTexts, HoldUntilTheRunHasPaidForOthers) {
  ChosenTexts texts;
  int chosen = 0;
  const auto text_at = [&](double now, std::size_t size) {
    const CallClass calls{.collective = Collective::bcast, .placement = {4, 1}, .size = SizeClass::of(size)};
    return texts.find(calls, now, 0.01, [&](double& took) {
      took = 0.005;
      return std::to_string(++chosen);
    });
  };
  EXPECT_EQ(text_at(10, 64), "1");
  EXPECT_EQ(text_at(10.4, 64), "1");
  EXPECT_EQ(text_at(10.4, 4096), "2");
  EXPECT_EQ(text_at(10.6, 64), "3");
  EXPECT_EQ(text_at(10.6, 4096), "2");
}

// Hosts 0 to 3 on two switches, a rank on each.
std::shared_ptr<const ToldGroups> groups_on_two_switches() {
  return std::make_shared<const ToldGroups>(
      with_groups_around({.hosts = {0, 1, 2, 3}}, {{7}, {8}, {7}, {8}}));
}

TEST(ToldGroups, OfACommunicatorAreThoseOfItsRanks) {
  const auto all = groups_on_two_switches();
  ASSERT_TRUE(all->levels());
  EXPECT_EQ(all->levels()->groups, (Hosts{0, 1, 0, 1}));
  EXPECT_EQ(all->levels()->order, (std::vector<Rank>{0, 2, 1, 3}));
  EXPECT_EQ(ToldGroups::of(all, {0, 1, 2, 3}), all);
  const auto some = ToldGroups::of(all, {3, 2, 1});
  ASSERT_TRUE(some->levels());
  EXPECT_EQ(some->levels()->groups, (Hosts{0, 1, 0}));
  EXPECT_FALSE(ToldGroups::of(all, {0, 2})->levels()) << "on one switch";
  EXPECT_FALSE(ToldGroups::of(nullptr, {0, 2}));
}

// A program may make very many communicators, most of which no plan goes by groups on.
TEST(ToldGroups, FindTheirLevelsOnceWhenTheyAreAskedFor) {
  const auto some = ToldGroups::of(groups_on_two_switches(), {3, 2, 1});
  const std::size_t before = allocations;
  EXPECT_TRUE(some->levels());
  const std::size_t found = allocations;
  EXPECT_GT(found, before);
  EXPECT_TRUE(some->levels());
  EXPECT_EQ(allocations, found);
}

}  // namespace
}  // namespace tutti::run

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  testing::InitGoogleTest(&argc, argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0)
    delete testing::UnitTest::GetInstance()->listeners().Release(
        testing::UnitTest::GetInstance()->listeners().default_result_printer());
  int failed = RUN_ALL_TESTS(), any = 0;
  MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (rank != 0 && failed) std::fprintf(stderr, "tests fail on rank %d\n", rank);
  MPI_Finalize();
  return any;
}
