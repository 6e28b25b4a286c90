// Corners of the standard: all operations between groups of different sizes, in every role, with
// arguments that do not matter left out; operations on nothing, said in different ways on different
// ranks: no elements, elements of a type without bytes, null buffers, null types where MPI_IN_PLACE
// makes them meaningless; input and output in one array, of different types; and a root's buffer
// that can't be written.
//
// Usage: corners. Exit by MPI_Abort with a line at the first difference.

#include <mpi.h>
#include <sys/mman.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "require.hpp"

namespace {

int world_rank = 0, world_ranks = 0;

void expect_well(int error, const std::string& what) {
  require(error == MPI_SUCCESS, what + " fails");
}

using Ints = std::vector<int>;
Ints filled(int count, int value) {
  return Ints(static_cast<std::size_t>(count), value);
}
Ints ascending(int count, int step = 1, int first = 0) {
  Ints list(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) list[static_cast<std::size_t>(i)] = first + i * step;
  return list;
}
int total(const Ints& list) {
  return std::accumulate(list.begin(), list.end(), 0);
}

#ifdef OPEN_MPI
constexpr bool wants_buffers = false;
#else
constexpr bool wants_buffers = true;
#endif

// All operations between two groups. Rank r of a group has the value 100 * group + r.
class BetweenGroups {
 public:
  explicit BetweenGroups(int first_group) {
    group_ = world_rank < first_group ? 0 : 1;
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, group_, world_rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, group_ == 0 ? first_group : 0, 7, &inter_);
    MPI_Comm_free(&half);
    MPI_Comm_rank(inter_, &rank_);
    MPI_Comm_size(inter_, &local_);
    MPI_Comm_remote_size(inter_, &remote_);
  }
  ~BetweenGroups() { MPI_Comm_free(&inter_); }
  BetweenGroups(const BetweenGroups&) = delete;
  BetweenGroups& operator=(const BetweenGroups&) = delete;

  void run() {
    for (int time = 0; time < 2; ++time) {
      expect_well(MPI_Barrier(inter_), "barrier");
      for (const int giving : {0, 1})
        for (int root = 0; root < (giving == group_ ? local_ : remote_); ++root) from_root(giving, root);
      for (const int getting : {0, 1})
        for (int root = 0; root < (getting == group_ ? local_ : remote_); ++root) to_root(getting, root);
      all_to_all();
      reductions();
    }
  }

 private:
  int mine() const { return 100 * group_ + rank_; }
  int theirs(int rank) const { return 100 * (1 - group_) + rank; }
  // The root as MPI wants it said in either group.
  int said(bool in_group, int root) const {
    return !in_group ? root : rank_ == root ? MPI_ROOT : MPI_PROC_NULL;
  }

  void from_root(int giving, int root) {
    const bool gives = giving == group_;
    const int who = said(gives, root);
    const bool is_root = gives && rank_ == root;
    int value = is_root ? mine() : -1;
    expect_well(MPI_Bcast(&value, 1, MPI_INT, who, inter_), "bcast");
    if (!gives) require(value == theirs(root), "a bcast between groups is wrong");

    const Ints list = ascending(remote_, 1, 10 * mine()), counts = filled(remote_, 1),
               displs = ascending(remote_);
    int got = -1;
    if (gives)
      expect_well(
          is_root ? MPI_Scatter(list.data(), 1, MPI_INT, nullptr, 0, MPI_DATATYPE_NULL, who, inter_)
                  : MPI_Scatter(nullptr, 0, MPI_DATATYPE_NULL, nullptr, 0, MPI_DATATYPE_NULL, who, inter_),
          "scatter");
    else
      expect_well(MPI_Scatter(nullptr, 0, MPI_DATATYPE_NULL, &got, 1, MPI_INT, who, inter_), "scatter");
    if (!gives) require(got == 10 * theirs(root) + rank_, "a scatter between groups is wrong");
    got = -1;
    if (gives)
      expect_well(is_root ? MPI_Scatterv(list.data(), counts.data(), displs.data(), MPI_INT, nullptr, 0,
                                         MPI_DATATYPE_NULL, who, inter_)
                          : MPI_Scatterv(nullptr, nullptr, nullptr, MPI_DATATYPE_NULL, nullptr, 0,
                                         MPI_DATATYPE_NULL, who, inter_),
                  "scatterv");
    else
      expect_well(MPI_Scatterv(nullptr, nullptr, nullptr, MPI_DATATYPE_NULL, &got, 1, MPI_INT, who, inter_),
                  "scatterv");
    if (!gives) require(got == 10 * theirs(root) + rank_, "a scatterv between groups is wrong");
  }

  void to_root(int getting, int root) {
    const bool gets = getting == group_;
    const int who = said(gets, root);
    const bool is_root = gets && rank_ == root;
    const int value = mine();
    const Ints expected = ascending(remote_, 1, theirs(0)), counts = filled(remote_, 1),
               displs = ascending(remote_);
    Ints all = filled(remote_, -1);
    if (gets)
      expect_well(is_root
                      ? MPI_Gather(nullptr, 0, MPI_DATATYPE_NULL, all.data(), 1, MPI_INT, who, inter_)
                      : MPI_Gather(nullptr, 0, MPI_DATATYPE_NULL, nullptr, 0, MPI_DATATYPE_NULL, who, inter_),
                  "gather");
    else
      expect_well(MPI_Gather(&value, 1, MPI_INT, nullptr, 0, MPI_DATATYPE_NULL, who, inter_), "gather");
    if (is_root) require(all == expected, "a gather between groups is wrong");
    all = filled(remote_, -1);
    if (gets)
      expect_well(is_root ? MPI_Gatherv(nullptr, 0, MPI_DATATYPE_NULL, all.data(), counts.data(),
                                        displs.data(), MPI_INT, who, inter_)
                          : MPI_Gatherv(nullptr, 0, MPI_DATATYPE_NULL, nullptr, nullptr, nullptr,
                                        MPI_DATATYPE_NULL, who, inter_),
                  "gatherv");
    else
      expect_well(MPI_Gatherv(&value, 1, MPI_INT, nullptr, nullptr, nullptr, MPI_DATATYPE_NULL, who, inter_),
                  "gatherv");
    if (is_root) require(all == expected, "a gatherv between groups is wrong");
    int sum = -1;
    expect_well(MPI_Reduce(&value, is_root ? &sum : nullptr, 1, MPI_INT, MPI_SUM, who, inter_), "reduce");
    if (is_root) require(sum == total(expected), "a reduce between groups is wrong");
  }

  void all_to_all() {
    const int value = mine();
    const Ints expected = ascending(remote_, 1, theirs(0)), counts = filled(remote_, 1),
               displs = ascending(remote_);
    Ints all = filled(remote_, -1);
    expect_well(MPI_Allgather(&value, 1, MPI_INT, all.data(), 1, MPI_INT, inter_), "allgather");
    require(all == expected, "an allgather between groups is wrong");
    all = filled(remote_, -1);
    expect_well(MPI_Allgatherv(&value, 1, MPI_INT, all.data(), counts.data(), displs.data(), MPI_INT, inter_),
                "allgatherv");
    require(all == expected, "an allgatherv between groups is wrong");
    const Ints given = ascending(remote_, 1, 1000 * mine());
    Ints crossed;
    for (int r = 0; r < remote_; ++r) crossed.push_back(1000 * theirs(r) + rank_);
    all = filled(remote_, -1);
    expect_well(MPI_Alltoall(given.data(), 1, MPI_INT, all.data(), 1, MPI_INT, inter_), "alltoall");
    require(all == crossed, "an alltoall between groups is wrong");
    all = filled(remote_, -1);
    expect_well(MPI_Alltoallv(given.data(), counts.data(), displs.data(), MPI_INT, all.data(), counts.data(),
                              displs.data(), MPI_INT, inter_),
                "alltoallv");
    require(all == crossed, "an alltoallv between groups is wrong");
  }

  // A group's vector has to be as long as the other's, whatever their sizes.
  void reductions() {
    const int value = mine(), length = local_ * remote_;
    int sum = -1;
    expect_well(MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, inter_), "allreduce");
    const int others = total(ascending(remote_, 1, theirs(0)));
    require(sum == others, "an allreduce between groups is wrong");
    const Ints vector = filled(length, value), counts = filled(local_, remote_);
    Ints block = filled(remote_, -1);
    expect_well(MPI_Reduce_scatter_block(vector.data(), block.data(), remote_, MPI_INT, MPI_SUM, inter_),
                "reduce_scatter_block");
    require(block == filled(remote_, others), "a reduce_scatter_block between groups is wrong");
    block = filled(remote_, -1);
    expect_well(MPI_Reduce_scatter(vector.data(), block.data(), counts.data(), MPI_INT, MPI_SUM, inter_),
                "reduce_scatter");
    require(block == filled(remote_, others), "a reduce_scatter between groups is wrong");
  }

  MPI_Comm inter_ = MPI_COMM_NULL;
  int group_ = 0, rank_ = 0, local_ = 0, remote_ = 0;
};

// Ways to say that there is nothing. Buffers may be null with all of them.
// Whether the library that runs is MPICH, whatever header this was compiled with.
bool is_mpich() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  return std::string(text).find("MPICH") != std::string::npos;
}

struct Nothing {
  int count;
  MPI_Datatype type;
};

class OfNothing {
 public:
  OfNothing() {
    MPI_Type_contiguous(0, MPI_INT, &contiguous_);
    MPI_Type_vector(0, 3, 5, MPI_DOUBLE, &vector_);
    MPI_Type_create_resized(contiguous_, -4, 16, &resized_);
    for (MPI_Datatype* type : {&contiguous_, &vector_, &resized_}) MPI_Type_commit(type);
    no_elements_ = {{0, MPI_INT}, {0, vector_}, {0, MPI_DOUBLE}};
    no_bytes_ = {{1, contiguous_}, {3, vector_}, {2, resized_}};
    // MPICH divides by the size of a resized type that it copies into (4.2.1 to 5.0.2).
    if (is_mpich()) no_bytes_.pop_back();
  }
  ~OfNothing() {
    for (MPI_Datatype* type : {&contiguous_, &vector_, &resized_}) MPI_Type_free(type);
  }
  OfNothing(const OfNothing&) = delete;
  OfNothing& operator=(const OfNothing&) = delete;

  // Libraries' own operations wait for ever where only some ranks have a count of zero, so all
  // have, or none; but in an alltoallv Open MPI's does not mind. MPICH wants buffers wherever there
  // are elements.
  void run() {
    for (const Ways* list : {&no_elements_, &no_bytes_})
      for (int shift = 0; shift < 3; ++shift) {
        const Nothing gives = one_of(*list, world_rank + shift),
                      gets = one_of(*list, 2 * world_rank + shift + 1);
        for (const bool null : {true, false}) {
          if (null && wants_buffers && list == &no_bytes_) continue;
          room_.assign(64 * static_cast<std::size_t>(world_ranks), 42);
          whole_calls(gives, gets, null ? nullptr : room_.data() + 8, null ? nullptr : room_.data() + 32);
          require(room_ == std::vector<char>(room_.size(), 42),
                  "something is written where there is nothing");
        }
        partly(one_of(no_elements_, world_rank + shift), one_of(no_elements_, world_rank + shift + 1));
#ifdef OPEN_MPI
        const Ways& others = world_rank % 2 == 0 ? no_elements_ : no_bytes_;
        irregular_exchange(gives, one_of(others, shift), nullptr, nullptr);
        irregular_exchange(one_of(others, shift), gets, nullptr, nullptr);
#endif
      }
    reductions();
  }

 private:
  using Ways = std::vector<Nothing>;
  static Nothing one_of(const Ways& ways, int number) {
    return ways[static_cast<std::size_t>(number) % ways.size()];
  }
  static MPI_Comm comm() {
    return MPI_COMM_WORLD;
  }

  void whole_calls(Nothing gives, Nothing gets, void* in, void* out) {
    const Ints sends = filled(world_ranks, gives.count), receives = filled(world_ranks, gets.count),
               displs = filled(world_ranks, 0);
    const MPI_Datatype none = MPI_DATATYPE_NULL;
    for (int root = 0; root < world_ranks; ++root) {
      const bool is_root = world_rank == root;
      expect_well(MPI_Bcast(in, gives.count, gives.type, root, comm()), "bcast of nothing");
      expect_well(MPI_Gather(in, gives.count, gives.type, out, is_root ? gets.count : 0,
                             is_root ? gets.type : none, root, comm()),
                  "gather of nothing");
      expect_well(MPI_Gatherv(in, gives.count, gives.type, out, is_root ? receives.data() : nullptr,
                              is_root ? displs.data() : nullptr, is_root ? gets.type : none, root, comm()),
                  "gatherv of nothing");
      expect_well(MPI_Scatter(in, is_root ? gives.count : 0, is_root ? gives.type : none, out, gets.count,
                              gets.type, root, comm()),
                  "scatter of nothing");
      expect_well(MPI_Scatterv(in, is_root ? sends.data() : nullptr, is_root ? displs.data() : nullptr,
                               is_root ? gives.type : none, out, gets.count, gets.type, root, comm()),
                  "scatterv of nothing");
    }
    expect_well(MPI_Allgather(in, gives.count, gives.type, out, gets.count, gets.type, comm()),
                "allgather of nothing");
    expect_well(
        MPI_Allgatherv(in, gives.count, gives.type, out, receives.data(), displs.data(), gets.type, comm()),
        "allgatherv of nothing");
    expect_well(MPI_Alltoall(in, gives.count, gives.type, out, gets.count, gets.type, comm()),
                "alltoall of nothing");
    irregular_exchange(gives, gets, in, out);
    expect_well(MPI_Allgather(MPI_IN_PLACE, 0, none, out, gets.count, gets.type, comm()),
                "allgather of nothing in place");
    expect_well(MPI_Allgatherv(MPI_IN_PLACE, 0, none, out, receives.data(), displs.data(), gets.type, comm()),
                "allgatherv of nothing in place");
    expect_well(MPI_Alltoall(MPI_IN_PLACE, 0, none, out, gets.count, gets.type, comm()),
                "alltoall of nothing in place");
  }

  void irregular_exchange(Nothing gives, Nothing gets, void* in, void* out) {
    const Ints sends = filled(world_ranks, gives.count), receives = filled(world_ranks, gets.count),
               displs = filled(world_ranks, 0);
    expect_well(MPI_Alltoallv(in, sends.data(), displs.data(), gives.type, out, receives.data(),
                              displs.data(), gets.type, comm()),
                "alltoallv of nothing");
    expect_well(MPI_Alltoallv(MPI_IN_PLACE, nullptr, nullptr, MPI_DATATYPE_NULL, out, receives.data(),
                              displs.data(), gets.type, comm()),
                "alltoallv of nothing in place");
  }

  // Ranks with odd numbers have nothing, each in its way; the others an int.
  void partly(Nothing gives, Nothing gets) {
    const bool has = world_rank % 2 == 0;
    const int value = 7 + world_rank;
    Ints counts, expected = filled(world_ranks, -1);
    for (int r = 0; r < world_ranks; ++r) {
      counts.push_back(r % 2 == 0);
      if (r % 2 == 0) expected[static_cast<std::size_t>(r)] = 7 + r;
    }
    const Ints displs = ascending(world_ranks);
    const void* in = has ? &value : nullptr;
    const int count = has ? 1 : gives.count;
    const MPI_Datatype type = has ? MPI_INT : gives.type;
    for (int root = 0; root < world_ranks; ++root) {
      Ints all = filled(world_ranks, -1);
      expect_well(
          MPI_Gatherv(in, count, type, all.data(), counts.data(), displs.data(), MPI_INT, root, comm()),
          "gatherv of partly nothing");
      if (world_rank == root) require(all == expected, "a gatherv of partly nothing is wrong");
      int got = -1;
      const Ints given = ascending(world_ranks, 1, 7);
      expect_well(MPI_Scatterv(given.data(), counts.data(), displs.data(), MPI_INT, has ? &got : nullptr,
                               has ? 1 : gets.count, has ? MPI_INT : gets.type, root, comm()),
                  "scatterv of partly nothing");
      require(got == (has ? 7 + world_rank : -1), "a scatterv of partly nothing is wrong");
    }
    Ints all = filled(world_ranks, -1);
    expect_well(MPI_Allgatherv(in, count, type, all.data(), counts.data(), displs.data(), MPI_INT, comm()),
                "allgatherv of partly nothing");
    require(all == expected, "an allgatherv of partly nothing is wrong");
    // Only ranks with even numbers send, to all others.
    const Ints sends = filled(world_ranks, count), from = filled(world_ranks, 0);
    all = filled(world_ranks, -1);
    expect_well(MPI_Alltoallv(in, sends.data(), from.data(), type, all.data(), counts.data(), displs.data(),
                              MPI_INT, comm()),
                "alltoallv of partly nothing");
    require(all == expected, "an alltoallv of partly nothing is wrong");
  }

  void reductions() {
    const Ints none = filled(world_ranks, 0);
    for (int root = 0; root < world_ranks; ++root)
      expect_well(MPI_Reduce(nullptr, nullptr, 0, MPI_INT, MPI_SUM, root, comm()), "reduce of nothing");
    expect_well(MPI_Allreduce(nullptr, nullptr, 0, MPI_DOUBLE, MPI_SUM, comm()), "allreduce of nothing");
    expect_well(MPI_Reduce_scatter_block(nullptr, nullptr, 0, MPI_INT, MPI_MAX, comm()),
                "reduce_scatter_block of nothing");
    expect_well(MPI_Reduce_scatter(nullptr, nullptr, none.data(), MPI_INT, MPI_MAX, comm()),
                "reduce_scatter of nothing");
    expect_well(MPI_Scan(nullptr, nullptr, 0, MPI_INT, MPI_SUM, comm()), "scan of nothing");
    expect_well(MPI_Exscan(nullptr, nullptr, 0, MPI_INT, MPI_SUM, comm()), "exscan of nothing");
    // All that is reduced belongs to the last rank.
    Ints counts = none;
    counts.back() = 3;
    const Ints given = filled(3, world_rank + 1);
    Ints got = filled(3, -1);
    const bool last = world_rank + 1 == world_ranks;
    expect_well(MPI_Reduce_scatter(given.data(), last ? got.data() : nullptr, counts.data(), MPI_INT, MPI_SUM,
                                   comm()),
                "reduce_scatter to one rank");
    if (last)
      require(got == filled(3, world_ranks * (world_ranks + 1) / 2), "a reduce_scatter to one rank is wrong");
  }

  MPI_Datatype contiguous_ = MPI_DATATYPE_NULL, vector_ = MPI_DATATYPE_NULL, resized_ = MPI_DATATYPE_NULL;
  Ways no_elements_, no_bytes_;
  std::vector<char> room_;
};

struct Pair {
  double x, y;
};

// One half of a pair, and from one pair to the next.
class HalfOfPair {
 public:
  explicit HalfOfPair(std::size_t begin) {
    const int one = 1;
    const auto at = static_cast<MPI_Aint>(begin);
    MPI_Datatype shifted;
    MPI_Type_create_hindexed(1, &one, &at, MPI_DOUBLE, &shifted);
    MPI_Type_create_resized(shifted, 0, sizeof(Pair), &type_);
    MPI_Type_commit(&type_);
    MPI_Type_free(&shifted);
  }
  ~HalfOfPair() { MPI_Type_free(&type_); }
  HalfOfPair(const HalfOfPair&) = delete;
  HalfOfPair& operator=(const HalfOfPair&) = delete;
  MPI_Datatype type() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

// What the root gives and what it gets are different halves of the same pairs.
void in_one_array() {
  const HalfOfPair x(offsetof(Pair, x)), y(offsetof(Pair, y));
  for (int root = 0; root < world_ranks; ++root) {
    std::vector<Pair> pairs(static_cast<std::size_t>(world_ranks), Pair{-1, 100.0 + world_rank});
    const bool is_root = world_rank == root;
    expect_well(
        is_root ? MPI_Gather(pairs.data(), 1, y.type(), pairs.data(), 1, x.type(), root, MPI_COMM_WORLD)
                : MPI_Gather(pairs.data(), 1, y.type(), nullptr, 0, MPI_DATATYPE_NULL, root, MPI_COMM_WORLD),
        "gather in one array");
    for (int r = 0; r < world_ranks; ++r) {
      const Pair& pair = pairs[static_cast<std::size_t>(r)];
      require(pair.x == (is_root ? 100.0 + r : -1) && pair.y == 100.0 + world_rank,
              "a gather in one array is wrong");
    }
    for (Pair& pair : pairs) pair.y = -1;
    expect_well(
        is_root ? MPI_Scatter(pairs.data(), 1, x.type(), pairs.data(), 1, y.type(), root, MPI_COMM_WORLD)
                : MPI_Scatter(nullptr, 0, MPI_DATATYPE_NULL, pairs.data(), 1, y.type(), root, MPI_COMM_WORLD),
        "scatter in one array");
    require(pairs.front().y == 100.0 + world_rank, "a scatter in one array is wrong");
  }
}

// What the root of a scatter in place gives is only read.
void scatters_what_is_not_written() {
  const HalfOfPair x(offsetof(Pair, x));
  const std::size_t bytes = sizeof(Pair) * static_cast<std::size_t>(world_ranks);
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  require(memory != MAP_FAILED, "there is no memory");
  const auto pairs = static_cast<Pair*>(memory);
  for (int r = 0; r < world_ranks; ++r) pairs[r] = {10.0 + r, -1};
  require(mprotect(memory, bytes, PROT_READ) == 0, "memory can't be protected");
  const Ints counts = filled(world_ranks, 1), displs = ascending(world_ranks);
  for (int root = 0; root < world_ranks; ++root) {
    const bool is_root = world_rank == root;
    double got = -1;
    expect_well(
        is_root ? MPI_Scatter(pairs, 1, x.type(), MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, root, MPI_COMM_WORLD)
                : MPI_Scatter(nullptr, 0, MPI_DATATYPE_NULL, &got, 1, MPI_DOUBLE, root, MPI_COMM_WORLD),
        "scatter in place");
    require(got == (is_root ? -1 : 10.0 + world_rank), "a scatter in place is wrong");
    got = -1;
    expect_well(is_root ? MPI_Scatterv(pairs, counts.data(), displs.data(), x.type(), MPI_IN_PLACE, 0,
                                       MPI_DATATYPE_NULL, root, MPI_COMM_WORLD)
                        : MPI_Scatterv(nullptr, nullptr, nullptr, MPI_DATATYPE_NULL, &got, 1, MPI_DOUBLE,
                                       root, MPI_COMM_WORLD),
                "scatterv in place");
    require(got == (is_root ? -1 : 10.0 + world_rank), "a scatterv in place is wrong");
  }
  munmap(memory, bytes);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world_ranks);
  for (int first_group = 1; first_group < world_ranks; ++first_group) BetweenGroups(first_group).run();
  OfNothing().run();
  in_one_array();
  scatters_what_is_not_written();
  if (world_rank == 0) std::printf("corners: all right\n");
  MPI_Finalize();
  return 0;
}
