// Allgather by recursive doubling: groups that hold all their blocks exchange them pairwise and
// double. log2 p rounds for powers of two, at most 2·⌈log2 p⌉ otherwise; from the farthest partner
// to the nearest ⌈log2 p⌉ rounds for any p.

#include "core/algorithms/algorithm.hpp"
#include "core/algorithms/patterns/butterfly.hpp"
#include "core/algorithms/patterns/recursive_doubling.hpp"

namespace tutti::inline core::families {

Family allgather_recursive_doubling() {
  return {{
      .collective = Collective::allgather,
      .name = "recursive_doubling",
      .summary = "groups exchange all they hold and double in size",
      .wins = "short and medium messages, powers of two",
      .source = thakur_2005,
      .section = "4.1.1",
      .parameters = {largest_parameter()},
      .blocks = block_a_rank,
      .generate =
          [](Builder& b, const Arguments& arguments) {
            if (largest(arguments) == Largest::near)
              return allgather(b, by_butterfly(b.ranks(), b.rank(), digit_partner));
            b.copy(output(b.rank()), input(b.rank()));
            recursive_doubling_allgather(b, Team{b.ranks()});
          },
      .cost = [](int p, const Arguments&) -> std::optional<Cost> {
        if (!is_power_of_two(p)) return std::nullopt;
        return Cost{double(ceil_log2(p)), (p - 1.0) / p, 0};
      },
  }};
}

}  // namespace tutti::inline core::families
