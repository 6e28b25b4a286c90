#include "choose/profile/profile.hpp"

#include <algorithm>

#include "base/document.hpp"
#include "base/json.hpp"
#include "choose/evidence/fingerprint_file.hpp"

namespace tutti::inline choose {
namespace {

constexpr DocumentKind kind{"profile", "tutti-profile-1", "tutti run --profile"};

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
    profile.calls[what].merge({.calls = whole<std::uint64_t>(entry.at("calls")),
                               .bytes = entry.at("bytes"),
                               .seconds = entry.at("seconds"),
                               .least_s = entry.at("least_s"),
                               .most_s = entry.at("most_s"),
                               .shortest_s = entry.at("shortest_s"),
                               .ranks = whole<int>(entry.at("ranks"))});
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

// Whether a late rank surely keeps all others waiting. In an irregular all-to-all two ranks may
// have nothing for each other.
bool surely_waits_for_all(Collective collective) {
  const bool any_may_be_empty =
      is_irregular(collective) && traits(collective).regular == Collective::alltoall;
  return all_wait_for_all(collective) && !any_may_be_empty;
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
  }
  for (const auto& [function, spent] : profile.functions)
    root["functions"][function] = {
        {"calls", spent.calls}, {"bytes", spent.bytes}, {"seconds", spent.seconds}};
  // Names are the program's, in any encoding.
  return json_text(root, 1) + "\n";
}

}  // namespace tutti::inline choose
