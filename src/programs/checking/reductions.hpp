#pragma once

#include <cmath>
#include <limits>
#include <utility>

#include "programs/checking/movements.hpp"

namespace checking {

/// Calls of the operations that reduce, compared with a computation by hand.
class Reductions : public Movements {
 public:
  using Movements::Movements;

 protected:
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
    // MPICH 4.0 takes the size for the extent where the operation does not commute.
    if (scattered && runs_on("MPICH")) type = 0;
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

  // What a rank ends up with: elements [first, first + count) of the vector, combined from the
  // first ranks.
  struct Result {
    std::size_t first, count;
    int contributors;
  };

  // The oracle of reductions: everybody's input, combined one after the other in the order of
  // ranks, in the place of `memory`'s first elements. (Nonblocking reductions are not reliable:
  // MPICH 4.0 overruns its own buffers in reduce_scatter_block, SimGrid 3.32 mistakes the order in
  // scan.)
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
  template <typename Entries, typename Invoke>
  void reduction(const char* operation, const Reduction& r, std::size_t count, const Result& result,
                 bool in_place, Entries entries, Invoke invoke) {
    Memory given = draw_input(r, count);
    Memory tested = in_place ? given : Memory(r.type, count, 2), expected = tested;
    const Bytes before = given.bytes;
    combine(r, given, result, expected);
    const void* input = in_place ? MPI_IN_PLACE : given.address();
    test(tested, entries, [&](auto call) { invoke(call, input, tested.address()); });
    if (result.count > 0 && result.contributors > 0)
      compare(r, tested, expected, result.count, operation, result.count == count);
    if (!in_place) expect_untouched(given, before, operation);
    if (std::string(operation) == "allreduce" && count > 0) expect_alike(r, tested, count);
  }

  // Expects the same bits on all ranks, however the sum was formed.
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
    // MPICH 4.0 crashes with another root and more than 2 KB.
    const bool may_be_in_place = root == 0 || !runs_on("MPICH");
    const bool in_place = draw_in_place() && rank_ == root && may_be_in_place;
    reduction("reduce", r, size(count), {0, rank_ == root ? size(count) : 0, ranks_}, in_place,
              TUTTI_TESTED(Reduce, Ireduce), [&](auto call, const void* in, void* out) {
                call(in, out, count, r.type.handle, r.op.handle, root, comm_);
              });
  }

  void allreduce() {
    const Reduction r = draw_reduction();
    const int count = draw_count();
    const bool in_place = draw_in_place();
    reduction("allreduce", r, size(count), {0, size(count), ranks_}, in_place,
              TUTTI_TESTED(Allreduce, Iallreduce), [&](auto call, const void* in, void* out) {
                call(in, out, count, r.type.handle, r.op.handle, comm_);
              });
  }

  void reduce_scatter_block() {
    const Reduction r = draw_reduction(true);
    const int count = draw_count(1000);
    const bool in_place = draw_in_place();
    reduction("reduce_scatter_block", r, size(count) * size(ranks_),
              {size(count) * size(rank_), size(count), ranks_}, in_place,
              TUTTI_TESTED(Reduce_scatter_block, Ireduce_scatter_block),
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
              TUTTI_TESTED(Reduce_scatter, Ireduce_scatter), [&](auto call, const void* in, void* out) {
                call(in, out, counts.data(), r.type.handle, r.op.handle, comm_);
              });
  }

  void scan() {
    const Reduction r = draw_reduction();
    const int count = draw_count(3001);
    const bool in_place = draw_in_place();
    reduction("scan", r, size(count), {0, size(count), rank_ + 1}, in_place, TUTTI_TESTED(Scan, Iscan),
              [&](auto call, const void* in, void* out) {
                call(in, out, count, r.type.handle, r.op.handle, comm_);
              });
  }

  void exscan() {
    const Reduction r = draw_reduction();
    const int count = draw_count(3001);
    const bool in_place = draw_in_place();
    reduction("exscan", r, size(count), {0, size(count), rank_}, in_place, TUTTI_TESTED(Exscan, Iexscan),
              [&](auto call, const void* in, void* out) {
                call(in, out, count, r.type.handle, r.op.handle, comm_);
              });
  }
};

}  // namespace checking
