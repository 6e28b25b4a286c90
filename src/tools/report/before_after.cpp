#include "tools/report/before_after.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "base/size.hpp"
#include "choose/evidence/decided_points.hpp"

namespace tutti::tools {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// What one call of a kind takes on one side.
struct CallTime {
  Interval seconds;
  std::string plan = {};
  bool doubtful = false;              // nothing is concluded from it
  std::optional<double> of_run = {};  // share of the run that these calls took
};
// Calls in words, and what they are compared by beside that: a plan, or a part that it has.
struct CallKey {
  std::string calls, by;
  friend auto operator<=>(const CallKey&, const CallKey&) = default;
};
using CallTimes = std::map<CallKey, CallTime>;
constexpr std::string_view natively = "native", as_served = "as served";

struct Side {
  ComparedSide shown;
  CallTimes times;
};

std::string words(const std::string& operation, Placement placement, const std::string& size) {
  return fmt::format("{} on {}{}", operation, placement_text(placement), size.empty() ? "" : ", " + size);
}

std::string words(const Measurement& m) {
  return words(m.called().name(), {m.ranks, m.hosts}, size_text(m.size)) +
         (m.situation ? ", " + describe(*m.situation) : "");
}

CallTime time_of(const Measurement& m) {
  return {m.seconds, m.plan, m.unstable || m.two_modes};
}

// A class of sizes by its smallest and largest one.
std::string words(SizeClass size) {
  return size.smallest() == size.largest()
             ? size_text(size.smallest())
             : fmt::format("{} to {}", size_text(size.smallest()), size_text(size.largest()));
}

// What all of these calls were of the average rank's run; nothing where that took no time.
std::optional<double> share_of_run(double seconds, const Profile& profile) {
  if (!(profile.seconds > 0)) return std::nullopt;
  return seconds / std::max(1, profile.profiled_ranks) / profile.seconds;
}

// The average call lies within its shortest one and the average of the slowest rank. By chance
// alone no call of as few is shorter than the other side's average.
CallTime time_of(const ProfiledCalls& spent, const std::string& plan, const Profile& profile) {
  constexpr double fewest_calls = 7;  // of a rank: a half to that power is below 1 %
  const auto calls = static_cast<double>(spent.calls);
  return {{spent.shortest_s, spent.seconds / calls, spent.most_s},
          plan,
          calls < fewest_calls * std::max(1, spent.ranks),
          share_of_run(spent.seconds, profile)};
}

Side side_of(const ReportedProfile& reported) {
  const Profile& profile = reported.profile;
  Side side{{reported.file, profile.fingerprint,
             fmt::format("{} ranks on {}, {}", profile.ranks, counted(profile.hosts, "host"), profile.date),
             profile.seconds},
            {}};
  struct Together {
    ProfiledCalls spent;
    std::string plan;  // of most of the time
    double most_s = -1;
  };
  std::map<std::string, Together> kinds;
  for (const auto& [kind, spent] : profile.calls) {
    if (spent.calls == 0) continue;
    const bool sized = traits(kind.collective).size_means != SizeMeans::nothing || kind.size != SizeClass{};
    Together& all =
        kinds[words(std::string(name(kind.collective)), kind.placement, sized ? words(kind.size) : "")];
    all.spent.merge(spent);
    if (spent.seconds > all.most_s) all.plan = kind.plan, all.most_s = spent.seconds;
  }
  for (const auto& [what, all] : kinds) side.times[{what, ""}] = time_of(all.spent, all.plan, profile);
  for (const auto& [function, spent] : profile.functions)
    if (spent.calls > 0)
      side.times[{function, ""}] = {{0, spent.seconds / static_cast<double>(spent.calls), infinity},
                                    "",
                                    true,
                                    share_of_run(spent.seconds, profile)};
  return side;
}

// A table decides between native and what serves the calls.
void add_decided(Side& side, const Table& table) {
  for (const DecidedPoint& point : decided_points(table)) {
    const std::string calls = words(*point.native);
    side.times[{calls, std::string(natively)}] = time_of(*point.native);
    side.times[{calls, std::string(as_served)}] = time_of(*point.chosen);
  }
}

Side side_of(const Campaign& campaign) {
  Side side{{campaign.file, campaign.fingerprint}, {}};
  if (const auto& origin = campaign.table.origin) side.shown.about = origin->date;
  if (campaign.kind == "table") {
    add_decided(side, campaign.table);
    return side;
  }
  for (const Measurement& m : campaign.table.measurements) side.times[{words(m), m.plan}] = time_of(m);
  return side;
}

// Where native stays on both sides, what serves the calls says nothing new.
void drop_repeated(CallTimes& before, CallTimes& after) {
  const auto stays_native = [](const CallTimes& times, const CallKey& key) {
    const auto found = times.find(key);
    return found == times.end() || found->second.plan == natively;
  };
  std::vector<CallKey> repeated;
  for (const CallTimes* times : {&before, &after})
    for (const auto& [key, time] : *times)
      if (key.by == as_served && stays_native(before, key) && stays_native(after, key))
        repeated.push_back(key);
  for (const CallKey& key : repeated) {
    before.erase(key);
    after.erase(key);
  }
}

// A time of nothing tells less than any other: the clock did not see it.
Interval ratio_of(const Interval& before, const Interval& after) {
  const auto over = [](double x, double y) { return y > 0 ? x / y : infinity; };
  return {before.high > 0 ? after.low / before.high : 0,
          after.middle == before.middle ? 1 : over(after.middle, before.middle),
          over(after.high, before.low)};
}

bool is_sound(const Interval& seconds) {
  return 0 < seconds.low && seconds.low <= seconds.middle && seconds.middle <= seconds.high;
}

Change change_of(const CallTime& before, const CallTime& after, const Interval& ratio, double threshold) {
  const bool tells =
      !before.doubtful && !after.doubtful && is_sound(before.seconds) && is_sound(after.seconds);
  if (tells && ratio.low > 1) return Change::surely_slower;
  if (tells && ratio.high < 1) return Change::surely_faster;
  if (ratio.middle > threshold) return Change::perhaps_slower;
  if (ratio.middle < 1 / threshold) return Change::perhaps_faster;
  return Change::alike;
}

ComparedCalls compared(const std::string& calls_text, const CallTime& before, const CallTime& after,
                       double threshold) {
  ComparedCalls calls{calls_text,     before.plan,   after.plan,
                      before.seconds, after.seconds, ratio_of(before.seconds, after.seconds)};
  if (before.of_run && std::isfinite(calls.ratio.middle))
    calls.of_run = *before.of_run * (calls.ratio.middle - 1);
  calls.change = change_of(before, after, calls.ratio, threshold);
  return calls;
}

// Sure changes first; then by what they are of the run, or by their ratio where there is no run.
auto importance(const ComparedCalls& calls) {
  const bool sure = calls.change == Change::surely_slower || calls.change == Change::surely_faster;
  const double ratio = calls.ratio.middle;
  return std::pair(!sure, -(calls.of_run ? std::abs(*calls.of_run)
                            : ratio > 0  ? std::abs(std::log(ratio))
                                         : infinity));
}

std::vector<std::string> missing(const CallTimes& times, const CallTimes& others) {
  std::vector<std::string> names;
  for (const auto& [key, time] : times)
    if (!others.contains(key))
      names.push_back(key.calls + (time.plan.empty() ? "" : fmt::format(" ({})", time.plan)));
  return names;
}

std::string first_of(const std::vector<std::string>& names) {
  return names.empty() ? "none" : names.front();
}

// What a file holds that can be compared: one side for each MPI and what carried its messages.
struct Sides {
  std::string kind;
  std::vector<Side> list;
};

Result<Sides> read_sides(const std::string& file) {
  Findings findings;
  add_file(findings, file);
  if (!findings.problems.empty()) return tl::unexpected(Error{findings.problems.front().message});
  Sides sides;
  for (const ReportedProfile& profile : findings.profiles) {
    sides.kind = "profile";
    sides.list.push_back(side_of(profile));
  }
  for (const Campaign& campaign : findings.campaigns) {
    sides.kind = campaign.kind;
    sides.list.push_back(side_of(campaign));
  }
  if (!findings.networks.empty() || !findings.prices.empty())
    return failure(
        fmt::format("{} is a {}; what can be compared are profiles, tables, knowledge, and what "
                    "tutti bench prints with --json",
                    file, findings.networks.empty() ? "list of prices" : "network"));
  if (std::ranges::all_of(sides.list, [](const Side& side) { return side.times.empty(); }))
    return failure(fmt::format("{} holds no calls that were measured; {}", file,
                               sides.kind == "table" ? "tables of tutti tune do, imported ones do not"
                                                     : "run a program with collective calls first"));
  return sides;
}

// The sides to compare: the only ones, or those of the same MPI where knowledge has several.
Result<std::pair<Side, Side>> matching(Sides before, Sides after) {
  if (before.list.size() == 1 && after.list.size() == 1)
    return std::pair(std::move(before.list.front()), std::move(after.list.front()));
  std::vector<std::pair<Side, Side>> pairs;
  for (const Side& one : before.list)
    for (const Side& other : after.list)
      if (stack_text(one.shown.fingerprint) == stack_text(other.shown.fingerprint))
        pairs.emplace_back(one, other);
  if (pairs.size() == 1) return std::move(pairs.front());
  const std::string& file =
      before.list.size() > 1 ? before.list.front().shown.file : after.list.front().shown.file;
  return failure(fmt::format(
      "{} knows several MPI libraries, and it is not clear which to compare: write a table of each with "
      "tutti knowledge export --mpi, and compare those",
      file));
}

}  // namespace

std::string_view name(Change change) {
  constexpr std::array<std::string_view, 5> names{"surely slower", "perhaps slower", "alike",
                                                  "perhaps faster", "surely faster"};
  return names.at(static_cast<std::size_t>(change));
}

std::vector<const ComparedCalls*> BeforeAfter::too_slow() const {
  std::vector<const ComparedCalls*> slow;
  for (const ComparedCalls& one : calls)
    if (one.change == Change::surely_slower && one.ratio.low > threshold) slow.push_back(&one);
  return slow;
}

Result<BeforeAfter> compare(const std::string& before, const std::string& after, double threshold) {
  auto first = read_sides(before), second = read_sides(after);
  if (!first) return tl::unexpected(first.error());
  if (!second) return tl::unexpected(second.error());
  if (first->kind != second->kind)
    return failure(fmt::format("can't compare {} ({}) with {} ({}): give two files of one kind", before,
                               first->kind, after, second->kind));
  const std::string kind = first->kind;
  auto sides = matching(std::move(*first), std::move(*second));
  if (!sides) return tl::unexpected(sides.error());
  auto& [one, other] = *sides;
  drop_repeated(one.times, other.times);
  BeforeAfter result{kind, threshold, one.shown, other.shown, {}};
  result.before.alone = missing(one.times, other.times);
  result.after.alone = missing(other.times, one.times);
  for (const auto& [key, time] : one.times)
    if (const auto found = other.times.find(key); found != other.times.end())
      result.calls.push_back(compared(key.calls, time, found->second, threshold));
  if (result.calls.empty())
    return failure(fmt::format(
        "{} and {} know no calls in common (the first: {}; the other: {}); compare what was measured of the "
        "same operations, ranks, hosts and sizes",
        before, after, first_of(result.before.alone), first_of(result.after.alone)));
  std::ranges::stable_sort(result.calls, {}, importance);
  return result;
}

}  // namespace tutti::tools
