#include "run/process/agreed_rules.hpp"

#include <string>
#include <utility>

#include "run/mpi/native.hpp"
#include "run/mpi/ranks.hpp"

namespace tutti::run {

AgreedRules AgreedRules::of(Rules started_with) {
  AgreedRules own{nullptr, started_with.hash()};
  own.rules = std::make_shared<const Rules>(std::move(started_with));
  return own;
}

AgreedRules AgreedRules::handed_on(std::uint64_t hash_of_rank_0, MPI_Comm comm) const {
  std::string text;
  if (rank_in(comm) == 0) text = to_text(*rules);
  std::uint64_t length = text.size();
  native().MPI_Bcast(&length, sizeof length, MPI_BYTE, 0, comm);
  text.resize(length);
  native().MPI_Bcast(text.data(), static_cast<int>(length), MPI_BYTE, 0, comm);
  if (hash == hash_of_rank_0) return *this;
  return {std::make_shared<const Rules>(rules_in(text)), hash_of_rank_0};
}

}  // namespace tutti::run
