// A program that makes communicators in every way that MPI has, and on each calls nonblocking
// collectives alone: none but those may be what makes a communicator ready for plans. Prints "at
// once: all right".
//
// Usage: at_once [threads | idup | natively]

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>
#include <vector>

#include "require.hpp"

namespace {

int rank_in(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

int ranks_of(MPI_Comm comm) {
  int ranks = 0;
  MPI_Comm_size(comm, &ranks);
  return ranks;
}

void calls(MPI_Comm comm, int number) {
  const int rank = rank_in(comm), ranks = ranks_of(comm);
  for (int call = 0; call < number; ++call) {
    const int root = call % ranks;
    int word = rank == root ? call : -1, sum = -1;
    std::array<MPI_Request, 2> requests;
    MPI_Ibcast(&word, 1, MPI_INT, root, comm, &requests[0]);
    MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm, &requests[1]);
    MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
    require(word == call, "a broadcast is wrong");
    require(sum == ranks * (ranks - 1) / 2, "a sum is wrong");
  }
}

bool natively = false;

// Calls on a communicator that was just made, if this rank is in it, which is freed while the last
// of them is under way; not natively, where Open MPI 4.1 crashes then.
void use(MPI_Comm made) {
  if (made == MPI_COMM_NULL) return;
  calls(made, 3);
  const int rank = rank_in(made), ranks = ranks_of(made);
  int highest = -1;
  MPI_Request request;
  MPI_Iallreduce(&rank, &highest, 1, MPI_INT, MPI_MAX, made, &request);
  if (natively) MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_free(&made);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  require(highest == ranks - 1, "a maximum is wrong");
}

template <typename Make>
MPI_Comm made_by(Make&& make) {
  MPI_Comm made = MPI_COMM_NULL;
  require(make(&made) == MPI_SUCCESS, "a communicator is not made");
  return made;
}

// The ranks of a communicator that are odd, or even.
MPI_Group half_of(MPI_Comm comm, int remainder) {
  std::vector<int> members;
  for (int rank = remainder; rank < ranks_of(comm); rank += 2) members.push_back(rank);
  MPI_Group all, half;
  MPI_Comm_group(comm, &all);
  MPI_Group_incl(all, static_cast<int>(members.size()), members.data(), &half);
  MPI_Group_free(&all);
  return half;
}

void of_groups(MPI_Comm from) {
  const int parity = rank_in(from) % 2;
  MPI_Group own = half_of(from, parity), odd = half_of(from, 1), empty = MPI_GROUP_EMPTY;
  use(made_by([&](MPI_Comm* made) { return MPI_Comm_create(from, own, made); }));
  use(made_by([&](MPI_Comm* made) { return MPI_Comm_create(from, parity == 1 ? odd : empty, made); }));
  use(made_by([&](MPI_Comm* made) { return MPI_Comm_create(from, empty, made); }));
  use(made_by([&](MPI_Comm* made) { return MPI_Comm_create_group(from, own, 7, made); }));
  if (parity == 1) use(made_by([&](MPI_Comm* made) { return MPI_Comm_create_group(from, odd, 7, made); }));
  MPI_Group_free(&own);
  MPI_Group_free(&odd);
}

void with_neighbors(MPI_Comm from) {
  const int rank = rank_in(from), ranks = ranks_of(from), none = 0;
  const std::array<int, 2> sides{2, ranks / 2}, kept{0, 1};
  const MPI_Comm grid =
      made_by([&](MPI_Comm* made) { return MPI_Cart_create(from, 2, sides.data(), kept.data(), 0, made); });
  if (grid != MPI_COMM_NULL)  // of an odd number of ranks one is left over
    use(made_by([&](MPI_Comm* made) { return MPI_Cart_sub(grid, kept.data(), made); }));
  use(grid);
  const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks, one = 1;
  use(made_by([&](MPI_Comm* made) {
    return MPI_Dist_graph_create_adjacent(from, 1, &before, MPI_UNWEIGHTED, 1, &next, MPI_UNWEIGHTED,
                                          MPI_INFO_NULL, 0, made);
  }));
  use(made_by([&](MPI_Comm* made) {
    return MPI_Dist_graph_create(from, 1, &rank, &one, &next, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, made);
  }));
  std::vector<int> ends, edges;
  for (int of = 0; of < ranks; ++of) {
    edges.push_back((of + 1) % ranks);
    ends.push_back(of + 1);
  }
  use(made_by(
      [&](MPI_Comm* made) { return MPI_Graph_create(from, ranks, ends.data(), edges.data(), none, made); }));
}

void across_groups(MPI_Comm from) {
  const int parity = rank_in(from) % 2;
  MPI_Comm half = made_by([&](MPI_Comm* made) { return MPI_Comm_split(from, parity, 0, made); });
  MPI_Comm both =
      made_by([&](MPI_Comm* made) { return MPI_Intercomm_create(half, 0, from, 1 - parity, 5, made); });
  use(made_by([&](MPI_Comm* made) { return MPI_Intercomm_merge(both, parity, made); }));
  MPI_Comm again = made_by([&](MPI_Comm* made) { return MPI_Comm_dup(both, made); });
  MPI_Comm_free(&again);
  MPI_Comm_free(&both);
  use(half);
}

void in_every_way(MPI_Comm from) {
  const int rank = rank_in(from);
  use(made_by([&](MPI_Comm* made) { return MPI_Comm_dup(from, made); }));
  use(made_by([&](MPI_Comm* made) { return MPI_Comm_dup_with_info(from, MPI_INFO_NULL, made); }));
  use(made_by([&](MPI_Comm* made) { return MPI_Comm_split(from, 0, -rank, made); }));
  use(made_by(
      [&](MPI_Comm* made) { return MPI_Comm_split(from, rank == 0 ? MPI_UNDEFINED : rank % 2, 0, made); }));
  use(made_by([&](MPI_Comm* made) {
    return MPI_Comm_split_type(from, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, made);
  }));
  of_groups(from);
  with_neighbors(from);
  across_groups(from);
}

// A duplicate whose making waits for nobody is ready once a blocking collective has come.
void duplicated_meanwhile() {
  MPI_Comm made;
  MPI_Request request;
  MPI_Comm_idup(MPI_COMM_WORLD, &made, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  calls(made, 1);
  MPI_Barrier(made);
  use(made);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view how = argc > 1 ? argv[1] : "";
  natively = how == "natively";
  int level = 0;
  MPI_Init_thread(&argc, &argv, how == "threads" ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  require(how != "threads" || level == MPI_THREAD_MULTIPLE, "threads may not call MPI at the same time");
  const int rank = rank_in(MPI_COMM_WORLD);
  calls(MPI_COMM_WORLD, 100);
  calls(MPI_COMM_SELF, 1);
  in_every_way(MPI_COMM_WORLD);
  MPI_Comm inner = made_by([&](MPI_Comm* made) { return MPI_Comm_dup(MPI_COMM_WORLD, made); });
  in_every_way(inner);
  MPI_Comm_free(&inner);
  if (how == "idup") duplicated_meanwhile();
  if (rank == 0) std::printf("at once: all right\n");
  MPI_Finalize();
  return 0;
}
