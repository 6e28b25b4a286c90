// Draws random collective calls and compares every result with an oracle that Tutti does not touch: the
// nonblocking operations of the MPI library, or in a simulation, where those are not reliable, the PMPI entry
// points. Data and integers have to be equal bit for bit, gaps included; floating-point sums within the bound
// of reordering, and the same bits on all ranks.
//
// Usage: differential CALLS SEED. All ranks draw the same calls. Exit status 1 and a line for the first
// difference.

#include <mpi.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace {

using Bytes = std::vector<unsigned char>;

namespace oracle {

#ifdef SMPI_H
constexpr auto bcast = PMPI_Bcast;
constexpr auto allgather = PMPI_Allgather;
constexpr auto allreduce = PMPI_Allreduce;
#else
template <typename Start, typename... Arguments>
void wait_for(Start start, Arguments... arguments) {
  MPI_Request request;
  start(arguments..., &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
template <typename... Arguments>
void bcast(Arguments... arguments) {
  wait_for(MPI_Ibcast, arguments...);
}
template <typename... Arguments>
void allgather(Arguments... arguments) {
  wait_for(MPI_Iallgather, arguments...);
}
template <typename... Arguments>
void allreduce(Arguments... arguments) {
  wait_for(MPI_Iallreduce, arguments...);
}
#endif

}  // namespace oracle

// A datatype with room for n elements of it around address 0.
struct Type {
  std::string name;
  MPI_Datatype handle;
  bool owned;
  MPI_Aint lb, extent, true_lb, true_extent;

  Type(std::string type_name, MPI_Datatype type, bool own)
      : name(std::move(type_name)), handle(type), owned(own) {
    if (own) MPI_Type_commit(&handle);
    MPI_Type_get_extent(handle, &lb, &extent);
    MPI_Type_get_true_extent(handle, &true_lb, &true_extent);
  }
  std::size_t span(std::size_t n) const {
    return n == 0 ? 0 : static_cast<std::size_t>(static_cast<MPI_Aint>(n - 1) * extent + true_extent);
  }
};

// Memory for n elements with canaries around, and the address MPI is given.
struct Memory {
  static constexpr std::size_t margin = 64;
  Bytes bytes;
  std::ptrdiff_t shift;
  Memory(const Type& type, std::size_t n, unsigned seed)
      : bytes(type.span(n) + 2 * margin), shift(margin - type.true_lb) {
    std::mt19937 random(seed);
    for (auto& b : bytes) b = static_cast<unsigned char>(random());
  }
  void* address() { return bytes.data() + shift; }
};

struct Op {
  std::string name;
  MPI_Op handle;
};

// 2x2 matrices of small numbers modulo a prime: products do not commute.
void multiply(void* in, void* inout, int* length, MPI_Datatype* type) {
  MPI_Aint lb = 0, extent = 0;
  MPI_Type_get_extent(*type, &lb, &extent);
  for (int i = 0; i < *length; ++i) {
    const auto* a = reinterpret_cast<unsigned*>(static_cast<char*>(in) + i * extent);
    auto* b = reinterpret_cast<unsigned*>(static_cast<char*>(inout) + i * extent);
    const unsigned p = 9973;
    const unsigned product[4] = {(a[0] % p * (b[0] % p) + a[1] % p * (b[2] % p)) % p,
                                 (a[0] % p * (b[1] % p) + a[1] % p * (b[3] % p)) % p,
                                 (a[2] % p * (b[0] % p) + a[3] % p * (b[2] % p)) % p,
                                 (a[2] % p * (b[1] % p) + a[3] % p * (b[3] % p)) % p};
    std::memcpy(b, product, sizeof product);
  }
}

void xor_words(void* in, void* inout, int* length, MPI_Datatype* type) {
  MPI_Aint lb = 0, extent = 0;
  MPI_Type_get_extent(*type, &lb, &extent);
  for (int i = 0; i < *length; ++i)
    for (int w = 0; w < 4; ++w)
      reinterpret_cast<unsigned*>(static_cast<char*>(inout) + i * extent)[w] ^=
          reinterpret_cast<unsigned*>(static_cast<char*>(in) + i * extent)[w];
}

class Differential {
 public:
  Differential(int calls, unsigned seed) : calls_(calls), seed_(seed), random_(seed) {
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank_);
    make_types();
    make_ops();
    make_comms();
  }

  int run() {
    for (int call = 0; call < calls_ && failure_.empty(); ++call) {
      // Every rank draws the same, also what only some of them use. One call of each kind on all ranks comes
      // first, so that a plan has something to do however few calls there are.
      first_calls_ = call < 3;
      const std::size_t comm = first_calls_ ? 0 : draw(comms_.size());
      const std::size_t kind = first_calls_ ? static_cast<std::size_t>(call) : draw(3);
      const unsigned data_seed = static_cast<unsigned>(random_());
      std::mt19937 before = random_;
      if (comms_[comm] != MPI_COMM_NULL) {
        int size = 0;
        MPI_Comm_size(comms_[comm], &size);
        one_call(kind, comms_[comm], size, data_seed);
      }
      random_ = before;
      random_.discard(64);
      int bad = !failure_.empty(), any = 0;
      oracle::allreduce(&bad, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
      if (any) {
        if (bad)
          std::fprintf(stderr, "differential: seed %u, call %d, world rank %d: %s\n", seed_, call,
                       world_rank_, failure_.c_str());
        return 1;
      }
    }
    free_all();
    return 0;
  }

 private:
  std::size_t draw(std::size_t n) { return random_() % n; }

  void make_types() {
    types_.emplace_back("int", MPI_INT, false);
    types_.emplace_back("char", MPI_CHAR, false);
    types_.emplace_back("double_int", MPI_DOUBLE_INT, false);
    MPI_Datatype t;
    MPI_Type_contiguous(3, MPI_INT, &t);
    types_.emplace_back("contiguous", t, true);
    MPI_Type_vector(2, 2, 3, MPI_INT, &t);
    types_.emplace_back("vector", t, true);
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

    reduced_.emplace_back("four unsigned", contiguous_words(), true);
    MPI_Type_create_resized(reduced_[0].handle, 0, 24, &t);
    reduced_.emplace_back("four unsigned with a gap", t, true);
  }

  static MPI_Datatype contiguous_words() {
    MPI_Datatype t;
    MPI_Type_contiguous(4, MPI_UNSIGNED, &t);
    return t;
  }

  void make_ops() {
    MPI_Op op;
    MPI_Op_create(multiply, 0, &op);
    user_ops_.push_back({"multiply (does not commute)", op});
    MPI_Op_create(xor_words, 1, &op);
    user_ops_.push_back({"xor", op});
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

  int draw_count(int ranks) {
    if (first_calls_) return 100;
    const int small[] = {0, 1, 2, ranks - 1, ranks, ranks + 1, 2 * ranks + 1, 17, 100, 1000, 3001};
    return draw(20) == 0 ? 20000 : small[draw(std::size(small))];
  }

  void one_call(std::size_t kind, MPI_Comm comm, int ranks, unsigned data_seed) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    const unsigned mine = data_seed + static_cast<unsigned>(rank) * 7919;
    switch (kind) {
      case 0:
        return bcast(comm, ranks, rank, mine);
      case 1:
        return allgather(comm, ranks, rank, mine);
      default:
        return draw(3) == 0 && !first_calls_ ? allreduce_user(comm, ranks, mine)
                                             : allreduce_predefined(comm, ranks, mine);
    }
  }

  void bcast(MPI_Comm comm, int ranks, int rank, unsigned seed) {
    const int root = static_cast<int>(draw(static_cast<std::size_t>(ranks)));
    const int count = draw_count(ranks);
    // Sometimes the root says the same with another type: as many ints, one by one or three at a time.
    if (draw(3) == 0) {
      const bool three = rank == root;
      const Type& type = three ? types_[3] : types_[0];
      return compare_bcast(type, three ? count : 3 * count, root, comm, seed);
    }
    compare_bcast(types_[draw(types_.size())], count, root, comm, seed);
  }

  void compare_bcast(const Type& type, int count, int root, MPI_Comm comm, unsigned seed) {
    Memory tested(type, static_cast<std::size_t>(count), seed), expected = tested;
    oracle::bcast(expected.address(), count, type.handle, root, comm);
    MPI_Bcast(tested.address(), count, type.handle, root, comm);
    expect_same(tested, expected,
                "bcast of " + std::to_string(count) + " " + type.name + " from " + std::to_string(root));
  }

  void allgather(MPI_Comm comm, int ranks, int rank, unsigned seed) {
    const int count = std::min(draw_count(ranks), 5000);
    const Type& type = types_[draw(types_.size())];
    const bool in_place = draw(3) == 0, other_type = type.name == "contiguous" && draw(2) == 0;
    const Type& sendtype = other_type ? types_[0] : type;
    const int sendcount = other_type ? 3 * count : count;
    Memory given(sendtype, static_cast<std::size_t>(sendcount), seed);
    Memory tested(type, static_cast<std::size_t>(count) * static_cast<std::size_t>(ranks), seed + 1),
        expected = tested;
    const void* sendbuf = in_place ? MPI_IN_PLACE : given.address();
    oracle::allgather(sendbuf, sendcount, sendtype.handle, expected.address(), count, type.handle, comm);
    const Bytes before = given.bytes;
    MPI_Allgather(sendbuf, sendcount, sendtype.handle, tested.address(), count, type.handle, comm);
    expect_same(tested, expected,
                "allgather of " + std::to_string(count) + " " + type.name + (in_place ? " in place" : "") +
                    " on rank " + std::to_string(rank));
    if (given.bytes != before) failure_ = "allgather wrote its input";
  }

  template <typename T>
  static void fill(Memory& memory, std::size_t count, unsigned seed,
                   const std::function<T(std::mt19937&)>& value) {
    std::mt19937 random(seed);
    for (std::size_t i = 0; i < count; ++i) {
      const T v = value(random);
      std::memcpy(memory.bytes.data() + memory.shift + static_cast<std::ptrdiff_t>(i * sizeof(T)), &v,
                  sizeof v);
    }
  }

  void reduce_both(Memory& given, Memory& tested, Memory& expected, int count, const Type& type, MPI_Op op,
                   MPI_Comm comm, bool in_place) {
    if (in_place) tested.bytes = expected.bytes = given.bytes;
    const void* sendbuf = in_place ? MPI_IN_PLACE : given.address();
    oracle::allreduce(sendbuf, expected.address(), count, type.handle, op, comm);
    const Bytes before = given.bytes;
    MPI_Allreduce(sendbuf, tested.address(), count, type.handle, op, comm);
    if (!in_place && given.bytes != before) failure_ = "allreduce wrote its input";
  }

  void allreduce_predefined(MPI_Comm comm, int ranks, unsigned seed) {
    const int count = draw_count(ranks);
    const auto n = static_cast<std::size_t>(count);
    const std::size_t which = draw(4);
    const bool in_place = draw(3) == 0;
    const Type type = which == 0   ? Type("int", MPI_INT, false)
                      : which == 1 ? Type("double_int", MPI_DOUBLE_INT, false)
                      : which == 2 ? Type("double", MPI_DOUBLE, false)
                                   : Type("float", MPI_FLOAT, false);
    Memory given(type, n, 1), tested(type, n, 2), expected(type, n, 2);
    if (which == 0) {
      const MPI_Op ops[] = {MPI_SUM, MPI_MAX, MPI_BXOR, MPI_PROD};
      fill<int>(given, n, seed, [](auto& random) { return static_cast<int>(random() % 1000); });
      reduce_both(given, tested, expected, count, type, ops[draw(4)], comm, in_place);
      return expect_same(tested, expected, "allreduce of " + std::to_string(count) + " int");
    }
    if (which == 1) {
      struct Pair {
        double value;
        int index;
        int unused;
      };
      fill<Pair>(given, n, seed, [](auto& random) {
        return Pair{static_cast<double>(random() % 5), static_cast<int>(random() % 100), 0};
      });
      reduce_both(given, tested, expected, count, type, draw(2) ? MPI_MINLOC : MPI_MAXLOC, comm, in_place);
      for (std::size_t i = 0; i < n; ++i)
        if (std::memcmp(static_cast<char*>(tested.address()) + 16 * i,
                        static_cast<char*>(expected.address()) + 16 * i, 12) != 0)
          failure_ = "minloc or maxloc differs at " + std::to_string(i) + " of " + std::to_string(count);
      return;
    }
    if (which == 2)
      floating<double>(given, tested, expected, count, type, comm, ranks, in_place, seed);
    else
      floating<float>(given, tested, expected, count, type, comm, ranks, in_place, seed);
  }

  // Any order of p summands is within about p·ε of the sum of their sizes; all are below 1 in size.
  template <typename T>
  void floating(Memory& given, Memory& tested, Memory& expected, int count, const Type& type, MPI_Comm comm,
                int ranks, bool in_place, unsigned seed) {
    const auto n = static_cast<std::size_t>(count);
    fill<T>(given, n, seed, [](auto& random) {
      return static_cast<T>(std::ldexp(static_cast<double>(random()), -32) - 0.5);
    });
    reduce_both(given, tested, expected, count, type, MPI_SUM, comm, in_place);
    std::vector<T> mine(n), reference(n);
    if (n > 0) {
      std::memcpy(mine.data(), tested.address(), n * sizeof(T));
      std::memcpy(reference.data(), expected.address(), n * sizeof(T));
    }
    const double bound = 2.0 * ranks * ranks * static_cast<double>(std::numeric_limits<T>::epsilon());
    for (std::size_t i = 0; i < n; ++i)
      if (!(std::abs(static_cast<double>(mine[i]) - static_cast<double>(reference[i])) <= bound))
        failure_ = "sum differs at " + std::to_string(i) + " of " + std::to_string(count) + " " + type.name;
    std::vector<T> first = mine;
    oracle::bcast(first.data(), count, type.handle, 0, comm);
    if (n > 0 && std::memcmp(first.data(), mine.data(), n * sizeof(T)) != 0)
      failure_ = "sums differ between ranks, " + std::to_string(count) + " " + type.name;
  }

  void allreduce_user(MPI_Comm comm, int ranks, unsigned seed) {
    const int count = std::min(draw_count(ranks), 3001);
    const Type& type = reduced_[draw(reduced_.size())];
    const Op& op = user_ops_[draw(user_ops_.size())];
    const bool in_place = draw(3) == 0;
    Memory given(type, static_cast<std::size_t>(count), seed),
        tested(type, static_cast<std::size_t>(count), 2), expected = tested;
    reduce_both(given, tested, expected, count, type, op.handle, comm, in_place);
    if (count > 0)
      expect_same(tested, expected,
                  "allreduce of " + std::to_string(count) + " " + type.name + " by " + op.name +
                      (in_place ? " in place" : ""));
  }

  void expect_same(const Memory& tested, const Memory& expected, const std::string& what) {
    for (std::size_t i = 0; i < tested.bytes.size(); ++i)
      if (tested.bytes[i] != expected.bytes[i] && failure_.empty())
        failure_ =
            what + ": byte " + std::to_string(i) + " of " + std::to_string(tested.bytes.size()) + " differs";
  }

  int calls_;
  unsigned seed_;
  std::mt19937 random_;
  int world_rank_ = 0;
  bool first_calls_ = false;
  std::vector<Type> types_, reduced_;
  std::vector<Op> user_ops_;
  std::vector<MPI_Comm> comms_;
  std::string failure_;
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc != 3) return 2;
  const int status = Differential(std::atoi(argv[1]), static_cast<unsigned>(std::atoi(argv[2]))).run();
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0 && status == 0) std::printf("differential: %s calls agree, seed %s\n", argv[1], argv[2]);
  MPI_Finalize();
  return status;
}
