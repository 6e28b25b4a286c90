#include "choose/evidence/transport.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>

namespace tutti::inline choose {
namespace {

// Parts of Open MPI's frameworks that are no way of their own: every one has the first, the others
// stand in front of what really carries messages.
constexpr std::array<std::string_view, 4> no_ways{"self", "base", "monitoring", "v"};

// Components of a framework of Open MPI's, such as pml, that are in use: those not chosen are
// unloaded, with their files and variables.
class Components {
 public:
  explicit Components(const TransportFacts& facts) : files_(facts.loaded_files) {
    if (in_files("pml").empty() && facts.control_variables) variables_ = facts.control_variables();
  }

  std::set<std::string> of(std::string_view framework) const {
    return variables_.empty() ? in_files(framework) : in_variables(framework);
  }

 private:
  // "mca_btl_tcp.so".
  std::set<std::string> in_files(std::string_view framework) const {
    std::set<std::string> found;
    const std::string prefix = fmt::format("mca_{}_", framework);
    for (const std::string& file : files_)
      if (file.starts_with(prefix)) add(found, file.substr(prefix.size(), file.find('.') - prefix.size()));
    // Version 4 has a file of that name which only says that vader stands for it.
    if (found.contains("vader")) found.erase("sm");
    return found;
  }

  // "btl_tcp_exclusivity", which each has by its framework; a name without it may stay behind.
  std::set<std::string> in_variables(std::string_view framework) const {
    std::set<std::string> found;
    const std::string prefix = fmt::format("{}_", framework);
    const std::string_view suffix = framework == "btl" ? "_exclusivity" : "_priority";
    for (const std::string& name : variables_)
      if (name.starts_with(prefix) && name.ends_with(suffix) && name.size() > prefix.size() + suffix.size())
        add(found, name.substr(prefix.size(), name.size() - prefix.size() - suffix.size()));
    // From version 5 on the old name of sm goes on as another one for it.
    if (found.contains("sm")) found.erase("vader");
    return found;
  }

  static void add(std::set<std::string>& found, std::string name) {
    if (std::ranges::find(no_ways, name) == no_ways.end()) found.insert(std::move(name));
  }

  const std::vector<std::string>& files_;
  std::vector<std::string> variables_;
};

// Variables by which users choose among the ways of a library beneath MPI, and whether they say
// something of messages within a host, too.
struct Choice {
  std::string_view way;
  const char* variable;
  bool within_hosts;
};
constexpr std::array choices{Choice{"ucx", "UCX_TLS", true},
                             Choice{"ucx", "UCX_NET_DEVICES", false},
                             Choice{"ofi", "FI_PROVIDER", true},
                             Choice{"ofi", "I_MPI_FABRICS", true},
                             Choice{"tcp", "OMPI_MCA_btl_tcp_if_include", false},
                             Choice{"tcp", "OMPI_MCA_btl_tcp_if_exclude", false}};

// "cm (ofi; FI_PROVIDER=tcp)".
std::string way_text(const std::string& name, const std::set<std::string>& parts, bool within_hosts,
                     const TransportFacts& facts) {
  std::vector<std::string> details;
  if (!parts.empty()) details.push_back(fmt::format("{}", fmt::join(parts, ", ")));
  for (const Choice& choice : choices) {
    const bool concerns = parts.contains(std::string(choice.way)) || name.ends_with(choice.way);
    const char* value = concerns && (choice.within_hosts || !within_hosts) && facts.environment
                            ? facts.environment(choice.variable)
                            : nullptr;
    if (value) details.push_back(fmt::format("{}={}", choice.variable, value));
  }
  return details.empty() ? name : fmt::format("{} ({})", name, fmt::join(details, "; "));
}

Transport transport_of_ob1(const Components& components, const TransportFacts& facts) {
  std::set<std::string> in_memory, others;
  for (const std::string& part : components.of("btl"))
    (part == "vader" || part.starts_with("sm") ? in_memory : others).insert(part);
  return {way_text("ob1", in_memory.empty() ? others : in_memory, true, facts),
          way_text("ob1", others, false, facts)};
}

Transport transport_of_open_mpi(const TransportFacts& facts) {
  const Components components(facts);
  const auto chosen = components.of("pml");
  if (chosen == std::set<std::string>{"ob1"}) return transport_of_ob1(components, facts);
  const std::string name = fmt::format("{}", fmt::join(chosen, ", "));
  const auto parts = name == "cm" ? components.of("mtl") : std::set<std::string>();
  return {way_text(name, parts, true, facts), way_text(name, parts, false, facts)};
}

// Libraries beneath MPI, where it does not say which it uses.
std::string by_files(const TransportFacts& facts) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> known{
      {{"libucp.so", "ucx"}, {"libfabric.so", "ofi"}, {"libpsm2.so", "psm2"}}};
  for (const auto& [file, way] : known)
    if (std::ranges::any_of(facts.loaded_files,
                            [file = file](const std::string& loaded) { return loaded.starts_with(file); }))
      return std::string(way);
  return "";
}

// MPICH's device, "ch4:ucx", which its kin says too.
std::string device_in(const std::string& library) {
  constexpr std::string_view mark = " Device:";
  const auto at = library.find(mark);
  if (at == library.npos) return "";
  const auto begin = library.find_first_not_of(" \t", at + mark.size());
  return begin == library.npos ? "" : library.substr(begin, library.find_first_of(" \t\n", begin) - begin);
}

}  // namespace

Transport transport_of(const TransportFacts& facts) {
  if (facts.library.find("Open MPI v") != facts.library.npos) return transport_of_open_mpi(facts);
  std::string name = device_in(facts.library);
  if (name.empty()) name = by_files(facts);
  if (name.empty()) return {};
  return {way_text(name, {}, true, facts), way_text(name, {}, false, facts)};
}

}  // namespace tutti::inline choose
