#include "choose/offline/worker_protocol.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "base/document.hpp"
#include "base/json.hpp"
#include "choose/evidence/fingerprint_file.hpp"
#include "choose/offline/constants.hpp"
#include "core/network/network_file.hpp"

namespace tutti::inline choose::protocol {
namespace {

template <typename... Visitors>
struct Overloaded : Visitors... {
  using Visitors::operator()...;
};
template <typename... Visitors>
Overloaded(Visitors...) -> Overloaded<Visitors...>;

void check(bool condition, const char* what) {
  if (!condition) throw std::invalid_argument(what);
}

Json arrival_to_json(const ArrivalPattern& arrival) {
  Json json{{"kind", static_cast<int>(arrival.kind)}, {"late_s", arrival.late_s}, {"mean_s", arrival.mean_s}};
  for (const ArrivalPattern::Call& call : arrival.calls)
    json["calls"].push_back({{"others_s", call.others_s}, {"last", call.last}});
  return json;
}

Json json_of(const Request& request) {
  return std::visit(Overloaded{[](const Quit&) {
                                 return Json{{"do", "quit"}};
                               },
                               [](const Combine&) {
                                 return Json{{"do", "combine"}};
                               },
                               [](const TellPlaces&) {
                                 return Json{{"do", "places"}};
                               },
                               [](const UseNetwork& use) {
                                 return Json{{"do", "network"}, {"network", to_text(use.network)}};
                               },
                               [](const MakeExperiment& make) {
                                 return Json{{"do", "experiment"},
                                             {"what", name(make.experiment)},
                                             {"groups", make.groups},
                                             {"bytes", make.bytes},
                                             {"repetitions", make.repetitions}};
                               },
                               [](const MeasurePlans& measure) {
                                 std::vector<std::string> texts;
                                 for (const Plan& plan : measure.plans) texts.push_back(plan.text());
                                 Json message{{"do", "measure"},
                                              {"operation", measure.point.called().name()},
                                              {"ranks", measure.point.ranks},
                                              {"size", measure.point.size},
                                              {"plans", texts},
                                              {"repetitions", measure.effort.repetitions},
                                              {"seconds", measure.effort.seconds}};
                                 if (measure.effort.behind != Measurer::Behind::nothing)
                                   message["behind"] = static_cast<int>(measure.effort.behind);
                                 if (traits(measure.point.collective).on_neighbors)
                                   message["stencil"] = measure.point.stencil;
                                 if (measure.point.lengths != BlockLengths::equal)
                                   message["blocks"] = name(measure.point.lengths);
                                 if (!measure.groups.empty()) message["groups"] = measure.groups;
                                 if (measure.arrival != ArrivalPattern{})
                                   message["arrival"] = arrival_to_json(measure.arrival);
                                 return message;
                               },
                               [](const MeasureLibrary& measure) {
                                 return Json{{"do", "library"},
                                             {"operation", name(measure.point.collective)},
                                             {"ranks", measure.point.ranks},
                                             {"size", measure.point.size},
                                             {"repetitions", measure.effort.repetitions},
                                             {"seconds", measure.effort.seconds}};
                               }},
                    request);
}

// Groups of ranks that there are, none in two of them.
std::vector<std::vector<Rank>> groups_from(const Json& message, int world_ranks) {
  std::vector<std::vector<Rank>> groups;
  std::vector<bool> taken(static_cast<std::size_t>(world_ranks));
  for (const Json& group : message.at("groups")) {
    for (const Rank rank : groups.emplace_back(whole_list<Rank>(group))) {
      check(rank >= 0 && rank < world_ranks && !taken[static_cast<std::size_t>(rank)],
            "a rank does not exist or is in two groups");
      taken[static_cast<std::size_t>(rank)] = true;
    }
  }
  return groups;
}

MakeExperiment experiment_from(const Json& message, int world_ranks) {
  const auto experiment = experiment_named(message.at("what").get<std::string>());
  check(experiment.has_value(), "no such experiment");
  MakeExperiment make{*experiment, groups_from(message, world_ranks), whole<std::size_t>(message.at("bytes")),
                      whole<int>(message.at("repetitions"))};
  check(make.bytes <= offline::longest_message, "messages are too long");
  for (const auto& group : make.groups) {
    const std::size_t ranks = group.size();
    check(*experiment == Experiment::crossing     ? ranks >= 2 && ranks % 2 == 0
          : *experiment >= Experiment::one_to_all ? ranks >= 2
                                                  : ranks == 2,
          "a group has not as many ranks as its experiment");
  }
  return make;
}

Point point_from(const Json& message, int world_ranks) {
  const auto called = Called::named(message.at("operation").get<std::string>());
  check(called.has_value(), "no such operation");
  const Point point{called->collective, whole<int>(message.at("ranks")),
                    whole<std::size_t>(message.at("size")), called->mode};
  check(point.ranks >= 1 && point.ranks <= world_ranks, "there are not so many ranks");
  check(point.size <= offline::longest_message, "messages are too long");
  return point;
}

Measurer::Effort effort_from(const Json& message) {
  return {whole<int>(message.at("repetitions")), message.at("seconds")};
}

MeasureLibrary library_from(const Json& message, int world_ranks) {
  const MeasureLibrary measure{point_from(message, world_ranks), effort_from(message)};
  check(measure.point.mode == Mode::blocking && !traits(measure.point.collective).on_neighbors,
        "libraries have switches for blocking operations only");
  return measure;
}

ArrivalPattern arrival_from(const Json& message, int ranks) {
  const int kind = message.at("kind");
  const double late_s = message.at("late_s"), mean_s = message.at("mean_s");
  check(kind >= 0 && kind <= static_cast<int>(ArrivalPattern::Kind::recorded),
        "there is no such arrival pattern");
  check(late_s >= 0 && late_s <= offline::latest_arrival_s && mean_s >= 0 && mean_s <= late_s,
        "ranks come too late");
  ArrivalPattern arrival{static_cast<ArrivalPattern::Kind>(kind), late_s, mean_s};
  const auto comes_in_time = [](double late) { return late >= 0 && late <= offline::latest_arrival_s; };
  for (const Json& entry : message.value("calls", Json::array())) {
    ArrivalPattern::Call& call = arrival.calls.emplace_back();
    call.others_s = entry.at("others_s");
    check(comes_in_time(call.others_s), "ranks come too late");
    for (const Json& one : entry.at("last")) {
      const auto& [rank, late] = call.last.emplace_back(whole<int>(one.at(0)), one.at(1));
      check(rank >= 0 && rank < ranks && comes_in_time(late), "a rank comes too late, or does not exist");
    }
  }
  return arrival;
}

MeasurePlans measurement_from(const Json& message, int world_ranks) {
  MeasurePlans measure{point_from(message, world_ranks), {}, effort_from(message)};
  measure.point.stencil = message.value("stencil", default_stencil);
  const Collective collective = measure.point.collective;
  const auto lengths = block_lengths_named(message.value("blocks", std::string(name(BlockLengths::equal))));
  check(lengths.has_value(), "there are no blocks of such lengths");
  measure.point.lengths = *lengths;
  check(!traits(collective).on_neighbors || topology_of(measure.point),
        "there is no stencil of so many points");
  for (const auto& text : message.at("plans")) {
    auto plan = make_plan(collective, text.get<std::string>());
    if (!plan) throw std::invalid_argument(plan.error().message);
    measure.plans.push_back(std::move(*plan));
  }
  check(!measure.plans.empty(), "there is no plan to measure");
  const int behind = message.value("behind", 0);
  check(behind >= 0 && behind <= static_cast<int>(Measurer::Behind::either),
        "there is no such thing to do meanwhile");
  measure.effort.behind = static_cast<Measurer::Behind>(behind);
  if (message.contains("arrival")) measure.arrival = arrival_from(message["arrival"], measure.point.ranks);
  if (message.contains("groups")) measure.groups = groups_from(message, world_ranks);
  for (const auto& group : measure.groups)
    check(group.size() == static_cast<std::size_t>(measure.point.ranks), "groups are not of so many ranks");
  return measure;
}

UseNetwork network_from(const Json& message) {
  auto network = parse_network(message.at("network"), "to measure on");
  if (!network) throw std::invalid_argument(network.error().message);
  return {std::move(*network)};
}

Request request_from(const Json& message, int world_ranks) {
  const std::string wanted = message.at("do");
  if (wanted == "quit") return Quit{};
  if (wanted == "combine") return Combine{};
  if (wanted == "places") return TellPlaces{};
  if (wanted == "network") return network_from(message);
  if (wanted == "experiment") return experiment_from(message, world_ranks);
  if (wanted == "measure") return measurement_from(message, world_ranks);
  if (wanted == "library") return library_from(message, world_ranks);
  throw std::invalid_argument(fmt::format("nobody knows how to do '{}'", wanted));
}

Json to_json(const PlacesInHosts& places) {
  auto parts = Json::object();
  for (const HostPartWords& each : host_parts) parts[std::string(each.name)] = places[each.part];
  return parts;
}

Json json_of(const Reply& reply) {
  return std::visit(Overloaded{[](const Done&) { return Json::object(); },
                               [](const Site& site) {
                                 return Json{{"fingerprint", to_json(site.fingerprint)},
                                             {"ranks", site.ranks},
                                             {"hosts", site.hosts},
                                             {"in_hosts", to_json(site.in_hosts)},
                                             {"simulated", site.simulated},
                                             {"components", to_json(site.components)}};
                               },
                               [](const Seconds& seconds) {
                                 return Json{{"seconds", seconds}};
                               },
                               [](const Combinations& combinations) {
                                 auto list = Json::array();
                                 for (const auto& [operation, type, seconds] : combinations)
                                   list.push_back({operation, type, seconds});
                                 return Json{{"combinations", list}};
                               },
                               [](const Places& places) {
                                 return Json{{"names", places.names}, {"addresses", places.addresses}};
                               },
                               [](const Measurer::Samples& samples) {
                                 return Json{{"hosts", samples.hosts},
                                             {"samples", samples.seconds},
                                             {"left_out", samples.left_out},
                                             {"leaves", samples.leaves_s}};
                               },
                               [](const LibrarySamples& samples) {
                                 return Json{{"hosts", samples.hosts},
                                             {"algorithms", samples.algorithms},
                                             {"library_samples", samples.seconds},
                                             {"above", to_json(samples.above)}};
                               },
                               [](const Error& error) {
                                 return Json{{"error", error.message}};
                               }},
                    reply);
}

Reply reply_from(const Json& message) {
  if (message.contains("error")) return Error{message["error"]};
  if (message.contains("fingerprint")) {
    Site site{fingerprint_from_json(message["fingerprint"]), whole<int>(message.at("ranks")),
              whole_list<int>(message.at("hosts")), message.at("simulated"),
              components_from_json(message.at("components"))};
    const auto ranks = static_cast<std::size_t>(site.ranks);
    check(site.ranks >= 1 && site.hosts.size() == ranks, "not every rank has a host");
    for (const HostPartWords& each : host_parts) {
      site.in_hosts[each.part] = whole_list<int>(message.at("in_hosts").at(std::string(each.name)));
      check(site.in_hosts[each.part].empty() || site.in_hosts[each.part].size() == ranks,
            "not every rank has a place in its host");
    }
    return site;
  }
  if (message.contains("seconds")) return message["seconds"].get<Seconds>();
  if (message.contains("samples"))
    return Measurer::Samples{whole<int>(message.at("hosts")), message["samples"].get<std::vector<Seconds>>(),
                             message.at("left_out"), message.at("leaves").get<std::vector<Seconds>>()};
  if (message.contains("library_samples")) {
    LibrarySamples samples{whole<int>(message.at("hosts")), message.at("algorithms"),
                           message["library_samples"].get<std::vector<Seconds>>(),
                           components_from_json(message.at("above"))};
    check(samples.algorithms.size() == samples.seconds.size(), "not every algorithm has samples");
    return samples;
  }
  if (message.contains("combinations")) {
    Combinations list;
    for (const Json& entry : message["combinations"]) list.push_back({entry.at(0), entry.at(1), entry.at(2)});
    return list;
  }
  if (message.contains("addresses")) {
    Places places{message.at("names"), message.at("addresses")};
    check(places.names.size() == places.addresses.size(), "not every host has a name and an address");
    return places;
  }
  check(message.is_object() && message.empty(), "it is no reply");
  return Done{};
}

// A string may hold bytes that are no UTF-8: of machines' names, or cut out of them.
std::string line_of(const Json& message) {
  return json_text(message);
}

}  // namespace

std::string to_text(const Request& request) {
  return line_of(json_of(request));
}

Result<Request> parse_request(const std::string& line, int world_ranks) {
  try {
    return request_from(parse_json(line), world_ranks);
  } catch (const std::exception& error) {
    return failure(error.what());
  }
}

std::string to_text(const Reply& reply) {
  return std::string(reply_mark) + line_of(json_of(reply));
}

std::optional<Reply> parse_reply(const std::string& line) {
  const auto at = line.find(reply_mark);
  if (at == line.npos) return std::nullopt;
  try {
    return reply_from(parse_json(line.substr(at + reply_mark.size())));
  } catch (const std::exception&) {
    return Error{"the measuring program's output was garbled; keep its standard output a line at a time"};
  }
}

}  // namespace tutti::inline choose::protocol
