#include <fmt/format.h>

#include <algorithm>

#include "base/document.hpp"
#include "base/json.hpp"
#include "base/json_members.hpp"
#include "base/suggest.hpp"
#include "choose/evidence/knowledge.hpp"
#include "core/network/network_file.hpp"

namespace tutti::inline choose {
namespace {

constexpr DocumentKind kind{"knowledge", "tutti-knowledge-1",
                            "tutti run, which leaves this file alone: move it away first"};
constexpr std::array<std::string_view, operand_orders> orders{"any", "rank order", "fixed order"};

constexpr const char* groups_member = "groups_of_hosts";

Json sample_to_json(const Sample& sample) {
  return {
      {"count", sample.count}, {"weight", sample.weight}, {"mean", sample.mean}, {"squares", sample.squares}};
}

Sample sample_from_json(const Json& value, double least_mean) {
  return {quantity(value.at("count"), "count"), quantity(value.at("weight"), "weight"),
          quantity(value.at("mean"), "mean", least_mean), quantity(value.at("squares"), "squares")};
}

CallClass calls_from_json(const Json& entry) {
  const auto collective_name = entry.at("collective").get<std::string>();
  const auto called = Called::named(collective_name);
  if (!called) {
    std::vector<std::string_view> names;
    for (const auto& known : collectives) names.push_back(known.name);
    throw std::invalid_argument(
        fmt::format("no collective '{}'{}", collective_name, suggestion(collective_name, names)));
  }
  const auto order = std::find(orders.begin(), orders.end(), entry.at("operands").get<std::string>());
  if (order == orders.end())
    throw std::invalid_argument(fmt::format("no order of operands {}", entry["operands"].dump()));
  CallClass calls{called->collective,
                  {whole<int>(entry.at("ranks")), whole<int>(entry.at("hosts"))},
                  SizeClass::of(whole<std::size_t>(entry.at("msg_size_min"))),
                  static_cast<OperandOrders>(order - orders.begin()),
                  entry.value("neighbors", ""),
                  called->mode};
  if (calls.placement.ranks < 1 || calls.placement.hosts < 1)
    throw std::invalid_argument(
        fmt::format("{} ranks on {} hosts", calls.placement.ranks, calls.placement.hosts));
  return calls;
}

// A plan's text as it is written now, if this Tutti has the plan.
struct PlanText {
  std::string text;
  bool known;
};

PlanText plan_text(Collective collective, const Json& value) {
  const auto text = value.get<std::string>();
  const auto plan = make_plan(collective, text);
  return plan ? PlanText{plan->text(), true} : PlanText{text, false};
}

Evidence evidence_from_json(Collective collective, const Json& known) {
  Evidence evidence{.calls = quantity(known.at("calls"), "calls"),
                    .seconds = sample_from_json(known.at("seconds"), 0),
                    .against_native = sample_from_json(known.at("contrast_to_native"), -1),
                    .alone = known.contains("alone_s") ? quantity(known["alone_s"], "alone_s") : 0,
                    .untried_s = known.contains("untried_s") ? quantity(known["untried_s"], "untried_s") : 0,
                    .first = read_day(known.at("first")),
                    .last = read_day(known.at("last"))};
  for (const Json& other : known.value("contrasts_to_others", Json::array()))
    evidence.against_others[plan_text(collective, other.at("plan")).text].merge(
        sample_from_json(other.at("contrast"), -1));
  return evidence;
}

Json evidence_to_json(const std::string& plan, const Evidence& evidence) {
  Json known{{"plan", plan},
             {"calls", evidence.calls},
             {"seconds", sample_to_json(evidence.seconds)},
             {"contrast_to_native", sample_to_json(evidence.against_native)}};
  for (const auto& [other, contrasts] : evidence.against_others)
    known["contrasts_to_others"].push_back({{"plan", other}, {"contrast", sample_to_json(contrasts)}});
  if (evidence.alone > 0) known["alone_s"] = evidence.alone;
  if (evidence.untried_s > 0) known["untried_s"] = evidence.untried_s;
  known["first"] = date_text(evidence.first);
  known["last"] = date_text(evidence.last);
  return known;
}

std::vector<FoundGroups> found_groups_from_json(const Json& list) {
  std::vector<FoundGroups> all;
  for (const Json& entry : list) {
    auto whereabouts = whereabouts_of(entry.at("hosts"), "the knowledge's groups of hosts");
    if (!whereabouts) throw std::invalid_argument(whereabouts.error().message);
    all.push_back({std::move(*whereabouts), read_day(entry.at("last"))});
  }
  return all;
}

// By host the groups that it is in, the innermost first.
Json to_json(const FoundGroups& found) {
  auto hosts = Json::object();
  for (const auto& [host, group] : found.whereabouts.group_of) {
    auto groups = groups_of_host(found.whereabouts, host);
    std::ranges::reverse(groups);
    hosts[host] = std::move(groups);
  }
  return {{"last", date_text(found.last)}, {"hosts", std::move(hosts)}};
}

Knowledge knowledge_from_json(const Json& root) {
  Knowledge knowledge;
  knowledge.machine = root.at("machine");
  if (root.contains("as_of")) knowledge.as_of = read_day(root["as_of"]);
  for (const Json& entry : root.at("networks")) {
    auto network = read_network(entry.at("network"), "of the knowledge");
    if (!network) throw std::invalid_argument(network.error().message);
    knowledge.networks.insert_or_assign({entry.at("mpi"), entry.value("transport", "")}, std::move(*network));
  }
  if (root.contains(groups_member)) knowledge.groups = found_groups_from_json(root[groups_member]);
  for (const Json& entry : root.at("classes")) {
    const Knowledge::Key key{entry.at("mpi"), calls_from_json(entry), entry.value("transport", "")};
    const Collective collective = key.calls.collective;
    for (const Json& seen : entry.at("plans")) {
      const auto [plan, known] = plan_text(collective, seen.at("plan"));
      Knowledge::Classes& classes = known ? knowledge.classes : knowledge.of_other_versions;
      classes[key][plan].merge(evidence_from_json(collective, seen));
    }
  }
  return knowledge;
}

}  // namespace

Result<Knowledge> parse_knowledge(const std::string& text, const std::string& source) {
  return parse_document(kind, text, source, knowledge_from_json);
}

std::vector<FoundGroups> parse_found_groups(const std::string& text) {
  const auto list = member_named(text, groups_member);
  if (!list) return {};
  try {
    return found_groups_from_json(parse_json(*list));
  } catch (const std::exception&) {
    return {};
  }
}

std::string to_text(const Knowledge& knowledge) {
  Json root;
  root["$schema"] = kind.schema;
  root["machine"] = knowledge.machine;
  if (knowledge.as_of > 0) root["as_of"] = date_text(knowledge.as_of);
  for (const FoundGroups& found : knowledge.groups) root[groups_member].push_back(to_json(found));
  root["networks"] = Json::array();
  for (const auto& [stack, network] : knowledge.networks) {
    Json entry{{"mpi", stack.mpi}};
    if (!stack.transport.empty()) entry["transport"] = stack.transport;
    entry["network"] = parse_json(to_text(network));
    root["networks"].push_back(std::move(entry));
  }
  root["classes"] = Json::array();
  Knowledge::Classes all = knowledge.classes;
  for (const auto& [key, plans] : knowledge.of_other_versions) all[key].insert(plans.begin(), plans.end());
  for (const auto& [key, plans] : all) {
    const CallClass& calls = key.calls;
    Json entry{{"mpi", key.mpi}};
    if (!key.transport.empty()) entry["transport"] = key.transport;
    entry.update({{"collective", calls.called().name()},
                  {"ranks", calls.placement.ranks},
                  {"hosts", calls.placement.hosts},
                  {"msg_size_min", calls.size.smallest()},
                  {"msg_size_max", calls.size.largest()},
                  {"operands", orders[static_cast<std::size_t>(calls.operands)]}});
    if (!calls.neighbors.empty()) entry["neighbors"] = calls.neighbors;
    for (const auto& [plan, evidence] : plans) entry["plans"].push_back(evidence_to_json(plan, evidence));
    root["classes"].push_back(std::move(entry));
  }
  return json_text(root, 1) + "\n";
}

}  // namespace tutti::inline choose
