#pragma once

#include <algorithm>
#include <numeric>

#include "programs/checking/crowd.hpp"
#include "programs/checking/plans.hpp"
#include "programs/checking/support.hpp"
#include "programs/checking/types.hpp"

namespace checking {

/// What random calls are made with, and how their results are compared. All ranks draw the same.
class Draws {
 public:
  Draws(unsigned seed, const Plans& plans) : random_(seed), plans_(plans) {
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank_);
    make_types();
    make_ops();
    make_comms();
  }

 protected:
  std::size_t draw(std::size_t n) { return random_() % n; }
  int draw_rank() { return static_cast<int>(draw(static_cast<std::size_t>(ranks_))); }
  bool draw_in_place() { return draw(3) == 0; }

  int draw_count(int most = 20000) {
    if (first_calls_) return std::min(most, 100);
    const int some[] = {0, 1, 2, ranks_ - 1, ranks_, ranks_ + 1, 2 * ranks_ + 1, 17, 100, 1000, 3001};
    return std::min(most, draw(20) == 0 ? 20000 : some[draw(std::size(some))]);
  }

  // A count for each rank, some of them zero, the same numbers on all ranks.
  Numbers draw_counts(unsigned seed, int most = 40) {
    std::mt19937 random(seed);
    Numbers counts = numbers(ranks_);
    for (int r = 0; r < ranks_; ++r)
      counts[static_cast<std::size_t>(r)] = first_calls_ ? 10 + r
                                            : random() % 3 == 0
                                                ? 0
                                                : static_cast<int>(random() % static_cast<unsigned>(most));
    return counts;
  }

  // Places for counts in any order, with gaps between, and how many elements that spans.
  Numbers place(const Numbers& counts, unsigned seed, std::size_t& span) {
    std::mt19937 random(seed);
    std::vector<std::size_t> order(static_cast<std::size_t>(ranks_));
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (random() % 2 == 0) std::shuffle(order.begin(), order.end(), random);
    const bool gaps = random() % 2 == 0;
    Numbers displacements = numbers(ranks_);
    int at = 0;
    for (const std::size_t r : order) {
      displacements[r] = at;
      at += counts[r] + (gaps ? static_cast<int>(random() % 3) : 0);
    }
    span = static_cast<std::size_t>(at);
    return displacements;
  }

  // The type that a rank sends: sometimes three ints at a time what others take one by one.
  struct Pair {
    const Type& send;
    const Type& receive;
    int per_send;  // elements received for each one sent
  };
  Pair draw_types() {
    if (draw(4) == 0) return {types_[three_ints], types_[0], 3};
    const Type& type = types_[draw(types_.size())];
    return {type, type, 1};
  }

  // Calls the oracle and what is tested.
  template <typename Oracle, typename Entries, typename Invoke>
  void both(Memory& expected, Memory& tested, Oracle oracle, Entries entries, Invoke invoke) {
    invoke(oracle, expected.address());
    test(tested, entries, [&](auto call) { invoke(call, tested.address()); });
  }

  // Calls what is tested by one of its entry points: what returns at once beside others, what can
  // be started again a second time if wanted, on memory as it was before.
  template <typename Entries, typename Invoke>
  void test([[maybe_unused]] Memory& tested, Entries entries, Invoke invoke) {
    Widened arrays;
    const auto widened = [&](auto entry) {
      return [&arrays, entry](auto... arguments) { return entry(arrays, arguments...); };
    };
    if (mode_ == Mode::blocking) return large_ ? invoke(widened(entries.large)) : invoke(entries.usual);
    if (mode_ == Mode::nonblocking)
      return beside_others([&](MPI_Request* request) {
        const auto started = [request](auto entry) {
          return [request, entry](auto... arguments) { return entry(arguments..., RequestPlace{request}); };
        };
        large_ ? invoke(started(widened(entries.large_nonblocking))) : invoke(started(entries.nonblocking));
      });
#ifdef TUTTI_PERSISTENT_COLLECTIVES
    const Bytes before = tested.bytes;
    MPI_Request made = MPI_REQUEST_NULL;
    const auto init = [&made](auto entry) {
      return [&made, entry](auto... arguments) {
        return entry(arguments..., MPI_INFO_NULL, RequestPlace{&made});
      };
    };
    large_ ? invoke(init(widened(entries.large_persistent))) : invoke(init(entries.persistent));
    beside_others([&](MPI_Request* request) {
      MPI_Start(&made);
      *request = made;
    });
    if (restarts_ && ranks_ > 1) {  // on one rank it is the library alone
      std::copy(before.begin(), before.end(), tested.bytes.begin());
      MPI_Startall(1, &made);
      MPI_Wait(&made, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&made);
#endif
  }

  template <typename Start>
  void beside_others(Start start) {
    Crowd crowd(comm_, accesses_, shared_seed_, own_seed_);
    crowd.start(false);
    MPI_Request request = MPI_REQUEST_NULL;
    start(&request);
    crowd.start(true);
    crowd.complete(request, mode_ == Mode::persistent);
    if (const std::string difference = crowd.difference(); !difference.empty()) fail(difference);
  }

  void expect_same(const Memory& tested, const Memory& expected, const std::string& what) {
    for (std::size_t i = 0; i < tested.bytes.size() && failure_.empty(); ++i)
      if (tested.bytes[i] != expected.bytes[i])
        fail(what + ": byte " + std::to_string(i) + " of " + std::to_string(tested.bytes.size()) +
             " differs");
  }
  void expect_untouched(const Memory& input, const Bytes& before, const char* operation) {
    if (input.bytes != before) fail(std::string(operation) + " wrote its input");
  }
  void fail(const std::string& what) {
    if (failure_.empty())
      failure_ = what + ", rank " + std::to_string(rank_) + " of " + std::to_string(ranks_);
  }

  static std::size_t size(int count) {
    return static_cast<std::size_t>(count);
  }

  // What calls are made with.

  void make_types() {
    types_ = all_types();
    MPI_Datatype t;
    MPI_Type_contiguous(4, MPI_UNSIGNED, &t);
    reduced_.emplace_back("four unsigned", t, true);
    MPI_Type_create_resized(reduced_[0].handle, 0, 24, &t);
    reduced_.emplace_back("four unsigned with a gap", t, true);
  }

  void make_ops() {
    MPI_Op op;
    MPI_Op_create(xor_words, 1, &op);
    user_ops_.push_back({"xor", op});
    MPI_Op_create(multiply, 0, &op);
    user_ops_.push_back({"multiply (does not commute)", op});
  }

  void make_comms() {
    MPI_Comm comm;
    comms_.push_back(MPI_COMM_WORLD);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    comms_.push_back(comm);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank_, &comm);  // the ranks the other way round
    comms_.push_back(comm);
    MPI_Comm_split(MPI_COMM_WORLD, world_rank_ % 2, world_rank_, &comm);
    comms_.push_back(comm);
    MPI_Comm_split(MPI_COMM_WORLD, world_rank_ == 0 ? MPI_UNDEFINED : 0, world_rank_, &comm);
    comms_.push_back(comm);
    comms_.push_back(MPI_COMM_SELF);
    for (const MPI_Comm made : comms_)
      if (made != MPI_COMM_NULL) plans_.choose_for(made);
  }

  void free_all() {
    for (std::size_t i = 1; i + 1 < comms_.size(); ++i)
      if (comms_[i] != MPI_COMM_NULL) MPI_Comm_free(&comms_[i]);
    for (auto* list : {&types_, &reduced_})
      for (Type& type : *list)
        if (type.owned) MPI_Type_free(&type.handle);
    for (Op& op : user_ops_) MPI_Op_free(&op.handle);
  }

  std::mt19937 random_;
  const Plans& plans_;
  int world_rank_ = 0;
  bool restarts_ = false;
  std::vector<Type> types_, reduced_;
  std::vector<Op> user_ops_;
  std::vector<MPI_Comm> comms_;
  Accesses accesses_;
  std::string failure_;

  // What the call under way is made with.
  bool first_calls_ = false, large_ = false;
  Mode mode_ = Mode::blocking;
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, ranks_ = 0;
  unsigned shared_seed_ = 0, own_seed_ = 0;  // the same on all ranks; another one on each
};

}  // namespace checking
