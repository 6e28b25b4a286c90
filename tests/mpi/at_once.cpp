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

// Duplicates whose making waits for nobody are ready when they are complete, however the program
// sees to that, and whatever it calls meanwhile.
constexpr int meanwhile = 6;  // Open MPI 4.1 may hang where its progress is called between two of them

struct Duplicates {
  std::array<MPI_Comm, meanwhile> made;
  std::array<MPI_Request, meanwhile> requests;
  std::array<MPI_Request, 3> beside;
  int one = 1, sum = 0, word = 7, heard = 0;

  explicit Duplicates(MPI_Comm from) {
    const int next = (rank_in(from) + 1) % ranks_of(from);
    int is_there = 0;
    for (std::size_t place = 0; place < meanwhile; ++place) {
      require(MPI_Comm_idup(from, &made[place], &requests[place]) == MPI_SUCCESS, "a duplicate is not made");
      if (place == 0) {  // what natively calls no progress may not do so here
        MPI_Irecv(&heard, 1, MPI_INT, MPI_ANY_SOURCE, 12, from, &beside[2]);
        MPI_Send(&one, 1, MPI_INT, next, 12, from);
        MPI_Iprobe(MPI_ANY_SOURCE, 13, from, &is_there, MPI_STATUS_IGNORE);
      }
      if (place == 1) MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, from, &beside[0]);
      if (place == 3) MPI_Ibcast(&word, 1, MPI_INT, 0, from, &beside[1]);
    }
  }
  void check(MPI_Comm from) {
    for (const MPI_Request request : requests)
      require(request == MPI_REQUEST_NULL, "a duplicate is not complete");
    MPI_Waitall(3, beside.data(), MPI_STATUSES_IGNORE);
    require(sum == ranks_of(from) && word == 7 && heard == 1, "a call beside duplicates is wrong");
  }
};

void duplicated_meanwhile(MPI_Comm from) {
  for (int how = 0; how < 8; ++how) {
    Duplicates all(from);
    std::array<int, meanwhile> places;
    std::array<MPI_Status, meanwhile> statuses;
    int done = 0, place = 0;
    for (int left = meanwhile; left > 0; left -= done) switch (how) {
        case 0:
          MPI_Wait(&all.requests[static_cast<std::size_t>(left - 1)], statuses.data()), done = 1;
          break;
        case 1:
          MPI_Waitall(meanwhile, all.requests.data(), statuses.data()), done = left;
          break;
        case 2:
          MPI_Waitany(meanwhile, all.requests.data(), &place, statuses.data()), done = 1;
          break;
        case 3:
          MPI_Waitsome(meanwhile, all.requests.data(), &done, places.data(), statuses.data());
          break;
        case 4:
          MPI_Test(&all.requests[static_cast<std::size_t>(left - 1)], &done, MPI_STATUS_IGNORE);
          break;
        case 5:
          MPI_Testall(meanwhile, all.requests.data(), &done, MPI_STATUSES_IGNORE), done *= left;
          break;
        case 6:
          MPI_Testany(meanwhile, all.requests.data(), &place, &done, MPI_STATUS_IGNORE);
          break;
        default:
          MPI_Testsome(meanwhile, all.requests.data(), &done, places.data(), MPI_STATUSES_IGNORE);
      }
    all.check(from);
    // Communicators that are made of it meanwhile have contexts of their own.
    if (how == 0) use(made_by([&](MPI_Comm* made) { return MPI_Comm_dup(from, made); }));
    for (const MPI_Comm one : all.made) use(one);
  }
}

int copied = 0, deleted = 0;
int copy(MPI_Comm, int, void*, void* value, void* copy, int* is_copied) {
  *static_cast<void**>(copy) = value;
  *is_copied = 1;
  ++copied;
  return MPI_SUCCESS;
}
int drop(MPI_Comm, int, void*, void*) {
  ++deleted;
  return MPI_SUCCESS;
}

MPI_Comm duplicate(MPI_Comm from) {
  MPI_Comm made;
  MPI_Request request;
  MPI_Comm_idup(from, &made, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return made;
}

void duplicates_live_on(MPI_Comm from) {
  MPI_Comm first = duplicate(from), second = duplicate(first);
  MPI_Comm_free(&first);
  // The one of which it is made goes while it is made; collectives that block come between.
  MPI_Comm third;
  MPI_Request request;
  MPI_Comm_idup(second, &third, &request);
  MPI_Barrier(second);
  MPI_Comm_free(&second);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  int key = MPI_KEYVAL_INVALID, found = 0;
  void* value = nullptr;
  copied = deleted = 0;
  MPI_Comm_create_keyval(copy, drop, &key, nullptr);
  MPI_Comm_set_attr(third, key, &key);
  MPI_Comm fourth = duplicate(third);
  MPI_Comm_get_attr(fourth, key, &value, &found);
  require(found && value == &key && copied == 1, "an attribute is not copied");
  use(third);
  use(fourth);
  require(deleted == 2, "an attribute is not deleted");
  MPI_Comm_free_keyval(&key);
}

// Nothing serves such communicators: they are made, and that is all.
void native_duplicates(MPI_Comm from) {
  MPI_Comm half = made_by([&](MPI_Comm* made) { return MPI_Comm_split(from, rank_in(from) % 2, 0, made); });
  MPI_Comm both = made_by(
      [&](MPI_Comm* made) { return MPI_Intercomm_create(half, 0, from, 1 - rank_in(from) % 2, 5, made); });
  for (MPI_Comm one : {duplicate(both), duplicate(MPI_COMM_SELF)}) {
    MPI_Barrier(one);
    MPI_Comm_free(&one);
  }
  MPI_Comm_free(&both);
  use(duplicate(half));
  MPI_Comm_free(&half);
}

void duplicated(MPI_Comm from) {
  duplicated_meanwhile(from);
  duplicates_live_on(from);
  native_duplicates(from);
#if MPI_VERSION >= 4
  MPI_Comm made;
  MPI_Request request;
  MPI_Comm_idup_with_info(from, MPI_INFO_NULL, &made, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  use(made);
#endif
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
  if (how == "idup") {
    duplicated(MPI_COMM_WORLD);
    inner = made_by([&](MPI_Comm* made) { return MPI_Comm_split(MPI_COMM_WORLD, rank / 2, -rank, made); });
    duplicated_meanwhile(inner);
    MPI_Comm_free(&inner);
  }
  if (rank == 0) std::printf("at once: all right\n");
  MPI_Finalize();
  return 0;
}
