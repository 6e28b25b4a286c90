#include "runtime/workload.hpp"

#include <algorithm>

namespace tutti::runtime {
namespace {

using Bytes = std::vector<unsigned char>;

// What rank r contributes at position i: differs between neighbours in both.
unsigned char pattern(Rank rank, std::size_t i) {
  return static_cast<unsigned char>(static_cast<std::size_t>(rank) * 7 + i * 13 + i / 251);
}

void fill_pattern(unsigned char* bytes, std::size_t count, Rank rank) {
  for (std::size_t i = 0; i < count; ++i) bytes[i] = pattern(rank, i);
}

bool holds_pattern(const unsigned char* bytes, std::size_t count, Rank rank) {
  for (std::size_t i = 0; i < count; ++i)
    if (bytes[i] != pattern(rank, i)) return false;
  return true;
}

class BcastWorkload final : public Workload {
 public:
  BcastWorkload(Communicator& c, std::size_t size) : c_(c), buffer_(size) {}
  void fill() override {
    if (c_.rank() == 0)
      fill_pattern(buffer_.data(), buffer_.size(), 0);
    else
      std::fill(buffer_.begin(), buffer_.end(), static_cast<unsigned char>(0));
  }
  int run_natively() override {
    return native().bcast(call().buffer, call().count, MPI_BYTE, root_, c_.user());
  }
  int run(const Plan& plan) override { return carry_out(c_, plan, call()); }
  bool check() const override { return holds_pattern(buffer_.data(), buffer_.size(), 0); }

 private:
  BcastCall call() { return {buffer_.data(), static_cast<int>(buffer_.size()), MPI_BYTE, root_}; }
  Communicator& c_;
  Bytes buffer_;
};

class AllgatherWorkload final : public Workload {
 public:
  AllgatherWorkload(Communicator& c, std::size_t size)
      : c_(c), send_(size), receive_(size * static_cast<std::size_t>(c.ranks())) {}
  void fill() override {
    fill_pattern(send_.data(), send_.size(), c_.rank());
    std::fill(receive_.begin(), receive_.end(), static_cast<unsigned char>(0));
  }
  int run_natively() override {
    const auto count = static_cast<int>(send_.size());
    return native().allgather(send_.data(), count, MPI_BYTE, receive_.data(), count, MPI_BYTE, c_.user());
  }
  int run(const Plan& plan) override {
    const auto count = static_cast<int>(send_.size());
    return carry_out(c_, plan,
                     AllgatherCall{send_.data(), count, MPI_BYTE, receive_.data(), count, MPI_BYTE});
  }
  bool check() const override {
    for (Rank rank = 0; rank < c_.ranks(); ++rank)
      if (!holds_pattern(receive_.data() + static_cast<std::size_t>(rank) * send_.size(), send_.size(), rank))
        return false;
    return true;
  }

 private:
  Communicator& c_;
  Bytes send_, receive_;
};

// Sums of doubles, as programs do them; where the size is no multiple of eight, bitwise or of bytes.
class AllreduceWorkload final : public Workload {
 public:
  AllreduceWorkload(Communicator& c, std::size_t size)
      : c_(c), doubles_(size % sizeof(double) == 0), send_(size), receive_(size) {}
  void fill() override {
    for (std::size_t i = 0; i < count(); ++i) {
      if (doubles_)
        reinterpret_cast<double*>(send_.data())[i] = term(c_.rank(), i);
      else
        send_[i] = static_cast<unsigned char>(1 << c_.rank() % 8);
    }
    std::fill(receive_.begin(), receive_.end(), static_cast<unsigned char>(0));
  }
  int run_natively() override {
    return native().allreduce(send_.data(), receive_.data(), static_cast<int>(count()), type(), op(),
                              c_.user());
  }
  int run(const Plan& plan) override {
    return carry_out(c_, plan,
                     AllreduceCall{send_.data(), receive_.data(), static_cast<int>(count()), type(), op()});
  }
  bool check() const override {
    const auto mask = static_cast<unsigned char>((1 << std::min(c_.ranks(), 8)) - 1);
    for (std::size_t i = 0; i < count(); ++i) {
      if (!doubles_) {
        if (receive_[i] != mask) return false;
        continue;
      }
      // Small whole numbers: exact in any order. The sum over ranks repeats after eight of them.
      double sum = 0;
      for (Rank rank = 0; rank < 8; ++rank) sum += term(rank, i) * ((c_.ranks() - rank + 7) / 8);
      if (reinterpret_cast<const double*>(receive_.data())[i] != sum) return false;
    }
    return true;
  }

 private:
  static double term(Rank rank, std::size_t i) {
    return static_cast<double>((static_cast<std::size_t>(rank) % 8 + 1) * (i % 5 + 1));
  }
  std::size_t count() const { return doubles_ ? send_.size() / sizeof(double) : send_.size(); }
  MPI_Datatype type() const { return doubles_ ? MPI_DOUBLE : MPI_BYTE; }
  MPI_Op op() const { return doubles_ ? MPI_SUM : MPI_BOR; }
  Communicator& c_;
  bool doubles_;
  Bytes send_, receive_;
};

}  // namespace

std::unique_ptr<Workload> make_workload(Communicator& c, Collective collective, std::size_t size) {
  switch (collective) {
    case Collective::bcast:
      return std::make_unique<BcastWorkload>(c, size);
    case Collective::allgather:
      return std::make_unique<AllgatherWorkload>(c, size);
    case Collective::allreduce:
      return std::make_unique<AllreduceWorkload>(c, size);
  }
  return nullptr;
}

}  // namespace tutti::runtime
