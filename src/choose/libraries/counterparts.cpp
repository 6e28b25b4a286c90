// Plans of ours that do what the algorithms of MPI libraries do.

#include <limits>
#include <map>

#include "choose/libraries/constants.hpp"
#include "choose/libraries/library_rules.hpp"

namespace tutti::inline choose {
namespace {

// An algorithm and its first parameter, where that is not the default.
struct Ours {
  std::string_view algorithm;
  std::string_view value = {};  // "{}" stands for the segment
};

using ByName = std::map<std::string_view, Ours>;

const std::map<std::pair<std::string_view, Collective>, ByName>& plans() {
  using enum Collective;
  static const auto& all = *new std::map<std::pair<std::string_view, Collective>, ByName>{
      {{"openmpi", barrier},
       {{"recursive_doubling", {"recursive_doubling"}}, {"bruck", {"dissemination"}}, {"tree", {"tree"}}}},
      {{"openmpi", bcast},
       {{"basic_linear", {"linear"}},
        {"pipeline", {"chain", "{}"}},
        {"binary_tree", {"binary_tree", "{}"}},
        {"binomial", {"binomial"}},
        {"knomial", {"knomial", "4"}},
        {"scatter_allgather", {"scatter_allgather", "recursive_doubling"}},
        {"scatter_allgather_ring", {"scatter_allgather", "ring"}}}},
      {{"openmpi", gather}, {{"basic_linear", {"linear"}}, {"binomial", {"binomial"}}}},
      {{"openmpi", scatter},
       {{"basic_linear", {"linear"}}, {"binomial", {"binomial"}}, {"linear_nb", {"linear"}}}},
      {{"openmpi", allgather},
       {{"linear", {"gather_bcast", "linear"}},
        {"bruck", {"bruck"}},
        {"recursive_doubling", {"recursive_doubling"}},
        {"ring", {"ring"}},
        {"neighbor", {"neighbor_exchange"}}}},
      {{"openmpi", allgatherv},
       {{"bruck", {"bruck"}}, {"ring", {"ring"}}, {"neighbor", {"neighbor_exchange"}}}},
      {{"openmpi", alltoall},
       {{"linear", {"linear"}}, {"pairwise", {"pairwise"}}, {"modified_bruck", {"bruck"}}}},
      {{"openmpi", alltoallv}, {{"basic_linear", {"linear"}}, {"pairwise", {"pairwise"}}}},
      {{"openmpi", reduce},
       {{"linear", {"linear"}}, {"binomial", {"binomial"}}, {"rabenseifner", {"rabenseifner"}}}},
      {{"openmpi", allreduce},
       {{"nonoverlapping", {"reduce_bcast"}},
        {"recursive_doubling", {"recursive_doubling"}},
        {"ring", {"ring"}},
        {"rabenseifner", {"rabenseifner"}}}},
      {{"openmpi", reduce_scatter}, {{"recursive_halving", {"recursive_halving"}}}},
      {{"openmpi", reduce_scatter_block},
       {{"recursive_doubling", {"recursive_doubling"}}, {"recursive_halving", {"recursive_halving"}}}},
      {{"openmpi", scan}, {{"linear", {"linear"}}, {"recursive_doubling", {"recursive_doubling"}}}},
      {{"openmpi", exscan}, {{"linear", {"linear"}}, {"recursive_doubling", {"recursive_doubling"}}}},
      {{"mpich", barrier}, {{"dissemination", {"dissemination"}}, {"k_dissemination", {"dissemination"}}}},
      {{"mpich", bcast},
       {{"binomial", {"binomial"}},
        {"scatter_recursive_doubling_allgather", {"scatter_allgather", "recursive_doubling"}},
        {"scatter_ring_allgather", {"scatter_allgather", "ring"}}}},
      {{"mpich", gather}, {{"binomial", {"binomial"}}}},
      {{"mpich", scatter}, {{"binomial", {"binomial"}}}},
      {{"mpich", allgather},
       {{"brucks", {"bruck"}}, {"recursive_doubling", {"recursive_doubling"}}, {"ring", {"ring"}}}},
      {{"mpich", allgatherv},
       {{"brucks", {"bruck"}}, {"recursive_doubling", {"recursive_doubling"}}, {"ring", {"ring"}}}},
      {{"mpich", alltoall}, {{"brucks", {"bruck"}}, {"pairwise", {"pairwise"}}, {"scattered", {"linear"}}}},
      {{"mpich", alltoallv}, {{"scattered", {"linear"}}}},
      {{"mpich", reduce}, {{"binomial", {"binomial"}}, {"reduce_scatter_gather", {"rabenseifner"}}}},
      {{"mpich", allreduce},
       {{"recursive_doubling", {"recursive_doubling"}}, {"reduce_scatter_allgather", {"rabenseifner"}}}},
      {{"mpich", reduce_scatter},
       {{"pairwise", {"pairwise"}},
        {"recursive_doubling", {"recursive_doubling"}},
        {"recursive_halving", {"recursive_halving"}}}},
      {{"mpich", reduce_scatter_block},
       {{"pairwise", {"pairwise"}},
        {"recursive_doubling", {"recursive_doubling"}},
        {"recursive_halving", {"recursive_halving"}}}},
      {{"mpich", scan}, {{"recursive_doubling", {"recursive_doubling"}}}},
      {{"mpich", exscan}, {{"recursive_doubling", {"recursive_doubling"}}}}};
  return all;
}

}  // namespace

std::optional<Plan> counterpart(const std::string& family, Collective collective,
                                const LibraryAlgorithm& algorithm) {
  const auto known = plans().find({family, collective});
  if (known == plans().end()) return std::nullopt;
  const auto found = known->second.find(algorithm.name);
  if (found == known->second.end()) return std::nullopt;
  const auto& [name, value] = found->second;
  if (value.empty()) return Plan::of(collective, name);
  const std::size_t segment = algorithm.segment > 0 ? algorithm.segment : libraries::usual_segment;
  if (segment > std::numeric_limits<int>::max()) return std::nullopt;
  return Plan::of(collective, name, {value == "{}" ? std::to_string(segment) : std::string(value)});
}

}  // namespace tutti::inline choose
