#include "core/network/network_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>

#include "base/document.hpp"
#include "base/json.hpp"
#include "core/network/by_hosts.hpp"
#include "core/network/groups.hpp"
#include "core/schedule/by_place.hpp"

namespace tutti::inline core {
namespace {

constexpr DocumentKind network_kind{"network", "tutti-network-1", "tutti probe"};
constexpr std::array<std::pair<PortUse, std::string_view>, 3> port_uses{
    {{PortUse::in_turn, "in_turn"}, {PortUse::shared, "shared"}, {PortUse::multiport, "multiport"}}};

PortUse port_use_named(const std::string& text) {
  for (const auto& [use, name] : port_uses)
    if (name == text) return use;
  throw std::invalid_argument(fmt::format("ports are in_turn, shared or multiport, not {}", text));
}

std::string_view name(PortUse use) {
  for (const auto& [each, name] : port_uses)
    if (each == use) return name;
  return {};
}

Curve curve_from_json(const Json& points) {
  std::vector<Curve::Point> list;
  for (const Json& point : points) {
    list.push_back({quantity(point.at(0), "a size of a curve"), quantity(point.at(1), "a time of a curve")});
    if (list.size() > 1 && list.back().bytes - list[list.size() - 2].bytes < 1)
      throw std::invalid_argument("the sizes of a curve do not increase by whole bytes");
  }
  return Curve(std::move(list));
}

Json to_json(const Curve& curve) {
  auto points = Json::array();
  for (const Curve::Point& point : curve.points()) points.push_back({point.bytes, point.value});
  return points;
}

Link link_from_json(const Json& entry) {
  Link link;
  if (entry.contains("time_s")) {
    link.time = curve_from_json(entry.at("time_s"));
    link.gap = entry.contains("gap_s") ? curve_from_json(entry["gap_s"]) : link.time;
  } else {
    link = Link::busy({.alpha = quantity(entry.at("alpha_s"), "alpha_s"),
                       .beta = quantity(entry.at("beta_s_per_byte"), "beta_s_per_byte")});
    // What is written of it has to be read again.
    quantity(link.time.points().back().value, "a time by alpha_s and beta_s_per_byte");
  }
  if (link.time.points().empty()) throw std::invalid_argument("a link has no time_s");
  if (entry.contains("send_s")) link.send = curve_from_json(entry["send_s"]);
  if (entry.contains("receive_s")) link.receive = curve_from_json(entry["receive_s"]);
  // Nothing is faster for being in the way of something.
  link.both_ways = std::max(1.0, quantity(entry.value("both_ways", Json(1.0)), "both_ways"));
  link.both_ways_latency =
      std::max(1.0, quantity(entry.value("both_ways_latency", Json(1.0)), "both_ways_latency"));
  if (entry.contains("check")) {
    const Json& check = entry["check"];
    link.check = {whole<int>(check.at("sizes")), quantity(check.at("median"), "median"),
                  quantity(check.at("worst"), "worst")};
  }
  return link;
}

Json to_json(const Link& link) {
  const Hockney straight = hockney_of(link);
  Json entry{{"alpha_s", straight.alpha},    {"beta_s_per_byte", straight.beta},
             {"both_ways", link.both_ways},  {"both_ways_latency", link.both_ways_latency},
             {"time_s", to_json(link.time)}, {"gap_s", to_json(link.gap)},
             {"send_s", to_json(link.send)}, {"receive_s", to_json(link.receive)}};
  if (link.check)
    entry["check"] = {
        {"sizes", link.check->sizes}, {"median", link.check->median}, {"worst", link.check->worst}};
  return entry;
}

// No port carries less than one message.
PortWidth width_from_json(const Json& entry) {
  const auto at_least_one = [&](const char* name) { return std::max(1.0, quantity(entry.at(name), name)); };
  return {at_least_one("out"), at_least_one("in"), at_least_one("busy")};
}

Lmo lmo_from_json(const Json& entry) {
  Lmo lmo{quantities(entry.at("fixed_s"), "fixed_s"),
          quantities(entry.at("variable_s_per_byte"), "variable_s_per_byte"),
          quantities(entry.at("inverse_rate_s_per_byte"), "inverse_rate_s_per_byte")};
  if (lmo.variable.size() != lmo.fixed.size() ||
      lmo.inverse_rate.size() != lmo.fixed.size() * lmo.fixed.size())
    throw std::invalid_argument("the parameters of lmo are of different numbers of ranks");
  if (entry.contains("gather")) {
    const Json& gather = entry["gather"];
    const auto of_fit = [&](const char* name) {  // of either sign
      return quantity(gather.at(name), name, -largest_quantity);
    };
    lmo.gather = {quantity(gather.at("m2_bytes"), "m2_bytes"), of_fit("kappa_1_s_per_byte"),
                  of_fit("kappa_2_s"), of_fit("kappa_3_s_per_byte"),
                  quantity(gather.at("mean_deviation"), "mean_deviation")};
  }
  return lmo;
}

Escalations escalations_from_json(const Json& entry) {
  Escalations found{.m1 = whole<std::size_t>(entry.at("m1_bytes")),
                    .m2 = whole<std::size_t>(entry.at("m2_bytes")),
                    .levels = quantities(entry.at("levels_s"), "levels_s"),
                    .probabilities = {}};
  for (const Json& size : entry.at("probabilities"))
    found.probabilities[whole<std::size_t>(size.at(0))] = quantities(size.at(1), "probabilities");
  return found;
}

Json to_json(const Escalations& found) {
  auto probabilities = Json::array();
  for (const auto& [bytes, shares] : found.probabilities) probabilities.push_back({bytes, shares});
  return {{"m1_bytes", found.m1},
          {"m2_bytes", found.m2},
          {"levels_s", found.levels},
          {"probabilities", std::move(probabilities)}};
}

HostPart part_named(const std::string& text) {
  for (const auto& [part, name, noun, nouns] : host_parts)
    if (name == text) return part;
  throw std::invalid_argument(fmt::format("parts of hosts are socket, numa or cache, not {}", text));
}

Network::Group group_from_json(const Json& entry) {
  return {.name = entry.value("name", std::string()),
          .within = whole<int>(entry.value("within", Json(Network::Group::none))),
          .out = quantity(entry.value("out_s_per_byte", Json(0.0)), "out_s_per_byte"),
          .in = quantity(entry.value("in_s_per_byte", Json(0.0)), "in_s_per_byte"),
          .between = quantity(entry.value("between_s_per_byte", Json(0.0)), "between_s_per_byte"),
          .part = entry.contains("part") ? std::optional(part_named(entry["part"])) : std::nullopt};
}

// What is not said is not written.
Json to_json(const Network::Group& group) {
  auto entry = Json::object();
  if (!group.name.empty()) entry["name"] = group.name;
  if (group.within != Network::Group::none) entry["within"] = group.within;
  if (group.out > 0) entry["out_s_per_byte"] = group.out;
  if (group.in > 0) entry["in_s_per_byte"] = group.in;
  if (group.between > 0) entry["between_s_per_byte"] = group.between;
  if (group.part) entry["part"] = words_of(*group.part).name;
  return entry;
}

Torus torus_from_json(const Json& entry) {
  Torus torus{.sides = whole_list<int>(entry.at("sides")),
              .seconds_per_byte = quantity(entry.at("s_per_byte"), "s_per_byte of the torus"),
              .hop = quantity(entry.value("hop_s", Json(0.0)), "hop_s of the torus")};
  for (const Json& host : entry.at("coordinates")) torus.coordinates.push_back(whole_list<int>(host));
  return torus;
}

Json to_json(const Torus& torus) {
  return {{"sides", torus.sides},
          {"coordinates", torus.coordinates},
          {"s_per_byte", torus.seconds_per_byte},
          {"hop_s", torus.hop}};
}

void read_links_of_pairs(const Json& rows, Network& network) {
  network.ranks = static_cast<int>(rows.size());
  for (const Json& row : rows) {
    if (row.size() != rows.size()) throw std::invalid_argument("link_of is not square");
    for (const Json& entry : row) {
      const int link = whole<int>(entry);
      if (link < 0 || static_cast<std::size_t>(link) >= network.links.size())
        throw std::invalid_argument(
            fmt::format("link_of names link {}, there are {}", link, network.links.size()));
      network.link_of.push_back(link);
    }
  }
  if (!network.hosts.empty() && network.hosts.size() != rows.size())
    throw std::invalid_argument(
        fmt::format("there are hosts of {} ranks and links of {}", network.hosts.size(), rows.size()));
}

// By host, in the order of their first ranks.
void read_host_names(const Json& names, Network& network) {
  const auto ranks = static_cast<int>(network.known_ranks());
  network.host_names = names.get<std::vector<std::string>>();
  if (network.host_names.empty()) return;
  if (network.hosts.empty()) network.hosts = dealt_hosts(ranks, ranks);
  const auto hosts = static_cast<std::size_t>(count(network.hosts));
  if (network.host_names.size() != hosts)
    throw std::invalid_argument(
        fmt::format("there are names of {} hosts, and {} hosts", network.host_names.size(), hosts));
  std::set<std::string_view> known;
  for (const std::string& name : network.host_names)
    if (name.empty() || !known.insert(name).second)
      throw std::invalid_argument(name.empty() ? "a host has an empty name"
                                               : fmt::format("two hosts are called {}", name));
}

Network network_from_json(const Json& root) {
  Network network;
  for (const Json& entry : root.at("links")) network.links.push_back(link_from_json(entry));
  if (network.links.empty()) throw std::invalid_argument("there are no links");
  network.ports = port_use_named(root.value("ports", "in_turn"));
  network.half_duplex = root.value("half_duplex", false);
  if (root.contains("port_width")) network.width = width_from_json(root["port_width"]);
  network.eager = quantity(root.value("eager_bytes", Json(0.0)), "eager_bytes");
  network.plans_wait = root.value("plans_wait", false);
  network.gamma = quantity(root.value("gamma_s_per_byte", Json(0.0)), "gamma_s_per_byte");
  // Hosts may have any numbers there.
  if (root.contains("hosts")) network.hosts = numbered(whole_list<int>(root["hosts"]));
  for (const Json& entry : root.value("combine", Json::array()))
    network.combinations.push_back(
        {entry.at("op"), entry.at("type"), quantity(entry.at("s_per_byte"), "s_per_byte")});
  for (const Json& entry : root.value("trunks", Json::array())) {
    Trunk trunk{whole<Rank>(entry.at("from")), whole<Rank>(entry.at("to")),
                quantity(entry.at("s_per_byte"), "s_per_byte")};
    for (const Json& point : entry.value("growth", Json::array()))
      trunk.growth.push_back({whole<int>(point.at(0)), quantity(point.at(1), "a rate of growth")});
    network.trunks.push_back(std::move(trunk));
  }
  if (root.contains("memory")) network.memory = link_from_json(root["memory"]);
  if (const Json apart = root.value("memory_apart", Json::array()); apart.is_object())  // as it was first
    network.memory_apart.push_back(link_from_json(apart));
  else
    for (const Json& entry : apart) network.memory_apart.push_back(link_from_json(entry));
  if (root.contains("lmo")) network.lmo = lmo_from_json(root["lmo"]);
  if (root.contains("gather")) network.gather = escalations_from_json(root["gather"]);
  if (root.contains("scatter")) network.scatter_leap = whole<std::size_t>(root["scatter"].at("s_bytes"));
  network.link_on_host = whole<int>(root.value("link_on_host", Json(0)));
  if (network.link_on_host < 0 || static_cast<std::size_t>(network.link_on_host) >= network.links.size())
    throw std::invalid_argument(
        fmt::format("link_on_host is link {}, there are {}", network.link_on_host, network.links.size()));
  if (root.contains("link_of")) read_links_of_pairs(root["link_of"], network);
  for (const Json& entry : root.value("groups", Json::array()))
    network.groups.push_back(group_from_json(entry));
  if (root.contains("group_of")) network.group_of = whole_list<int>(root["group_of"]);
  if (root.contains("torus")) network.torus = torus_from_json(root["torus"]);
  if (root.contains("host_names")) read_host_names(root["host_names"], network);
  if (network.torus)
    if (const auto why = contradiction_of_torus(*network.torus, network.known_hosts()))
      throw std::invalid_argument(*why);
  if (const auto why = contradiction_of_groups(network)) throw std::invalid_argument(*why);
  return network;
}

}  // namespace

Result<Network> parse_network(const std::string& text, const std::string& source) {
  return parse_document(network_kind, text, source, network_from_json);
}

Result<Network> read_network(const Json& root, const std::string& source) {
  return read_document(network_kind, root, source, network_from_json);
}

std::string to_text(const Network& network) {
  Json root{{"$schema", network_kind.schema},
            {"ports", name(network.ports)},
            {"half_duplex", network.half_duplex},
            {"eager_bytes", network.eager},
            {"plans_wait", network.plans_wait},
            {"gamma_s_per_byte", network.gamma},
            {"combine", Json::array()},
            {"hosts", network.hosts},
            {"links", Json::array()}};
  if (const PortWidth& width = network.width; width.widest() > 1)
    root["port_width"] = {{"out", width.out}, {"in", width.in}, {"busy", width.busy}};
  if (!network.host_names.empty()) root["host_names"] = network.host_names;
  for (const Combination& c : network.combinations)
    root["combine"].push_back({{"op", c.operation}, {"type", c.type}, {"s_per_byte", c.seconds_per_byte}});
  for (const Link& link : network.links) root["links"].push_back(to_json(link));
  if (network.link_on_host != 0) root["link_on_host"] = network.link_on_host;
  if (network.memory) root["memory"] = to_json(*network.memory);
  for (const Link& link : network.memory_apart) root["memory_apart"].push_back(to_json(link));
  for (const Trunk& trunk : network.trunks) {
    auto growth = Json::array();
    for (const auto& [pairs, rate] : trunk.growth) growth.push_back({pairs, rate});
    root["trunks"].push_back({{"from", trunk.from},
                              {"to", trunk.to},
                              {"s_per_byte", trunk.seconds_per_byte},
                              {"growth", std::move(growth)}});
  }
  for (const Network::Group& group : network.groups) root["groups"].push_back(to_json(group));
  if (!network.group_of.empty()) root["group_of"] = network.group_of;
  if (network.torus) root["torus"] = to_json(*network.torus);
  if (network.gather) root["gather"] = to_json(*network.gather);
  if (network.scatter_leap) root["scatter"] = {{"s_bytes", *network.scatter_leap}};
  if (network.lmo) {
    root["lmo"] = {{"fixed_s", network.lmo->fixed},
                   {"variable_s_per_byte", network.lmo->variable},
                   {"inverse_rate_s_per_byte", network.lmo->inverse_rate}};
    if (const auto& gather = network.lmo->gather)
      root["lmo"]["gather"] = {{"m2_bytes", gather->m2},
                               {"kappa_1_s_per_byte", gather->small_per_byte},
                               {"kappa_2_s", gather->large},
                               {"kappa_3_s_per_byte", gather->large_per_byte},
                               {"mean_deviation", gather->mean_deviation}};
  }
  if (!network.link_of.empty()) {
    const auto ranks = static_cast<std::size_t>(network.ranks);
    for (std::size_t from = 0; from < ranks; ++from)
      root["link_of"].push_back(
          std::vector<int>(network.link_of.begin() + static_cast<std::ptrdiff_t>(from * ranks),
                           network.link_of.begin() + static_cast<std::ptrdiff_t>((from + 1) * ranks)));
  }
  return json_text(root) + "\n";
}

}  // namespace tutti::inline core
