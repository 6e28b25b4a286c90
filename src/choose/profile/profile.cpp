#include "choose/profile/profile.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "base/document.hpp"
#include "base/json.hpp"
#include "choose/evidence/fingerprint_file.hpp"
#include "choose/profile/constants.hpp"

namespace tutti::inline choose {
namespace {

constexpr DocumentKind kind{"profile", "tutti-profile-1", "tutti run --profile"};

// Times of sampled calls to the nanosecond: they are many. Those of years are no measurement.
double rounded(double seconds) {
  constexpr double a_second = 1e9;  // in nanoseconds
  const double whole_ns = std::round(seconds * a_second);
  return whole_ns < 9e15 ? whole_ns / a_second : seconds;
}

Json to_json(const SampledCalls& sampled) {
  Json calls = Json::array();
  for (const SampledCalls::Call& call : sampled.calls) {
    Json last = Json::array();
    for (const SampledCalls::Stay& stay : call.last) last.push_back({stay.rank, rounded(stay.seconds)});
    calls.push_back(
        {{"longest_s", rounded(call.longest_s)}, {"seconds", rounded(call.seconds)}, {"last", last}});
  }
  return {
      {"communicator", sampled.communicator}, {"of", sampled.of}, {"ranks", sampled.ranks}, {"calls", calls}};
}

SampledCalls sampled_from(const Json& json, int comm_size) {
  SampledCalls sampled{.communicator = whole<std::uint64_t>(json.at("communicator")),
                       .of = whole<std::uint64_t>(json.at("of")),
                       .ranks = whole<int>(json.at("ranks"))};
  if (sampled.ranks < 1 || sampled.ranks > comm_size)
    throw std::invalid_argument(
        fmt::format("calls of {} ranks are sampled on a communicator of {}", sampled.ranks, comm_size));
  for (const Json& entry : json.at("calls")) {
    SampledCalls::Call call{quantity(entry.at("longest_s"), "longest_s"),
                            quantity(entry.at("seconds"), "seconds")};
    for (const Json& stay : entry.at("last")) {
      call.last.push_back({whole<int>(stay.at(0)), quantity(stay.at(1), "last")});
      const auto [rank, seconds] = call.last.back();
      if (rank < 0 || rank >= comm_size || seconds > call.longest_s)
        throw std::invalid_argument(fmt::format(
            "rank {} is not on the communicator, or longer in a sampled call than the longest", rank));
    }
    sampled.calls.push_back(std::move(call));
  }
  return sampled;
}

Profile profile_from_json(const Json& root) {
  Profile profile{.fingerprint = fingerprint_from_json(root.at("fingerprint")),
                  .date = root.at("date"),
                  .ranks = whole<int>(root.at("ranks")),
                  .hosts = whole<int>(root.at("hosts")),
                  .seconds = root.at("seconds"),
                  .profiled_ranks = whole<int>(root.at("profiled_ranks")),
                  .calls = {}};
  for (const Json& entry : root.at("calls")) {
    const auto operation = entry.at("operation").get<std::string>();
    const auto collective = collective_named(operation);
    if (!collective) throw std::invalid_argument(fmt::format("no operation '{}'", operation));
    const int number = whole<int>(entry.at("size_class"));
    if (number < 0 || number >= SizeClass::count)
      throw std::invalid_argument(
          fmt::format("size_class {} is none of 0 to {}", number, SizeClass::count - 1));
    const ProfiledKind what{
        *collective,      {whole<int>(entry.at("comm_size")), whole<int>(entry.at("hosts"))},
        {number},         entry.at("communicator"),
        entry.at("plan"), entry.value("phase", "")};
    ProfiledCalls spent{.calls = whole<std::uint64_t>(entry.at("calls")),
                        .bytes = entry.at("bytes"),
                        .seconds = entry.at("seconds"),
                        .least_s = entry.at("least_s"),
                        .most_s = entry.at("most_s"),
                        .shortest_s = entry.at("shortest_s"),
                        .ranks = whole<int>(entry.at("ranks"))};
    if (entry.contains("sampled")) spent.sampled = sampled_from(entry["sampled"], what.placement.ranks);
    profile.calls[what].merge(spent);
  }
  if (root.contains("functions"))
    for (const auto& [function, entry] : root["functions"].items())
      profile.functions[function] = {whole<std::uint64_t>(entry.at("calls")), entry.at("bytes"),
                                     entry.at("seconds")};
  return profile;
}

double per_rank(double seconds, const Profile& profile) {
  return profile.profiled_ranks > 0 ? seconds / profile.profiled_ranks : 0;
}

}  // namespace

void ProfiledFunction::merge(const ProfiledFunction& other) {
  calls += other.calls;
  bytes += other.bytes;
  seconds += other.seconds;
}

void ProfiledCalls::add(std::uint64_t more, double more_bytes, double took_s, double shortest_call_s) {
  shortest_s = calls == 0 ? shortest_call_s : std::min(shortest_s, shortest_call_s);
  calls += more;
  bytes += more_bytes;
  seconds += took_s;
  least_s = most_s = seconds / static_cast<double>(calls);
  ranks = 1;
}

void ProfiledCalls::merge(const ProfiledCalls& other) {
  if (other.ranks == 0) return;
  const bool first = ranks == 0;
  calls += other.calls;
  bytes += other.bytes;
  seconds += other.seconds;
  least_s = first ? other.least_s : std::min(least_s, other.least_s);
  most_s = std::max(most_s, other.most_s);
  shortest_s = first ? other.shortest_s : std::min(shortest_s, other.shortest_s);
  ranks += other.ranks;
  sampled.merge(other.sampled);
}

double ProfiledCalls::waiting_at_least_s(Collective collective) const {
  if (!surely_waits_for_all(collective)) return 0;
  return std::max(0.0, seconds - static_cast<double>(calls) * least_s);
}

double ProfiledCalls::waiting_at_most_s(Collective collective) const {
  return std::max(waiting_at_least_s(collective), seconds - static_cast<double>(calls) * shortest_s);
}

void Profile::merge(const Profile& other) {
  seconds = std::max(seconds, other.seconds);
  profiled_ranks += other.profiled_ranks;
  for (const auto& [what, more] : other.calls) calls[what].merge(more);
  for (const auto& [name, more] : other.functions) functions[name].merge(more);
}

void Profile::settle_samples() {
  std::vector<std::pair<double, SampledCalls*>> known;
  for (auto& [what, spent] : calls) {
    if (!spent.sampled.is_whole(what.placement.ranks)) spent.sampled = {};
    if (spent.sampled.ranks > 0) known.emplace_back(spent.seconds, &spent.sampled);
  }
  std::ranges::stable_sort(known, std::greater(), &std::pair<double, SampledCalls*>::first);
  for (std::size_t i = profile::most_kinds_sampled; i < known.size(); ++i) *known[i].second = {};
}

void Profile::bound_samples(std::size_t kinds) {
  std::size_t sampled = 0;
  for (auto& [what, spent] : calls)
    if (spent.sampled.ranks > 0 && ++sampled > kinds) spent.sampled = {};
}

double Profile::collective_s() const {
  double sum = 0;
  for (const auto& [what, spent] : calls) sum += spent.seconds;
  return per_rank(sum, *this);
}

double Profile::other_s() const {
  double sum = 0;
  for (const auto& [name, spent] : functions) sum += spent.seconds;
  return per_rank(sum, *this);
}

Result<Profile> parse_profile(const std::string& text, const std::string& source) {
  return parse_document(kind, text, source, profile_from_json);
}

std::string to_text(const Profile& profile) {
  Json root{{"$schema", kind.schema},
            {"fingerprint", to_json(profile.fingerprint)},
            {"date", profile.date},
            {"ranks", profile.ranks},
            {"hosts", profile.hosts},
            {"seconds", profile.seconds},
            {"profiled_ranks", profile.profiled_ranks},
            {"calls", Json::array()}};
  for (const auto& [what, spent] : profile.calls) {
    root["calls"].push_back({{"operation", name(what.collective)},
                             {"comm_size", what.placement.ranks},
                             {"hosts", what.placement.hosts},
                             {"size_class", what.size.number},
                             {"communicator", what.communicator},
                             {"plan", what.plan},
                             {"calls", spent.calls},
                             {"bytes", spent.bytes},
                             {"seconds", spent.seconds},
                             {"least_s", spent.least_s},
                             {"most_s", spent.most_s},
                             {"shortest_s", spent.shortest_s},
                             {"ranks", spent.ranks}});
    if (!what.phase.empty()) root["calls"].back()["phase"] = what.phase;
    if (spent.sampled.ranks > 0) root["calls"].back()["sampled"] = to_json(spent.sampled);
  }
  for (const auto& [function, spent] : profile.functions)
    root["functions"][function] = {
        {"calls", spent.calls}, {"bytes", spent.bytes}, {"seconds", spent.seconds}};
  // Names are the program's, in any encoding.
  return json_text(root, 1) + "\n";
}

}  // namespace tutti::inline choose
