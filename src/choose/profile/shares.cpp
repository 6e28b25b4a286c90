#include "choose/profile/shares.hpp"

#include <algorithm>
#include <array>
#include <functional>

namespace tutti::inline choose {
namespace {

// The functions that access windows, as the table of all functions has them.
constexpr std::array one_sided = std::to_array<std::string_view>({
#include "one_sided.inc"
});

bool is_one_sided(std::string_view name) {
  return name.starts_with("MPI_Win_") || std::ranges::find(one_sided, name) != one_sided.end();
}

}  // namespace

std::vector<Collective> ProfiledShare::operations() const {
  std::vector<Collective> all;
  for (const auto& [collective, seconds_there] : seconds_in) all.push_back(collective);
  std::ranges::stable_sort(all, std::greater(), [&](Collective of) { return seconds_in.at(of); });
  return all;
}

std::vector<ProfiledShare> shares_of(const Profile& profile, ShareOf what) {
  std::map<std::pair<std::string, Placement>, ProfiledShare> shares;
  for (const auto& [kind, spent] : profile.calls) {
    const bool by_communicator = what == ShareOf::communicator;
    const std::string& name = by_communicator ? kind.communicator : kind.phase;
    const Placement placement = by_communicator ? kind.placement : Placement{};
    ProfiledShare& share = shares[{name, placement}];
    share.name = name;
    share.placement = placement;
    share.calls += spent.calls;
    share.seconds += spent.seconds;
    share.waiting_at_least_s += spent.waiting_at_least_s(kind.collective);
    share.waiting_at_most_s += spent.waiting_at_most_s(kind.collective);
    share.seconds_in[kind.collective] += spent.seconds;
  }
  std::vector<ProfiledShare> sorted;
  for (auto& [key, share] : shares) sorted.push_back(std::move(share));
  std::ranges::stable_sort(sorted, std::greater(), &ProfiledShare::seconds);
  return sorted;
}

std::map<std::string_view, ProfiledFunction> functions_by_use(const Profile& profile) {
  std::map<std::string_view, ProfiledFunction> uses;
  for (const auto& [name, spent] : profile.functions) {
    uses[is_one_sided(name)              ? "one-sided"
         : name.starts_with("MPI_File_") ? "files"
                                         : "messages and others"]
        .merge(spent);
    if (name.ends_with("_c")) uses["with large counts"].merge(spent);
  }
  return uses;
}

}  // namespace tutti::inline choose
