#include <fmt/format.h>

#include "base/json.hpp"

#include "base/document.hpp"
#include "base/duration.hpp"
#include "base/file.hpp"
#include "base/size.hpp"
#include "choose/evidence/knowledge_table.hpp"
#include "choose/profile/advice.hpp"
#include "choose/profile/arrivals.hpp"
#include "choose/profile/shares.hpp"
#include "core/network/by_hosts.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/terminal.hpp"
#include "tools/cli/verb.hpp"
#include "tools/report/document.hpp"

namespace tutti::tools {
namespace {

constexpr std::size_t most_lines = 20;
constexpr double worth_tuning = 0.01;    // share of the run: an unknown part above it is told
constexpr double worth_pricing = 0.001;  // share of the run: one kind of calls above it is priced

struct AdviseOptions {
  std::string profile, table, network;
  KnowledgeOption known;
  std::optional<ShareOf> by;
  bool json = false;
};

struct Advice {
  CallGroup group;
  std::optional<Promise> promise;
  Saving saving{0, 0, 0};
};

// What is known here of the profile's MPI and machine.
struct Sources {
  std::optional<Table> table;      // that was given, or what programs have learnt
  std::optional<Network> network;  // for prices, with links by hosts
  double worth_pricing_s = 0;      // of the average rank
};

Sources sources(const AdviseOptions& options, const Profile& profile) {
  Sources all{.worth_pricing_s = worth_pricing * profile.seconds};
  if (!options.network.empty()) all.network = by_hosts(read_network(options.network));
  if (!options.table.empty()) {
    all.table = value_or_fail(parse_table(value_or_fail(read_file(options.table)), options.table));
    if (const auto why = foreign(all.table->fingerprint, profile.fingerprint))
      throw Failure{fmt::format("table {} {}, and the profile is of {} on {}", options.table, *why,
                                profile.fingerprint.mpi, profile.fingerprint.machine)};
    if (!all.network) all.network = all.table->model;
    return all;
  }
  const auto known = options.known.store().load(profile.fingerprint.machine);
  if (!known || known->empty()) return all;
  all.table = table_of(*known, profile.fingerprint);
  const Knowledge seen = known->seen_from(profile.fingerprint);
  if (!all.network && !seen.networks.empty()) all.network = network_on({}, seen.networks.begin()->second);
  return all;
}

// What was measured; where there is nothing, and it matters, what is priced.
std::optional<Promise> promise_from(const Sources& known, const CallGroup& group, double ranks) {
  std::optional<Promise> promise;
  if (known.table) promise = promise_of(*known.table, group);
  if (!promise && known.network && group.native_share > 0 &&
      (group.seconds - group.waiting_at_least_s) / ranks > known.worth_pricing_s)
    promise = priced_promise(*known.network, group);
  return promise;
}

std::vector<Advice> advice_on(const Profile& profile, const Sources& known) {
  std::vector<Advice> all;
  for (CallGroup& group : groups_of(profile)) {
    Advice one{std::move(group), std::nullopt};
    one.promise = promise_from(known, one.group, std::max(1, profile.profiled_ranks));
    if (one.promise) one.saving = saving_of(profile, one.group, *one.promise);
    all.push_back(std::move(one));
  }
  return all;
}

std::string text_of(const CallGroup& group) {
  return fmt::format("{} on {}, {}", name(group.collective), placement_text(group.placement),
                     is_of_any_size(group) || group.collective == Collective::barrier
                         ? "any size"
                         : size_text(group.size_of_call()));
}

std::string promise_text(const Advice& advice) {
  if (!advice.promise) return "nothing is known of it";
  if (advice.group.native_share < 0.01) return "a plan serves it already";
  if (advice.promise->price && advice.saving.at_most_s <= 0)
    return fmt::format("native: no price is lower (lowest: {}, {})", advice.promise->plan,
                       advice.promise->evidence);
  if (advice.promise->price) return fmt::format("{}: {}", advice.promise->plan, advice.promise->evidence);
  return fmt::format("{}: {:.2f} of native's time, {}", advice.promise->plan, advice.promise->ratio,
                     advice.promise->evidence);
}

// The functions in which most time goes, each with the average rank's time.
std::string longest_functions(const Profile& profile) {
  constexpr std::size_t most = 3;
  std::vector<std::pair<double, std::string>> sorted;
  for (const auto& [name, spent] : profile.functions) sorted.emplace_back(spent.seconds, name);
  std::ranges::sort(sorted, std::greater());
  std::string text;
  for (std::size_t i = 0; i < std::min(most, sorted.size()); ++i)
    text += fmt::format("{}{} {}", i == 0 ? ": " : ", ", sorted[i].second,
                        time_text(sorted[i].first / std::max(1, profile.profiled_ranks)));
  return text;
}

// What the other functions were for: "files 12 calls of a rank, 48K bytes, 1.2 ms".
std::string uses_text(const Profile& profile) {
  const double ranks = std::max(1, profile.profiled_ranks);
  std::string text;
  for (const auto& [use, spent] : functions_by_use(profile))
    text += fmt::format("{}{} {:.0f} calls of a rank, {}{}", text.empty() ? "" : "; ", use,
                        static_cast<double>(spent.calls) / ranks,
                        spent.bytes > 0 ? fmt::format("{:.0f} bytes, ", spent.bytes / ranks) : "",
                        time_text(spent.seconds / ranks));
  return text;
}

void print(const Profile& profile, const std::vector<Advice>& all, const std::string& file,
           const std::string& natively) {
  const double ranks = std::max(1, profile.profiled_ranks);
  double least_waiting = 0, most_waiting = 0, at_least = 0, at_most = 0, expected = 0, unknown = 0;
  for (const Advice& advice : all) {
    least_waiting += advice.group.waiting_at_least_s / ranks;
    most_waiting += advice.group.waiting_at_most_s / ranks;
    at_least += advice.saving.at_least_s;
    at_most += advice.saving.at_most_s;
    expected += advice.saving.expected_s;
    if (!advice.promise || advice.promise->price) unknown += advice.group.seconds / ranks;
  }
  const double collective = profile.collective_s();
  const auto percent = [&](double seconds) {
    return profile.seconds > 0 ? 100 * seconds / profile.seconds : 0;
  };
  fmt::print("{} on {}, {} ranks on {}, {}\n", profile.fingerprint.mpi, profile.fingerprint.machine,
             profile.ranks, counted(profile.hosts, "host"), profile.date);
  if (profile.profiled_ranks < profile.ranks)
    fmt::print("of rank 0 only: no collective call on MPI_COMM_WORLD told the ranks of each other\n");
  fmt::print("the run: {}; in collective calls: {}, {:.0f} % of it\n", time_text(profile.seconds),
             time_text(collective), percent(collective));
  if (!profile.functions.empty())
    fmt::print("in other functions of MPI: {}, {:.0f} %{}\n", time_text(profile.other_s()),
               percent(profile.other_s()), longest_functions(profile));
  if (!profile.functions.empty()) fmt::print("of these: {}\n", uses_text(profile));
  fmt::print("waiting in collectives for late ranks, which no plan cures: {:.0f} to {:.0f} % of the run\n",
             percent(least_waiting), percent(most_waiting));
  fmt::print("what is known would save about {:.1f} % of the run, {:.1f} at least and {:.1f} at most\n\n",
             percent(expected), percent(at_least), percent(at_most));
  if (!natively.empty()) fmt::print("native calls: {}\n\n", natively);
  fmt::print("{:>8}{:>12}{:>10}{:>18}  {:<44}{}\n", "of run", "calls", "waiting", "would save", "calls of",
             "plan");
  std::size_t lines = 0;
  for (const Advice& advice : all) {
    if (lines++ == most_lines) {
      fmt::print("and {} of calls\n", counted(all.size() - most_lines, "more kind"));
      break;
    }
    const CallGroup& spent = advice.group;
    fmt::print(
        "{:>6.1f} %{:>12}{:>10}{:>18}  {:<44}{}{}\n", percent(spent.seconds / ranks), spent.calls,
        fmt::format("{:.0f}-{:.0f} %", spent.seconds > 0 ? 100 * spent.waiting_at_least_s / spent.seconds : 0,
                    spent.seconds > 0 ? 100 * spent.waiting_at_most_s / spent.seconds : 0),
        fmt::format("{:.1f} ({:.1f}-{:.1f}) %", percent(advice.saving.expected_s),
                    percent(advice.saving.at_least_s), percent(advice.saving.at_most_s)),
        text_of(advice.group), promise_text(advice), bar(percent(spent.seconds / ranks) / 100));
  }
  const auto late = late_calls(profile);
  if (!late.empty()) fmt::print("\nranks that others wait for:\n");
  for (const LateCalls& calls : late) fmt::print("  {}\n", text_of(calls));
  if (unknown > worth_tuning * profile.seconds)
    fmt::print(
        "\nnothing was measured of {:.0f} % of the run: tutti tune --for {} -o table.json -- LAUNCHER tunes "
        "just "
        "that\n",
        percent(unknown), file);
}

double percent_of(double part, double whole) {
  return whole > 0 ? 100 * part / whole : 0;
}

// "pairs, 2 ranks, 1 host"
std::string measured_share(const ProfiledShare& share, ShareOf what) {
  if (what == ShareOf::phase) return share.name.empty() ? "(none)" : share.name;
  return fmt::format("{}, {}", share.name.empty() ? "(no name)" : share.name,
                     placement_text(share.placement));
}

// "allreduce 80 %, bcast 20 %"
std::string operations_text(const ProfiledShare& share) {
  std::string text;
  for (const Collective of : share.operations())
    text += fmt::format("{}{} {:.0f} %", text.empty() ? "" : ", ", name(of),
                        percent_of(share.seconds_in.at(of), share.seconds));
  return text;
}

// Where the time of collective calls goes, by communicators or phases.
void print_shares(const Profile& profile, ShareOf what) {
  const double ranks = std::max(1, profile.profiled_ranks);
  fmt::print("{:>8}{:>12}{:>12}{:>10}  {:<36}{}\n", "of run", "time", "calls", "waiting",
             what == ShareOf::communicator ? "communicator" : "phase", "operations");
  for (const ProfiledShare& share : shares_of(profile, what))
    fmt::print("{:>6.1f} %{:>12}{:>12}{:>10}  {:<36}{}\n", percent_of(share.seconds / ranks, profile.seconds),
               time_text(share.seconds / ranks), share.calls,
               fmt::format("{:.0f}-{:.0f} %", percent_of(share.waiting_at_least_s, share.seconds),
                           percent_of(share.waiting_at_most_s, share.seconds)),
               measured_share(share, what), operations_text(share));
}

Json to_json(const ProfiledShare& share, ShareOf what, double ranks) {
  Json json{{what == ShareOf::communicator ? "communicator" : "phase", share.name}};
  if (what == ShareOf::communicator) {
    json["ranks"] = share.placement.ranks;
    json["hosts"] = share.placement.hosts;
  }
  json["calls"] = share.calls;
  json["seconds"] = share.seconds / ranks;
  json["waiting_at_least_s"] = share.waiting_at_least_s / ranks;
  json["waiting_at_most_s"] = share.waiting_at_most_s / ranks;
  for (const auto& [collective, seconds] : share.seconds_in)
    json["operations"][std::string(name(collective))] = seconds / ranks;
  return json;
}

void show_shares(const Profile& profile, ShareOf what, bool as_json) {
  if (!as_json) return print_shares(profile, what);
  Json list = Json::array();
  for (const ProfiledShare& share : shares_of(profile, what))
    list.push_back(to_json(share, what, std::max(1, profile.profiled_ranks)));
  fmt::print("{}\n", json_text(list, 1));
}

Json to_json(const Advice& advice, double ranks) {
  Json json{{"operation", name(advice.group.collective)},
            {"ranks", advice.group.placement.ranks},
            {"hosts", advice.group.placement.hosts},
            {"size", advice.group.size_of_call()},
            {"calls", advice.group.calls},
            {"seconds", advice.group.seconds / ranks},
            {"waiting_at_least_s", advice.group.waiting_at_least_s / ranks},
            {"waiting_at_most_s", advice.group.waiting_at_most_s / ranks},
            {"saves_at_least_s", advice.saving.at_least_s},
            {"saves_at_most_s", advice.saving.at_most_s},
            {"saves_about_s", advice.saving.expected_s}};
  if (advice.promise) {
    json["plan"] = advice.promise->plan;
    if (advice.promise->price)
      json["price_s"] = *advice.promise->price;
    else
      json["ratio_to_native"] = advice.promise->ratio;
  }
  return json;
}

void advise(const AdviseOptions& options) {
  const Profile profile = read_profile(options.profile);
  if (options.by) return show_shares(profile, *options.by, options.json);
  const Sources known = sources(options, profile);
  const auto all = advice_on(profile, known);
  if (!options.json)
    return print(profile, all, options.profile,
                 known.table ? above_text(known.table->components, profile.hosts) : "");
  Json json{{"seconds", profile.seconds},    {"collective_s", profile.collective_s()},
            {"other_s", profile.other_s()},  {"functions", Json::object()},
            {"late", late_to_json(profile)}, {"calls", Json::array()}};
  const int ranks = std::max(1, profile.profiled_ranks);
  for (const auto& [use, spent] : functions_by_use(profile))
    json["functions"][std::string(use)] = {
        {"calls", spent.calls}, {"bytes", spent.bytes}, {"seconds", spent.seconds / ranks}};
  for (const Advice& advice : all) json["calls"].push_back(to_json(advice, ranks));
  fmt::print("{}\n", json_text(json, 1));
}

void declare_advise(CLI::App* verb, const LauncherWords&) {
  auto options = std::make_shared<AdviseOptions>();
  verb->footer(
      "Example: tutti advise profile.json\n"
      "The profile is what tutti run --profile profile.json -- mpirun -n 4 ./program has written.");
  verb->add_option("profile", options->profile, "profile, as written by tutti run --profile")
      ->type_name("FILE")
      ->required();
  verb->add_option("--table", options->table,
                   "table to judge by, as written by tutti tune (default: what programs have learnt here)")
      ->type_name("FILE");
  verb->add_option("--network", options->network,
                   "network that prices calls that were not measured, as written by tutti probe (default: "
                   "the table's, or the one that programs have probed here)")
      ->type_name("FILE");
  options->known.add_folder_to(*verb);
  verb->add_option(
          "--by", options->by,
          "summary to print in place of advice, of collective calls: communicator, or phase of the program")
      ->type_name("WHAT")
      ->transform(named_value(std::map<std::string, ShareOf>{{"communicator", ShareOf::communicator},
                                                             {"phase", ShareOf::phase}}));
  verb->add_flag("--json", options->json,
                 "print a JSON object; times are those of the average rank, in seconds");
  verb->callback([options] { advise(*options); });
}

}  // namespace

namespace verbs {

Verb advise() {
  return {.name = "advise",
          .summary = "estimate what Tutti gains for a profiled program",
          .purpose = Purpose::understand,
          .declare = declare_advise};
}

}  // namespace verbs

}  // namespace tutti::tools
