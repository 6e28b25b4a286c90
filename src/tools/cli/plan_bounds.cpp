#include "tools/cli/plan_bounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/duration.hpp"
#include "base/share.hpp"
#include "base/size.hpp"
#include "core/plan/plan_symmetry.hpp"
#include "core/plan/sampled_price.hpp"
#include "tools/cli/priced_network.hpp"

namespace tutti::tools {
namespace {

constexpr std::size_t most_stretches = 12;  // printed of a critical path
constexpr std::size_t most_messages = 3;    // named of a stretch

const std::string* queue_of(const PlanBounds& bounds, const PathStretch& stretch) {
  return stretch.queued > 0 ? &bounds.places[static_cast<std::size_t>(stretch.queued_at)] : nullptr;
}

std::string bytes_text(double bytes) {
  return size_text(static_cast<std::size_t>(std::llround(bytes)));
}

// "64K", or "1K to 64K".
std::string sizes_text(const PathStretch& stretch) {
  const std::string least = bytes_text(stretch.least_bytes), most = bytes_text(stretch.most_bytes);
  return least == most ? most : least + " to " + most;
}

// "0 -> 4", "0 -> 4 -> 6", "1 -> 0, 2 -> 0 .. 7 -> 0": the first ones, and the last.
std::string messages_text(const PathStretch& stretch) {
  const auto& all = stretch.messages;
  if (all.size() > 1 && std::ranges::all_of(all, [&](const auto& one) { return one == all.front(); }))
    return fmt::format("all {} -> {}", all.front().first, all.front().second);
  std::string text = fmt::format("{} -> {}", all.front().first, all.front().second);
  const std::size_t first_ones = all.size() <= most_messages ? all.size() : most_messages - 1;
  for (std::size_t i = 1; i < first_ones; ++i)
    text += all[i].first == all[i - 1].second ? fmt::format(" -> {}", all[i].second)
                                              : fmt::format(", {} -> {}", all[i].first, all[i].second);
  if (first_ones < all.size()) text += fmt::format(" .. {} -> {}", all.back().first, all.back().second);
  return text;
}

std::string text_of(const PlanBounds& bounds, const PathStretch& stretch) {
  std::string text;
  if (stretch.is_native) text = "a phase of the MPI library";
  if (!stretch.messages.empty())
    text = fmt::format("{} {} of {} bytes: {}", counted(stretch.messages.size(), "message"), stretch.level,
                       sizes_text(stretch), messages_text(stretch));
  if (stretch.combinations > 0)
    text += fmt::format("{}{}", text.empty() ? "" : "; ", counted(stretch.combinations, "combination"));
  if (const std::string* place = queue_of(bounds, stretch))
    text += fmt::format("; {}queued{}: {}",
                        stretch.messages.size() == 1 ? "" : fmt::format("{} of them ", stretch.queued),
                        stretch.is_queued_at_one ? "" : ", most", *place);
  return text.empty() ? "a message is handed over" : text;
}

std::string text_of(const PathShare& share, double seconds) {
  return fmt::format("{} {} ({}{})", share.of, time_text(share.seconds),
                     share_text(seconds > 0 ? share.seconds / seconds : 0),
                     share.queued_s > 0 ? fmt::format(", {} of it queued", time_text(share.queued_s)) : "");
}

}  // namespace

PlanBounds bounds_of(const Plan& plan, const Setting& setting, std::size_t size, const Network& network,
                     const KnownNetwork* known) {
  PlanBounds bounds{
      .limits = limits_of(plan.collective(), size, network, setting.ranks, known ? known->sites : Sites{}),
      .seconds = {}};
  if (plan.is_left_to_library()) return bounds;
  const std::size_t bytes = total_bytes(plan.collective(), setting, size);
  const Shape shape = shape_of(plan, setting, 0, bytes);
  const Outline needed(plan, shape, bytes, network);
  if (needed.operations() > many_operations) {
    const auto sampled = shape.lengths == BlockLengths::equal
                             ? sampled_price(plan, setting.ranks, size, network)
                             : std::nullopt;
    if (sampled) {
      bounds.seconds = sampled->seconds;
      bounds.told_from = sampled->ranks;
    }
    return bounds;
  }
  const Schedule schedule = needed.schedule();
  Price price = tutti::price(schedule, bytes, network);
  const GroupLevels levels = known ? known->levels : GroupLevels::of(network, setting.ranks);
  bounds.seconds = price.seconds;
  bounds.shares = shares_of(price, schedule, network, levels);
  bounds.stretches = stretches_of(price, schedule, network, levels);
  bounds.places = std::move(price.places);
  bounds.busy_way = std::move(price.busy_way);
  return bounds;
}

std::string limits_text(const TimeLimits& limits) {
  std::string text = time_text(limits.all());
  if (limits.sites <= 0 && limits.groups <= 0) return text;
  text += fmt::format(" (links {}", time_text(limits.links));
  if (limits.sites > 0) text += fmt::format(", sites {}", time_text(limits.sites));
  if (limits.groups > 0) text += fmt::format(", groups {}", time_text(limits.groups));
  return text + ")";
}

std::string bounds_text(const PlanBounds& bounds, const std::string& network) {
  if (!bounds.seconds) return "";
  std::string text = fmt::format("priced on {}: {}", network, time_text(*bounds.seconds));
  if (bounds.limits.all() > 0)
    text += fmt::format(", {:.2f} times the limit", *bounds.seconds / bounds.limits.all());
  if (!bounds.told_from.empty())
    return text +
           fmt::format(", told from {} .. {} ranks\n", bounds.told_from.front(), bounds.told_from.back());
  text += "\n";
  if (bounds.shares.empty()) return text;
  text += "critical path: ";
  for (const PathShare& share : bounds.shares)
    if (share.seconds > 0 || &share == &bounds.shares.front())
      text += (&share == &bounds.shares.front() ? "" : ", ") + text_of(share, *bounds.seconds);
  text += "\n";
  for (std::size_t i = 0; i < std::min(most_stretches, bounds.stretches.size()); ++i)
    text += fmt::format("  {:>12} .. {:<12} {}\n", time_text(bounds.stretches[i].start),
                        time_text(bounds.stretches[i].end), text_of(bounds, bounds.stretches[i]));
  if (bounds.stretches.size() > most_stretches)
    text += fmt::format("  and {}, to {}\n", counted(bounds.stretches.size() - most_stretches, "more part"),
                        time_text(*bounds.seconds));
  if (const Price::Way& way = bounds.busy_way; !way.name.empty())
    text += fmt::format("busiest way that messages share: {}, {}\n", way.name, time_text(way.seconds));
  return text;
}

void add_to(Json& json, const PlanBounds& bounds) {
  json["limit_s"] = bounds.limits.all();
  json["limits"] = {
      {"links_s", bounds.limits.links}, {"sites_s", bounds.limits.sites}, {"groups_s", bounds.limits.groups}};
  if (!bounds.seconds) return;
  json["priced_s"] = *bounds.seconds;
  if (!bounds.told_from.empty()) {
    json["sampled_ranks"] = bounds.told_from;
    return;
  }
  if (const Price::Way& way = bounds.busy_way; !way.name.empty())
    json["busiest_way"] = {{"name", way.name}, {"busy_s", way.seconds}};
  json["critical_path"] = Json::array();
  for (const PathStretch& stretch : bounds.stretches) {
    Json entry{{"start_s", stretch.start},
               {"end_s", stretch.end},
               {"level", stretch.level},
               {"messages", stretch.messages},
               {"least_bytes", stretch.least_bytes},
               {"most_bytes", stretch.most_bytes},
               {"combinations", stretch.combinations},
               {"native", stretch.is_native},
               {"queued", stretch.queued}};
    if (const std::string* place = queue_of(bounds, stretch)) entry["queued_at"] = *place;
    json["critical_path"].push_back(std::move(entry));
  }
  json["spent_on"] = Json::array();
  for (const PathShare& share : bounds.shares)
    json["spent_on"].push_back({{"what", share.of},
                                {"seconds", share.seconds},
                                {"queued_s", share.queued_s},
                                {"steps", share.steps}});
}

}  // namespace tutti::tools
