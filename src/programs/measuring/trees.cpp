#include "programs/measuring/trees.hpp"

#include <cstdint>

#include "run/calls/carry_out.hpp"

namespace tutti::run {
namespace {

const Plan& tree_of(Collective collective) {
  static const Plan& bcast = *new Plan(Plan::of(Collective::bcast, "binomial"));
  static const Plan& reduce = *new Plan(Plan::of(Collective::reduce, "binomial"));
  return collective == Collective::bcast ? bcast : reduce;
}

}  // namespace

void Trees::tell(void* data, std::size_t bytes) const {
  carry_out(communicator_, tree_of(Collective::bcast),
            {.recvbuf = data, .recvcount = static_cast<std::int64_t>(bytes), .recvtype = MPI_BYTE});
}

std::string Trees::tell(std::string text) const {
  text.resize(tell(text.size()));
  if (!text.empty()) tell(text.data(), text.size());
  return text;
}

template <typename T>
std::vector<T> Trees::combined(const std::vector<T>& mine, MPI_Datatype type, MPI_Op operation) const {
  std::vector<T> all(mine.size());
  carry_out(communicator_, tree_of(Collective::reduce),
            {.sendbuf = mine.data(),
             .recvbuf = all.data(),
             .recvcount = static_cast<std::int64_t>(mine.size()),
             .recvtype = type,
             .op = operation});
  return all;
}

std::vector<double> Trees::largest(const std::vector<double>& mine) const {
  return combined(mine, MPI_DOUBLE, MPI_MAX);
}

std::vector<std::uint64_t> Trees::everyones(std::uint64_t mine) const {
  std::vector<std::uint64_t> own(static_cast<std::size_t>(communicator_.ranks()));
  own[static_cast<std::size_t>(communicator_.rank())] = mine;
  auto all = combined(own, MPI_UINT64_T, MPI_BOR);
  tell(all.data(), all.size() * sizeof mine);
  return all;
}

}  // namespace tutti::run
