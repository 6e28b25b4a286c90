#include "choose/evidence/builtin.hpp"

#include <array>

#include "core/algorithms/patterns/team.hpp"

namespace tutti::inline choose {
namespace {

enum class Ranks { any, below_8, powers_of_two, others };
enum class Operations { any, commute, do_not };
enum class Of { total, block };  // bytes of the whole vector or all blocks together, or of one block

constexpr std::size_t KB = 1024;

struct CutOff {
  Collective collective;
  Ranks ranks;
  Operations operations;
  std::size_t below;  // bytes
  Of of;
  std::string_view algorithm;
  std::string_view variant = {};  //< its first parameter; empty: the default
};

// The first line that matches holds. Section 4.1 to 4.5 of the paper; "allgather" in a long
// broadcast by its own cut-offs, and allreduce, for which the paper gives no number, by that of
// reduce.
constexpr auto cut_offs = [] {
  using enum Collective;
  return std::array{
      // clang-format off
      CutOff{allgather,            Ranks::powers_of_two, Operations::any,     512 * KB,  Of::total, "recursive_doubling"},
      CutOff{allgather,            Ranks::others,        Operations::any,     80 * KB,   Of::total, "bruck"},
      CutOff{allgather,            Ranks::any,           Operations::any,     unlimited, Of::total, "ring"},

      CutOff{bcast,                Ranks::below_8,       Operations::any,     unlimited, Of::total, "binomial"},
      CutOff{bcast,                Ranks::any,           Operations::any,     12 * KB,   Of::total, "binomial"},
      CutOff{bcast,                Ranks::powers_of_two, Operations::any,     512 * KB,  Of::total, "scatter_allgather", "recursive_doubling"},
      CutOff{bcast,                Ranks::any,           Operations::any,     unlimited, Of::total, "scatter_allgather", "ring"},

      CutOff{alltoall,             Ranks::any,           Operations::any,     257,       Of::block, "bruck"},
      CutOff{alltoall,             Ranks::any,           Operations::any,     32 * KB,   Of::block, "linear"},
      CutOff{alltoall,             Ranks::any,           Operations::any,     unlimited, Of::block, "pairwise"},

      CutOff{reduce_scatter_block, Ranks::any,           Operations::commute, 512 * KB,  Of::total, "recursive_halving"},
      CutOff{reduce_scatter_block, Ranks::any,           Operations::do_not,  512,       Of::total, "recursive_doubling"},
      CutOff{reduce_scatter_block, Ranks::any,           Operations::any,     unlimited, Of::total, "pairwise"},

      CutOff{reduce,               Ranks::any,           Operations::any,     2 * KB + 1, Of::total, "binomial"},
      CutOff{reduce,               Ranks::any,           Operations::any,     unlimited, Of::total, "rabenseifner"},

      CutOff{allreduce,            Ranks::any,           Operations::any,     2 * KB + 1, Of::total, "recursive_doubling"},
      CutOff{allreduce,            Ranks::any,           Operations::any,     unlimited, Of::total, "rabenseifner"},
      // clang-format on
  };
}();

bool matches(const CutOff& line, int ranks, bool commutative) {
  const bool operations =
      line.operations == Operations::any || (line.operations == Operations::commute) == commutative;
  switch (line.ranks) {
    case Ranks::any:
      return operations;
    case Ranks::below_8:
      return operations && ranks < 8;
    case Ranks::powers_of_two:
      return operations && is_power_of_two(ranks);
    case Ranks::others:
      return operations && !is_power_of_two(ranks);
  }
  return false;
}

// The first size, as rules count it, that is not below the line's.
std::size_t end_of(const CutOff& line, Collective collective, int ranks) {
  if (line.below == unlimited || line.of == Of::block) return line.below;
  const std::size_t bytes_a_unit = total_bytes(collective, ranks, 1);
  return (line.below + bytes_a_unit - 1) / bytes_a_unit;
}

}  // namespace

std::vector<Rule> builtin_rules(Collective collective, int ranks, bool commutative) {
  std::vector<Rule> rules;
  const CollectiveTraits& wanted = traits(collective);
  if (wanted.size_means == SizeMeans::nothing) return rules;
  std::size_t begin = 0;
  for (const CutOff& line : cut_offs) {
    if (line.collective != wanted.regular || !matches(line, ranks, commutative)) continue;
    const std::size_t end = end_of(line, collective, ranks);
    if (end <= begin) continue;
    const bool last = end == unlimited;
    rules.push_back({begin, last ? unlimited : end - 1,
                     line.variant.empty()
                         ? Plan::of(collective, line.algorithm)
                         : Plan::of(collective, line.algorithm, {std::string(line.variant)})});
    if (last) break;
    begin = end;
  }
  return rules;
}

}  // namespace tutti::inline choose
