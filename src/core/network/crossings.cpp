#include "core/network/crossings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/network/groups.hpp"
#include "core/network/parts_apart.hpp"

namespace tutti::inline core {

Crossings::Crossings(const Network& network, int& next_port) : network_(network), next_port_(next_port) {
  for (Rank rank = 0; rank < static_cast<Rank>(network.group_of.size()); ++rank)
    around_.push_back(groups_around(network, rank));
  if (around_.empty()) return;
  trunks_ = shared_trunks(network);
  for (const auto& [parts, each] : trunks_)
    hosts_have_trunks_ |= std::max(parts.first, parts.second) >= static_cast<int>(network.groups.size());
}

std::span<const Gate> Crossings::between(Rank from, Rank to, Rank representative) {
  if (around_.empty() && !network_.torus) return {};
  const auto [known, added] = known_.try_emplace({leaf(from), leaf(to), leaf(representative)});
  if (added) known->second = gates(from, to, representative);
  return known->second;
}

std::string Crossings::name(int port) const {
  const auto found =
      std::ranges::find_if(numbers_, [port](const auto& numbered) { return numbered.second == port; });
  const Way& way = found->first;
  if (way.link != none) {
    const Torus::Step step = network_.torus->step(way.link);
    return fmt::format("link from {} to {} of the torus", fmt::join(step.from, ","), fmt::join(step.to, ","));
  }
  if (way.to == any) return fmt::format("out of {}", name_of_part(way.from));
  if (way.from == any) return fmt::format("into {}", name_of_part(way.to));
  return fmt::format("from {} to {}", name_of_part(way.from), name_of_part(way.to));
}

std::vector<Gate> Crossings::gates(Rank from, Rank to, Rank representative) {
  std::vector<Gate> gates;
  if (!around_.empty()) add_gates_of_groups(from, to, representative, gates);
  if (const auto& torus = network_.torus; torus && torus->seconds_per_byte > 0)
    for (const int link : torus->route(network_.host(from), network_.host(to)))
      gates.push_back({number({any, any, link}), torus->seconds_per_byte, false});
  return gates;
}

// The groups around both ends are alike from some place on, seen from outside.
void Crossings::add_gates_of_groups(Rank from, Rank to, Rank representative, std::vector<Gate>& gates) {
  const auto& left = around_[static_cast<std::size_t>(from)];
  const auto& entered = around_[static_cast<std::size_t>(to)];
  const auto& stands = around_[static_cast<std::size_t>(representative)];
  const std::size_t common = count_common_groups(left, entered);
  const auto group = [&](int number) -> const Network::Group& {
    return network_.groups[static_cast<std::size_t>(number)];
  };
  for (std::size_t i = 0; i + common < left.size(); ++i)
    if (const double each = group(left[i]).out; each > 0)
      gates.push_back({number({left[i], any}), each, false});
  if (const auto parts = parts_apart(network_, from, to); parts.first != parts.second) {
    const auto trunk = trunks_.find(parts);
    const double each = trunk != trunks_.end() ? trunk->second
                        : common > 0           ? group(left[left.size() - common]).between
                                               : 0;
    if (each > 0) gates.push_back({number({parts.first, parts.second}), each, false});
  }
  for (std::size_t i = 0; i + common < entered.size(); ++i)
    if (const double each = group(entered[i]).in; each > 0)
      gates.push_back({number({any, stands[i]}), each, true});
}

// What decides which ways a rank's messages cross: its innermost group, or its host where hosts are
// parts, or places.
int Crossings::leaf(Rank rank) const {
  if (network_.torus) return around_.empty() ? network_.host(rank) : rank;
  const auto& around = around_[static_cast<std::size_t>(rank)];
  const bool hosts_are_parts = hosts_have_trunks_ || around.empty() ||
                               network_.groups[static_cast<std::size_t>(around.front())].between > 0;
  return hosts_are_parts ? host_as_part(network_, rank) : around.front();
}

std::string Crossings::name_of_part(int part) const {
  const auto groups = static_cast<int>(network_.groups.size());
  return part < groups ? name_of_group(network_, part) : fmt::format("host {}", part - groups);
}

int Crossings::number(const Way& way) {
  const auto [known, added] = numbers_.try_emplace(way, next_port_);
  if (added) ++next_port_;
  return known->second;
}

}  // namespace tutti::inline core
