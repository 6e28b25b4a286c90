#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "base/document.hpp"
#include "base/json.hpp"
#include "base/suggest.hpp"
#include "choose/evidence/knowledge.hpp"
#include "core/network/network_file.hpp"

namespace tutti::inline choose {
namespace {

constexpr DocumentKind kind{"knowledge", "tutti-knowledge-1",
                            "tutti run, which leaves this file alone: move it away first"};
constexpr std::array<std::string_view, operand_orders> orders{"any", "rank order", "fixed order"};

Json sample_to_json(const Sample& sample) {
  return {
      {"count", sample.count}, {"weight", sample.weight}, {"mean", sample.mean}, {"squares", sample.squares}};
}

Sample sample_from_json(const Json& value, double least_mean) {
  return {quantity(value.at("count"), "count"), quantity(value.at("weight"), "weight"),
          quantity(value.at("mean"), "mean", least_mean), quantity(value.at("squares"), "squares")};
}

Day day_from_json(const Json& value) {
  const auto text = value.get<std::string>();
  int year = 0;
  unsigned month = 0, day = 0;
  const std::chrono::year_month_day date =
      std::sscanf(text.c_str(), "%d-%u-%u", &year, &month, &day) == 3
          ? std::chrono::year(year) / std::chrono::month(month) / std::chrono::day(day)
          : std::chrono::year_month_day{};
  if (!date.ok()) throw std::invalid_argument(fmt::format("'{}' is no date such as 2026-03-01", text));
  return std::chrono::sys_days(date).time_since_epoch().count();
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
                    .first = day_from_json(known.at("first")),
                    .last = day_from_json(known.at("last"))};
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
  known["first"] = date_text(evidence.first);
  known["last"] = date_text(evidence.last);
  return known;
}

Knowledge knowledge_from_json(const Json& root) {
  Knowledge knowledge;
  knowledge.machine = root.at("machine");
  if (root.contains("as_of")) knowledge.as_of = day_from_json(root["as_of"]);
  for (const Json& entry : root.at("networks")) {
    auto network = read_network(entry.at("network"), "of the knowledge");
    if (!network) throw std::invalid_argument(network.error().message);
    knowledge.networks.insert_or_assign({entry.at("mpi"), entry.value("transport", "")}, std::move(*network));
  }
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

std::string date_text(Day day) {
  const std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days{day}}};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                     static_cast<unsigned>(date.day()));
}

Result<Knowledge> parse_knowledge(const std::string& text, const std::string& source) {
  return parse_document(kind, text, source, knowledge_from_json);
}

std::string to_text(const Knowledge& knowledge) {
  Json root;
  root["$schema"] = kind.schema;
  root["machine"] = knowledge.machine;
  if (knowledge.as_of > 0) root["as_of"] = date_text(knowledge.as_of);
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
