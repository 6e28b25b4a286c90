#include <algorithm>
#include <span>

#include "core/algorithms/algorithm.hpp"

namespace tutti::inline core {

/// One function for each file of a family in this folder; the build writes the list.
std::span<Family (*const)()> declared_families();

const std::vector<Algorithm>& all_algorithms() {
  // Never destroyed: programs may end MPI after our statics.
  static const auto& all = *new std::vector<Algorithm>([] {
    std::vector<Algorithm> list;
    for (const auto family : declared_families())
      for (Algorithm& algorithm : family()) list.push_back(std::move(algorithm));
    std::stable_sort(list.begin(), list.end(),
                     [](const Algorithm& a, const Algorithm& b) { return a.collective < b.collective; });
    return list;
  }());
  return all;
}

std::string citation(const Algorithm& algorithm) {
  std::string text(algorithm.source);
  if (!algorithm.section.empty()) text.append(", section ").append(algorithm.section);
  return text;
}

bool serves(const Algorithm& algorithm, Collective collective) {
  return algorithm.collective == traits(collective).regular;
}

std::size_t total_bytes(Collective collective, int ranks, std::size_t size) {
  const SizeMeans means = traits(collective).size_means;
  return means == SizeMeans::block || means == SizeMeans::mean_block ? static_cast<std::size_t>(ranks) * size
                                                                     : size;
}

const Algorithm* find_algorithm(Collective collective, std::string_view name) {
  for (const Algorithm& algorithm : all_algorithms())
    if (serves(algorithm, collective) && algorithm.name == name) return &algorithm;
  return nullptr;
}

Arguments complete(const Algorithm& algorithm, const Arguments::Values& given) {
  auto values = given;
  for (const Parameter& parameter : algorithm.parameters)
    values.try_emplace(std::string(parameter.name), parameter.values.front());
  return Arguments(std::move(values));
}

}  // namespace tutti::inline core
