// Draws random collective calls and compares every result with an oracle: for data that are moved the MPI
// library's own operation (differential_support.hpp), for reductions a computation by hand. Data and
// integers have to be equal bit for bit, gaps included; floating-point sums within the bound of reordering,
// and those of an allreduce the same bits on all ranks.
//
// Usage: differential CALLS SEED. All ranks draw the same calls. Exit status 1 and a line for the first
// difference.

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <utility>

#include "differential_support.hpp"

namespace differential {
namespace {

class Differential {
 public:
  Differential(int calls, unsigned seed) : calls_(calls), seed_(seed), random_(seed) {
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank_);
    make_types();
    make_ops();
    make_comms();
  }

  int run() {
    for (call_ = 0; call_ < calls_ && failure_.empty(); ++call_) {
      // Every rank draws the same, also what only some of them use. One call of each kind on all ranks comes
      // first, so that a plan has something to do however few calls there are.
      const auto call = static_cast<std::size_t>(call_);
      first_calls_ = call < std::size(kinds);
      const std::size_t comm = first_calls_ ? 0 : draw(comms_.size());
      const std::size_t kind = first_calls_ ? call : draw(std::size(kinds));
      const auto data_seed = static_cast<unsigned>(random_());
      const std::mt19937 before = random_;
      if (comms_[comm] != MPI_COMM_NULL) {
        comm_ = comms_[comm];
        MPI_Comm_size(comm_, &ranks_);
        MPI_Comm_rank(comm_, &rank_);
        shared_seed_ = data_seed;
        own_seed_ = data_seed + static_cast<unsigned>(rank_) * 7919;
        large_ = draw(4) == 0;
        (this->*kinds[kind])();
      }
      random_ = before;
      random_.discard(64);
      if (anyone_failed()) return 1;
    }
    free_all();
    return 0;
  }

 private:
  // Drawing and comparing.

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

  // Places for them in any order, with gaps between, and how many elements that spans.
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
    if (draw(4) == 0) return {types_[contiguous], types_[0], 3};
    const Type& type = types_[draw(types_.size())];
    return {type, type, 1};
  }

  // Calls the oracle and, by one of its entry points, what is tested.
  template <typename Oracle, typename Small, typename Large, typename Invoke>
  void both(Memory& expected, Memory& tested, Oracle oracle, Small small, Large large, Invoke invoke) {
    invoke(oracle, expected.address());
    if (large_)
      invoke(large, tested.address());
    else
      invoke(small, tested.address());
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

  bool anyone_failed() {
    int bad = !failure_.empty(), any = 0;
    TUTTI_ORACLE(Allreduce, Iallreduce)(&bad, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (bad)
      std::fprintf(stderr, "differential: seed %u, call %d, world rank %d: %s\n", seed_, call_, world_rank_,
                   failure_.c_str());
    return any != 0;
  }

  static std::size_t size(int count) { return static_cast<std::size_t>(count); }

  // The operations that move data.

  void barrier() { MPI_Barrier(comm_); }

  void bcast() {
    const int root = draw_rank(), count = draw_count();
    const auto [send, receive, per_send] = draw_types();
    const Type& type = rank_ == root ? send : receive;
    const int own_count = rank_ == root ? count : count * per_send;
    Memory tested(type, size(own_count), own_seed_), expected = tested;
    both(expected, tested, TUTTI_ORACLE(Bcast, Ibcast), TUTTI_TESTED(Bcast),
         [&](auto call, void* buffer) { call(buffer, own_count, type.handle, root, comm_); });
    expect_same(tested, expected, "bcast of " + std::to_string(count) + " " + type.name);
  }

  void gather() {
    const int root = draw_rank(), count = draw_count(3001);
    const auto [send, receive, per_send] = draw_types();
    const bool in_place = draw_in_place();
    const int receives = count * per_send;
    Memory given(send, size(count), own_seed_);
    Memory tested(receive, size(receives) * size(ranks_), own_seed_ + 1), expected = tested;
    const Bytes before = given.bytes;
    both(expected, tested, TUTTI_ORACLE(Gather, Igather), TUTTI_TESTED(Gather), [&](auto call, void* out) {
      call(in_place && rank_ == root ? MPI_IN_PLACE : given.address(), count, send.handle, out, receives,
           receive.handle, root, comm_);
    });
    expect_same(tested, expected, "gather of " + std::to_string(count) + " " + send.name);
    expect_untouched(given, before, "gather");
  }

  void gatherv() {
    const int root = draw_rank();
    const auto [send, receive, per_send] = draw_types();
    const bool in_place = draw_in_place();
    const Numbers counts = draw_counts(shared_seed_);
    Numbers receives = counts;
    for (int& n : receives) n *= per_send;
    std::size_t span = 0;
    const Numbers displacements = place(receives, shared_seed_ + 1, span);
    const int count = counts[size(rank_)];
    Memory given(send, size(count), own_seed_);
    Memory tested(receive, span, own_seed_ + 1), expected = tested;
    both(expected, tested, TUTTI_ORACLE(Gatherv, Igatherv), TUTTI_TESTED(Gatherv), [&](auto call, void* out) {
      call(in_place && rank_ == root ? MPI_IN_PLACE : given.address(), count, send.handle, out,
           receives.data(), displacements.data(), receive.handle, root, comm_);
    });
    expect_same(tested, expected, "gatherv of " + std::to_string(count) + " " + send.name);
  }

  void scatter() {
    const int root = draw_rank(), count = draw_count(3001);
    const auto [send, receive, per_send] = draw_types();
    const bool in_place = draw_in_place();
    Memory given(send, size(count) * size(ranks_), own_seed_);
    Memory tested(receive, size(count * per_send), own_seed_ + 1), expected = tested;
    const Bytes before = given.bytes;
    both(expected, tested, TUTTI_ORACLE(Scatter, Iscatter), TUTTI_TESTED(Scatter), [&](auto call, void* out) {
      call(given.address(), count, send.handle, in_place && rank_ == root ? MPI_IN_PLACE : out,
           count * per_send, receive.handle, root, comm_);
    });
    expect_same(tested, expected, "scatter of " + std::to_string(count) + " " + send.name);
    expect_untouched(given, before, "scatter");
  }

  void scatterv() {
    const int root = draw_rank();
    const auto [send, receive, per_send] = draw_types();
    const bool in_place = draw_in_place();
    const Numbers counts = draw_counts(shared_seed_);
    std::size_t span = 0;
    const Numbers displacements = place(counts, shared_seed_ + 1, span);
    const int count = counts[size(rank_)] * per_send;
    Memory given(send, span, own_seed_);
    Memory tested(receive, size(count), own_seed_ + 1), expected = tested;
    const Bytes before = given.bytes;
    both(expected, tested, TUTTI_ORACLE(Scatterv, Iscatterv), TUTTI_TESTED(Scatterv),
         [&](auto call, void* out) {
           call(given.address(), counts.data(), displacements.data(), send.handle,
                in_place && rank_ == root ? MPI_IN_PLACE : out, count, receive.handle, root, comm_);
         });
    expect_same(tested, expected, "scatterv of " + std::to_string(count) + " " + receive.name);
    expect_untouched(given, before, "scatterv");
  }

  void allgather() {
    const int count = draw_count(3001);
    const auto [send, receive, per_send] = draw_types();
    const bool in_place = draw_in_place();
    Memory given(send, size(count), own_seed_);
    Memory tested(receive, size(count * per_send) * size(ranks_), own_seed_ + 1), expected = tested;
    const Bytes before = given.bytes;
    both(expected, tested, TUTTI_ORACLE(Allgather, Iallgather), TUTTI_TESTED(Allgather),
         [&](auto call, void* out) {
           call(in_place ? MPI_IN_PLACE : given.address(), count, send.handle, out, count * per_send,
                receive.handle, comm_);
         });
    expect_same(tested, expected, "allgather of " + std::to_string(count) + " " + send.name);
    expect_untouched(given, before, "allgather");
  }

  void allgatherv() {
    const auto [send, receive, per_send] = draw_types();
    const bool in_place = draw_in_place();
    const Numbers counts = draw_counts(shared_seed_);
    Numbers receives = counts;
    for (int& n : receives) n *= per_send;
    std::size_t span = 0;
    // Each rank may put the blocks elsewhere.
    const Numbers displacements = place(receives, own_seed_, span);
    const int count = counts[size(rank_)];
    Memory given(send, size(count), own_seed_);
    Memory tested(receive, span, own_seed_ + 1), expected = tested;
    both(expected, tested, TUTTI_ORACLE(Allgatherv, Iallgatherv), TUTTI_TESTED(Allgatherv),
         [&](auto call, void* out) {
           call(in_place ? MPI_IN_PLACE : given.address(), count, send.handle, out, receives.data(),
                displacements.data(), receive.handle, comm_);
         });
    expect_same(tested, expected, "allgatherv of " + std::to_string(count) + " " + send.name);
  }

  void alltoall() {
    const int count = draw_count(1000);
    const auto [send, receive, per_send] = draw_types();
    const bool in_place = draw_in_place();
    Memory given(send, size(count) * size(ranks_), own_seed_);
    Memory tested(receive, size(count * per_send) * size(ranks_), own_seed_ + 1), expected = tested;
    const Bytes before = given.bytes;
    both(expected, tested, TUTTI_ORACLE(Alltoall, Ialltoall), TUTTI_TESTED(Alltoall),
         [&](auto call, void* out) {
           call(in_place ? MPI_IN_PLACE : given.address(), count, send.handle, out, count * per_send,
                receive.handle, comm_);
         });
    expect_same(tested, expected, "alltoall of " + std::to_string(count) + " " + send.name);
    expect_untouched(given, before, "alltoall");
  }

  // What rank i sends to rank j all ranks draw. In place both send each other as much.
  int count_between(int from, int to, bool symmetric) const {
    if (symmetric && from > to) std::swap(from, to);
    std::mt19937 random(shared_seed_ + static_cast<unsigned>(from * 131 + to));
    random.discard(1);
    return first_calls_ ? 3 + from + to : random() % 3 == 0 ? 0 : static_cast<int>(random() % 30);
  }

  void alltoallv() {
    const auto [send, receive, per_send] = draw_types();
    bool in_place = draw_in_place();
#ifdef SMPI_H
    if (ranks_ == 1) in_place = false;  // native, and wrong in SimGrid 3.32 for types with gaps
#endif
    Numbers sends = numbers(ranks_), receives = numbers(ranks_);
    for (int r = 0; r < ranks_; ++r) {
      sends[size(r)] = count_between(rank_, r, in_place);
      receives[size(r)] = count_between(r, rank_, in_place) * per_send;
    }
    std::size_t send_span = 0, receive_span = 0;
    const Numbers from = place(sends, own_seed_ + 2, send_span),
                  to = place(receives, own_seed_ + 3, receive_span);
    Memory given(send, send_span, own_seed_);
    Memory tested(receive, receive_span, own_seed_ + 1), expected = tested;
    // A nonblocking one in place was seen not to end (Open MPI 4.1, two ranks, some counts zero): the
    // oracle gets a copy to send from.
    Memory copy = tested;
    both(expected, tested, TUTTI_ORACLE(Alltoallv, Ialltoallv), TUTTI_TESTED(Alltoallv),
         [&](auto call, void* out) {
           const bool is_oracle = out == expected.address();
           if (!in_place)
             call(given.address(), sends.data(), from.data(), send.handle, out, receives.data(), to.data(),
                  receive.handle, comm_);
           else if (is_oracle)
             call(copy.address(), receives.data(), to.data(), receive.handle, out, receives.data(), to.data(),
                  receive.handle, comm_);
           else
             call(MPI_IN_PLACE, receives.data(), to.data(), receive.handle, out, receives.data(), to.data(),
                  receive.handle, comm_);
         });
    expect_same(tested, expected, "alltoallv of " + send.name);
  }

  // The operations that reduce.

  // Elements to reduce, an operation for them, and how results are compared.
  struct Reduction {
    Type type;
    Op op;
    enum { bits, pairs, doubles, floats } compare;
  };
  Reduction draw_reduction(bool scattered = false) {
    const std::size_t which = first_calls_ ? 0 : draw(6);
    const Op ops[] = {{"sum", MPI_SUM}, {"max", MPI_MAX}, {"bxor", MPI_BXOR}, {"prod", MPI_PROD}};
    const Op locs[] = {{"minloc", MPI_MINLOC}, {"maxloc", MPI_MAXLOC}};
    const std::size_t op = draw(4);
    std::size_t type = draw(2);
#ifdef MPICH_VERSION
    if (scattered) type = 0;  // MPICH 4.0 takes the size for the extent where the operation does not commute
#else
    static_cast<void>(scattered);
#endif
    switch (which) {
      case 0:
        return {Type("int", MPI_INT, false), ops[op], Reduction::bits};
      case 1:
        return {Type("double_int", MPI_DOUBLE_INT, false), locs[op % 2], Reduction::pairs};
      case 2:
        return {Type("double", MPI_DOUBLE, false), ops[0], Reduction::doubles};
      case 3:
        return {Type("float", MPI_FLOAT, false), ops[0], Reduction::floats};
      default:
        return {Type(reduced_[type].name, reduced_[type].handle, false), user_ops_[op % user_ops_.size()],
                Reduction::bits};
    }
  }

  template <typename T, typename Value>
  static void fill(Memory& memory, std::size_t count, unsigned seed, Value value) {
    std::mt19937 random(seed);
    for (std::size_t i = 0; i < count; ++i) {
      const T v = value(random);
      std::memcpy(memory.bytes.data() + memory.shift + static_cast<std::ptrdiff_t>(i * sizeof(T)), &v,
                  sizeof v);
    }
  }

  struct ValueAndPlace {
    double value;
    int index;
    int unused;
  };

  Memory draw_input(const Reduction& r, std::size_t count) {
    Memory input(r.type, count, own_seed_);
    const auto fraction = [](auto& random) { return std::ldexp(static_cast<double>(random()), -32) - 0.5; };
    if (r.compare == Reduction::pairs)
      fill<ValueAndPlace>(input, count, own_seed_, [](auto& random) {
        return ValueAndPlace{static_cast<double>(random() % 5), static_cast<int>(random() % 100), 0};
      });
    else if (r.compare == Reduction::doubles)
      fill<double>(input, count, own_seed_, fraction);
    else if (r.compare == Reduction::floats)
      fill<float>(input, count, own_seed_,
                  [&](auto& random) { return static_cast<float>(fraction(random)); });
    else if (r.type.name == "int")
      fill<int>(input, count, own_seed_, [](auto& random) { return static_cast<int>(random() % 1000); });
    return input;
  }

  // Any order of p summands is within about p·ε of the sum of their sizes; all are below 1 in size.
  template <typename T>
  void expect_near(Memory& tested, Memory& expected, std::size_t count, const std::string& what) {
    const double bound = 2.0 * ranks_ * ranks_ * static_cast<double>(std::numeric_limits<T>::epsilon());
    for (std::size_t i = 0; i < count; ++i) {
      T mine, reference;
      std::memcpy(&mine, static_cast<char*>(tested.address()) + i * sizeof(T), sizeof(T));
      std::memcpy(&reference, static_cast<char*>(expected.address()) + i * sizeof(T), sizeof(T));
      if (!(std::abs(static_cast<double>(mine) - static_cast<double>(reference)) <= bound))
        return fail(what + ": element " + std::to_string(i) + " of " + std::to_string(count) + " differs");
    }
  }

  // Compares the first `count` elements and, where only they may change, all memory.
  void compare(const Reduction& r, Memory& tested, Memory& expected, std::size_t count, const char* operation,
               bool rest_too) {
    const std::string what =
        operation + (" of " + std::to_string(count)) + " " + r.type.name + " by " + r.op.name;
    if (r.compare == Reduction::doubles) return expect_near<double>(tested, expected, count, what);
    if (r.compare == Reduction::floats) return expect_near<float>(tested, expected, count, what);
    const std::size_t compared = r.compare == Reduction::pairs ? 12 : static_cast<std::size_t>(r.type.extent);
    if (r.compare == Reduction::bits && rest_too) return expect_same(tested, expected, what);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = i * static_cast<std::size_t>(r.type.extent);
      const std::size_t bytes = i + 1 < count ? compared : std::min(compared, r.type.span(1));
      if (std::memcmp(static_cast<char*>(tested.address()) + at, static_cast<char*>(expected.address()) + at,
                      bytes) != 0)
        return fail(what + ": element " + std::to_string(i) + " differs");
    }
  }

  // What a rank ends up with: elements [first, first + count) of the vector, combined from the first ranks.
  struct Result {
    std::size_t first, count;
    int contributors;
  };

  // The oracle of reductions: everybody's input, combined one after the other in the order of ranks, in the
  // place of `memory`'s first elements. (Nonblocking reductions are not reliable: MPICH 4.0 overruns its own
  // buffers in reduce_scatter_block, SimGrid 3.32 mistakes the order in scan.)
  void combine(const Reduction& r, const Memory& input, const Result& result, Memory& memory) {
    const std::size_t bytes = input.bytes.size();
    Bytes all(bytes * size(ranks_));
    TUTTI_ORACLE(Allgather, Iallgather)
    (input.bytes.data(), static_cast<int>(bytes), MPI_BYTE, all.data(), static_cast<int>(bytes), MPI_BYTE,
     comm_);
    if (result.count == 0 || result.contributors == 0) return;
    const auto of = [&](int rank) {
      return all.data() + size(rank) * bytes + input.shift +
             static_cast<std::ptrdiff_t>(result.first) * r.type.extent;
    };
    const auto count = static_cast<int>(result.count);
    unsigned char* total = of(result.contributors - 1);
    for (int rank = result.contributors - 1; rank-- > 0;)
      MPI_Reduce_local(of(rank), total, count, r.type.handle, r.op.handle);
    // Only the data, not the gaps.
    int packed = 0, position = 0;
    MPI_Pack_size(count, r.type.handle, comm_, &packed);
    Bytes data(size(packed));
    MPI_Pack(total, count, r.type.handle, data.data(), packed, &position, comm_);
    packed = std::exchange(position, 0);
    MPI_Unpack(data.data(), packed, &position, memory.address(), count, r.type.handle, comm_);
  }

  // A reduction of `count` elements.
  template <typename Small, typename Large, typename Invoke>
  void reduction(const char* operation, const Reduction& r, std::size_t count, const Result& result,
                 bool in_place, Small small, Large large, Invoke invoke) {
    Memory given = draw_input(r, count);
    Memory tested = in_place ? given : Memory(r.type, count, 2), expected = tested;
    const Bytes before = given.bytes;
    combine(r, given, result, expected);
    const void* input = in_place ? MPI_IN_PLACE : given.address();
    if (large_)
      invoke(large, input, tested.address());
    else
      invoke(small, input, tested.address());
    if (result.count > 0 && result.contributors > 0)
      compare(r, tested, expected, result.count, operation, result.count == count);
    if (!in_place) expect_untouched(given, before, operation);
    if (std::string(operation) == "allreduce" && count > 0) expect_alike(r, tested, count);
  }

  // The same bits on all ranks, however the sum was formed.
  void expect_alike(const Reduction& r, Memory& tested, std::size_t count) {
    if (r.compare != Reduction::doubles && r.compare != Reduction::floats) return;
    Bytes first(count * static_cast<std::size_t>(r.type.extent));
    std::memcpy(first.data(), tested.address(), first.size());
    TUTTI_ORACLE(Bcast, Ibcast)(first.data(), static_cast<int>(first.size()), MPI_BYTE, 0, comm_);
    if (std::memcmp(first.data(), tested.address(), first.size()) != 0) fail("sums differ between ranks");
  }

  void reduce() {
    const Reduction r = draw_reduction();
    const int root = draw_rank(), count = draw_count();
#ifdef MPICH_VERSION
    const bool may_be_in_place = root == 0;  // MPICH 4.0 crashes with another root and more than 2 KB
#else
    const bool may_be_in_place = true;
#endif
    const bool in_place = draw_in_place() && rank_ == root && may_be_in_place;
    reduction("reduce", r, size(count), {0, rank_ == root ? size(count) : 0, ranks_}, in_place,
              TUTTI_TESTED(Reduce), [&](auto call, const void* in, void* out) {
                call(in, out, count, r.type.handle, r.op.handle, root, comm_);
              });
  }

  void allreduce() {
    const Reduction r = draw_reduction();
    const int count = draw_count();
    const bool in_place = draw_in_place();
    reduction("allreduce", r, size(count), {0, size(count), ranks_}, in_place, TUTTI_TESTED(Allreduce),
              [&](auto call, const void* in, void* out) {
                call(in, out, count, r.type.handle, r.op.handle, comm_);
              });
  }

  void reduce_scatter_block() {
    const Reduction r = draw_reduction(true);
    const int count = draw_count(1000);
    const bool in_place = draw_in_place();
    reduction("reduce_scatter_block", r, size(count) * size(ranks_),
              {size(count) * size(rank_), size(count), ranks_}, in_place, TUTTI_TESTED(Reduce_scatter_block),
              [&](auto call, const void* in, void* out) {
                call(in, out, count, r.type.handle, r.op.handle, comm_);
              });
  }

  void reduce_scatter() {
    const Reduction r = draw_reduction(true);
    const Numbers counts = draw_counts(shared_seed_, 200);
    const int total = std::accumulate(counts.begin(), counts.begin() + ranks_, 0);
    const int before = std::accumulate(counts.begin(), counts.begin() + rank_, 0);
    const bool in_place = draw_in_place();
    reduction("reduce_scatter", r, size(total), {size(before), size(counts[size(rank_)]), ranks_}, in_place,
              TUTTI_TESTED(Reduce_scatter), [&](auto call, const void* in, void* out) {
                call(in, out, counts.data(), r.type.handle, r.op.handle, comm_);
              });
  }

  void scan() {
    const Reduction r = draw_reduction();
    const int count = draw_count(3001);
    const bool in_place = draw_in_place();
    reduction("scan", r, size(count), {0, size(count), rank_ + 1}, in_place, TUTTI_TESTED(Scan),
              [&](auto call, const void* in, void* out) {
                call(in, out, count, r.type.handle, r.op.handle, comm_);
              });
  }

  void exscan() {
    const Reduction r = draw_reduction();
    const int count = draw_count(3001);
    const bool in_place = draw_in_place();
    reduction("exscan", r, size(count), {0, size(count), rank_}, in_place, TUTTI_TESTED(Exscan),
              [&](auto call, const void* in, void* out) {
                call(in, out, count, r.type.handle, r.op.handle, comm_);
              });
  }

  using Kind = void (Differential::*)();
  static constexpr Kind kinds[] = {&Differential::barrier,
                                   &Differential::bcast,
                                   &Differential::gather,
                                   &Differential::gatherv,
                                   &Differential::scatter,
                                   &Differential::scatterv,
                                   &Differential::allgather,
                                   &Differential::allgatherv,
                                   &Differential::alltoall,
                                   &Differential::alltoallv,
                                   &Differential::reduce,
                                   &Differential::allreduce,
                                   &Differential::reduce_scatter_block,
                                   &Differential::reduce_scatter,
                                   &Differential::scan,
                                   &Differential::exscan};

  // What calls are made with.

  static constexpr std::size_t contiguous = 2;  // in types_

  void make_types() {
    types_.emplace_back("int", MPI_INT, false);
    types_.emplace_back("char", MPI_CHAR, false);
    MPI_Datatype t;
    MPI_Type_contiguous(3, MPI_INT, &t);
    types_.emplace_back("contiguous", t, true);
    MPI_Type_vector(2, 2, 3, MPI_INT, &t);
    types_.emplace_back("vector", t, true);
#ifndef MPICH_VERSION  // MPICH 4.0 can't scatter it: "message truncated"
    types_.emplace_back("double_int", MPI_DOUBLE_INT, false);
#endif
#ifndef SMPI_H  // SimGrid 3.32 takes an element's extent for where its last block ends
    MPI_Datatype inner;
    MPI_Type_vector(3, 1, 2, MPI_SHORT, &inner);
    MPI_Type_create_resized(inner, -8, 24, &t);
    MPI_Type_free(&inner);
    types_.emplace_back("negative lower bound", t, true);
    const int lengths[2] = {1, 1};
    const MPI_Aint reversed[2] = {4, 0};
    MPI_Type_create_hindexed(2, lengths, reversed, MPI_INT, &t);
    types_.emplace_back("reversed", t, true);
#endif

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
  }

  void free_all() {
    for (std::size_t i = 1; i + 1 < comms_.size(); ++i)
      if (comms_[i] != MPI_COMM_NULL) MPI_Comm_free(&comms_[i]);
    for (auto* list : {&types_, &reduced_})
      for (Type& type : *list)
        if (type.owned) MPI_Type_free(&type.handle);
    for (Op& op : user_ops_) MPI_Op_free(&op.handle);
  }

  int calls_;
  unsigned seed_;
  std::mt19937 random_;
  int world_rank_ = 0;
  std::vector<Type> types_, reduced_;
  std::vector<Op> user_ops_;
  std::vector<MPI_Comm> comms_;
  std::string failure_;

  // Of the call under way:
  int call_ = 0;
  bool first_calls_ = false, large_ = false;
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, ranks_ = 0;
  unsigned shared_seed_ = 0, own_seed_ = 0;  // the same on all ranks; another one on each
};

}  // namespace
}  // namespace differential

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc != 3) return 2;
  const int status =
      differential::Differential(std::atoi(argv[1]), static_cast<unsigned>(std::atoi(argv[2]))).run();
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0 && status == 0) std::printf("differential: %s calls agree, seed %s\n", argv[1], argv[2]);
  MPI_Finalize();
  return status;
}
