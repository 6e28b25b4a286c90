#include "choose/evidence/library_component.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "base/document.hpp"
#include "base/json.hpp"

namespace tutti::inline choose {
namespace {

// Components that serve some communicators only: han combines hosts, the others one host's memory.
bool serves_on(std::string_view component, int hosts) {
  if (component == han_component) return hosts > 1;
  if (component == "xhc" || component == "sm") return hosts <= 1;
  return true;
}

// Components that stand high and serve no call between several ranks, or pass all on.
constexpr std::array<std::string_view, 5> others{"self", "inter", "sync", "ftagree", "monitoring"};

constexpr std::string_view prefix = "coll_", priority_suffix = "_priority";

// The operations that a component names by variables such as coll_han_use_bcast_algorithm.
std::vector<Collective> operations_of(const std::string& component, const std::vector<std::string>& names) {
  std::vector<Collective> operations;
  for (const CollectiveTraits& traits : collectives)
    if (std::ranges::find(names, fmt::format("coll_{}_use_{}_algorithm", component, traits.name)) !=
        names.end())
      operations.push_back(traits.collective);
  return operations;
}

}  // namespace

std::vector<LibraryComponent> library_components(const LibraryVariables& variables) {
  std::vector<LibraryComponent> all;
  const auto tuned = variables.value(fmt::format("{}{}{}", prefix, tuned_component, priority_suffix));
  if (!tuned) return all;
  for (const std::string& name : variables.names) {
    if (!name.starts_with(prefix) || !name.ends_with(priority_suffix)) continue;
    const std::string component =
        name.substr(prefix.size(), name.size() - prefix.size() - priority_suffix.size());
    const auto priority = variables.value(name);
    if (component == tuned_component ||
        (priority && *priority > *tuned && std::ranges::find(others, component) == others.end()))
      all.push_back({component, priority.value_or(*tuned), operations_of(component, variables.names)});
  }
  std::ranges::stable_sort(all, std::greater(), &LibraryComponent::priority);
  return all;
}

bool LibraryComponent::serves(Collective collective, int hosts) const {
  return serves_on(name, hosts) &&
         (operations.empty() || std::ranges::find(operations, collective) != operations.end());
}

const LibraryComponent* serving(const std::vector<LibraryComponent>& components, Collective collective,
                                int hosts) {
  const auto found = std::ranges::find_if(
      components, [&](const LibraryComponent& component) { return component.serves(collective, hosts); });
  return found == components.end() ? nullptr : &*found;
}

std::string above_text(const std::vector<LibraryComponent>& components, int hosts) {
  std::vector<std::string> above;
  for (const LibraryComponent& component : components) {
    if (component.name == tuned_component)
      return above.empty() ? ""
                           : fmt::format("{} before coll/{} ({})", fmt::join(above, ", "), component.name,
                                         component.priority);
    if (serves_on(component.name, hosts))
      above.push_back(fmt::format("coll/{} (priority {})", component.name, component.priority));
  }
  return "";
}

Json to_json(const std::vector<LibraryComponent>& components) {
  auto list = Json::array();
  for (const LibraryComponent& component : components) {
    Json entry{{"name", component.name}, {"priority", component.priority}};
    for (const Collective operation : component.operations) entry["operations"].push_back(name(operation));
    list.push_back(std::move(entry));
  }
  return list;
}

std::vector<LibraryComponent> components_from_json(const Json& list) {
  std::vector<LibraryComponent> components;
  for (const Json& entry : list) {
    LibraryComponent component{entry.at("name"), whole<int>(entry.at("priority"))};
    for (const Json& operation : entry.value("operations", Json::array())) {
      const auto collective = collective_named(operation.get<std::string>());
      if (!collective) throw std::invalid_argument("no collective " + operation.dump());
      component.operations.push_back(*collective);
    }
    components.push_back(std::move(component));
  }
  return components;
}

}  // namespace tutti::inline choose
