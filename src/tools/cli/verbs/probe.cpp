#include <fmt/format.h>

#include <map>
#include <set>

#include "base/duration.hpp"
#include "base/file.hpp"
#include "base/share.hpp"
#include "base/size.hpp"
#include "choose/evidence/table.hpp"
#include "choose/evidence/whereabouts.hpp"
#include "choose/probing/probing.hpp"
#include "core/network/drawn_tree.hpp"
#include "core/network/group_members.hpp"
#include "core/network/groups.hpp"
#include "core/network/network_file.hpp"
#include "tools/cli/help.hpp"
#include "tools/cli/interrupt.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/progress_bar.hpp"
#include "tools/cli/tuning.hpp"
#include "tools/cli/verb.hpp"
#include "tools/cli/worker_client.hpp"

namespace tutti::tools {
namespace {

struct ProbeOptions {
  OutputOption output;
  std::string groups, write_groups, shown, svg;
  std::string budget = "60s", largest = "1M", collectives;
  bool lmo = false;
  LauncherOptions launcher;
};

// How many pairs of ranks each link serves.
std::map<int, std::size_t> pairs_by_link(const Network& network, int ranks) {
  std::map<int, std::size_t> pairs;
  for (Rank a = 0; a < ranks; ++a)
    for (Rank b = a + 1; b < ranks; ++b) ++pairs[network.link_number(a, b)];
  return pairs;
}

void print(const Escalations& found) {
  fmt::print("a linear gather escalates above {} bytes and up to {}, by", found.m1, found.m2);
  for (const double level : found.levels) fmt::print(" {}", time_text(level));
  fmt::print("\n{:>10}  share of the runs that escalate, by level\n", "size");
  for (const auto& [bytes, shares] : found.probabilities) {
    fmt::print("{:>10}", size_text(bytes));
    for (const double share : shares) fmt::print("{:>10}", share_text(share));
    fmt::print("\n");
  }
}

// Costs may be negative, where the messages' own explain more than there is.
std::string signed_time(double seconds) {
  return seconds < 0 ? "-" + time_text(-seconds) : time_text(seconds);
}

void print(const Lmo& lmo) {
  fmt::print("{:>6}{:>14}{:>16}\n", "rank", "C, fixed", "t, variable");
  for (std::size_t i = 0; i < lmo.fixed.size(); ++i)
    fmt::print("{:>6}{:>14}{:>13}/MB\n", i, time_text(lmo.fixed[i]), time_text(lmo.variable[i] * 1e6));
  if (const auto& gather = lmo.gather)
    fmt::print("a linear gather: kappa 1 {}/MB up to {} bytes, beyond kappa 2 {}, kappa 3 {}/MB; {} off\n",
               signed_time(gather->small_per_byte * 1e6), gather->m2, signed_time(gather->large),
               signed_time(gather->large_per_byte * 1e6), share_text(gather->mean_deviation, 1));
}

void print(const Trunk& trunk) {
  fmt::print("from the site of rank {} to that of rank {}:", trunk.from, trunk.to);
  for (const auto& [pairs, rate] : trunk.growth)
    fmt::print(" {} {:.4g} MB/s{}", counted(pairs, "pair"), rate / 1e6,
               pairs == trunk.growth.back().pairs ? "" : ",");
  fmt::print("{}\n", trunk.seconds_per_byte > 0 ? ": they share a trunk" : "");
}

// What is alike on a level of the groups, seen from outside.
struct GroupLevel {
  std::size_t groups = 0;
  std::set<std::size_t> hosts = {};
  std::set<double> out = {}, in = {}, between = {};  // seconds a byte
};

std::vector<GroupLevel> levels_of(const Network& network) {
  std::vector<GroupLevel> levels;
  for (const auto& [number, members] : members_of_groups(network)) {
    if (levels.size() <= members.depth) levels.resize(members.depth + 1);
    const Network::Group& group = network.groups[static_cast<std::size_t>(number)];
    GroupLevel& level = levels[members.depth];
    ++level.groups;
    level.hosts.insert(members.hosts.size());
    level.out.insert(group.out);
    level.in.insert(group.in);
    level.between.insert(group.between);
  }
  return levels;
}

void print_groups(const Network& network) {
  if (network.group_of.empty()) return;
  const auto rates = [](const std::set<double>& s_per_byte) -> std::string {
    const auto rate = [](double each) { return each > 0 ? fmt::format("{:.4g}", 1e-6 / each) : "-"; };
    return s_per_byte.size() == 1
               ? rate(*s_per_byte.begin())
               : fmt::format("{} .. {}", rate(*s_per_byte.rbegin()), rate(*s_per_byte.begin()));
  };
  fmt::print("{:>6}{:>10}{:>14}{:>16}{:>16}{:>26}\n", "level", "groups", "hosts each", "out, MB/s",
             "in, MB/s", "between two parts, MB/s");
  const auto levels = levels_of(network);
  for (std::size_t level = 0; level < levels.size(); ++level) {
    const GroupLevel& all = levels[level];
    const std::size_t least = *all.hosts.begin(), most = *all.hosts.rbegin();
    fmt::print("{:>6}{:>10}{:>14}{:>16}{:>16}{:>26}\n", level, all.groups,
               least == most ? std::to_string(most) : fmt::format("{} .. {}", least, most), rates(all.out),
               rates(all.in), rates(all.between));
  }
  for (const DrawnTree& tree : drawn_groups(network)) fmt::print("{}", to_text(tree));
}

// In which parts ranks of one host differ that are 1, 2, … levels apart, where it has most levels.
std::vector<std::string_view> parts_by_levels(const Network& network) {
  std::vector<std::string_view> most;
  for (Rank rank = 0; rank < static_cast<Rank>(network.group_of.size()); ++rank) {
    std::vector<std::string_view> parts;
    for (const int group : groups_around(network, rank))
      if (const auto part = network.groups[static_cast<std::size_t>(group)].part)
        parts.push_back(words_of(*part).name);
    if (parts.size() > most.size()) most = std::move(parts);
  }
  return most;
}

void print(const Network& network, int ranks) {
  fmt::print("{:>6}{:>10}{:>14}{:>16}{:>12}{:>11}{:>9}\n", "links", "pairs", "alpha", "beta, 1/beta", "",
             "both ways", "latency");
  const auto line = [](const std::string& name, const std::string& pairs, const Link& link) {
    const Hockney straight = hockney_of(link);
    fmt::print("{:>6}{:>10}{:>14}{:>13}/MB{:>7.4g} MB/s{:>11.2f}{:>9.2f}\n", name, pairs,
               time_text(straight.alpha), time_text(straight.beta * 1e6), 1e-6 / straight.beta,
               link.both_ways, link.both_ways_latency);
  };
  for (const auto& [number, pairs] : pairs_by_link(network, ranks))
    line(std::to_string(number), std::to_string(pairs), network.links[static_cast<std::size_t>(number)]);
  for (const auto& [number, pairs] : pairs_by_link(network, ranks))
    if (const auto& check = network.links[static_cast<std::size_t>(number)].check; check && check->sizes > 0)
      fmt::print("links {} at {} sizes drawn at random: median error {}, worst {}\n", number, check->sizes,
                 share_text(check->median, 1), share_text(check->worst, 1));
  if (network.memory) line("memory", "a host's", *network.memory);
  const auto parts = parts_by_levels(network);
  for (std::size_t i = 0; i < network.memory_apart.size(); ++i)
    line("memory", i < parts.size() ? fmt::format("by {}", parts[i]) : "farther", network.memory_apart[i]);
  if (const PortWidth& width = network.width; width.widest() > 1)
    fmt::print(
        "a host's port carries {:.2f} messages out and {:.2f} in at the rate of a link; {:.2f} where "
        "all hosts send and receive\n",
        width.out, width.in, width.busy);
  if (const auto& torus = network.torus)
    fmt::print("a torus of {}, {} of {} places with a host: a link carries {} and takes {}\n",
               text_of_sides(torus->sides), torus->coordinates.size(), torus->places(),
               torus->seconds_per_byte > 0 ? fmt::format("{:.4g} MB/s", 1e-6 / torus->seconds_per_byte)
                                           : "whatever comes",
               time_text(torus->hop));
  fmt::print("eager up to {} bytes; a sum of doubles {}/MB\n", network.eager, time_text(network.gamma * 1e6));
  for (const Trunk& trunk : network.trunks) print(trunk);
  print_groups(network);
  if (network.lmo) print(*network.lmo);
  if (network.gather) print(*network.gather);
  if (network.scatter_leap) fmt::print("a linear scatter leaps above {} bytes\n", *network.scatter_leap);
}

// Where hosts are, by the file or by Slurm; the network as it was, and a line, where that is wrong.
Network placed(Network network, const std::string& file, WorkerClient& worker) {
  const auto places = value_or_fail(worker.places());
  const auto without = [&](const Error& error) {
    fmt::print(stderr, "tutti: {}; looking for groups by what messages take\n", error.message);
    return network;
  };
  const auto read = [&]() -> Result<Whereabouts> {
    if (file.empty()) return whereabouts_of_addresses(places.names, places.addresses);
    const auto text = read_file(file);
    if (!text) return tl::unexpected(text.error());
    return read_whereabouts(*text, file);
  };
  const auto whereabouts = read();
  if (!whereabouts) return without(whereabouts.error());
  if (whereabouts->group_of.empty()) return network;
  auto grouped = with_groups(network, worker.site().ranks, *whereabouts, places.names);
  return grouped ? std::move(*grouped) : without(grouped.error());
}

void write_groups(const std::string& file, const Network& network) {
  const auto text = groups_file_of(network, network.host_names);
  if (text)
    value_or_fail(write_file(file, *text));
  else
    fmt::print(stderr, "tutti: no groups of hosts were found; {} is not written\n", file);
}

void probe(const ProbeOptions& options) {
  const auto clock = budget_clock();
  const ProbeRequest request{.budget_s = read_seconds(options.budget),
                             .largest = value_or_fail(parse_size(options.largest))};
  const auto collectives =
      options.collectives.empty() ? std::vector<Collective>() : read_collectives(options.collectives);
  for (const Collective collective : collectives)
    if (collective != Collective::gather && collective != Collective::scatter)
      throw Failure{
          fmt::format("--collective {}: only gather and scatter have thresholds", name(collective))};
  if (options.output.path.empty())
    throw Failure{"--output is missing; name the file to write the network to, such as -o network.json"};
  options.output.check();
  if (!options.write_groups.empty()) value_or_fail(check_output(options.write_groups));
  WorkerClient worker =
      value_or_fail(WorkerClient::start(options.launcher.recognise(), options.launcher.start_limit_s()));
  ProgressBar bar;
  const ProbeHooks hooks{.progress =
                             [&](double share, const std::string& doing) {
                               const auto comma = std::min(doing.find(','), doing.size());
                               bar.show(share, doing.substr(0, comma), doing.substr(comma));
                             },
                         .clock = clock};
  end_gently();
  // Launchers end at a Ctrl-C: what is left to be measured can't be.
  const auto measured = [](auto result) {
    if (!result && interrupted())
      throw Failure{"interrupted before the network was known; nothing was written"};
    return value_or_fail(std::move(result));
  };
  std::optional<Latencies> latencies;
  Network learnt = measured(tutti::probe(request, worker, hooks, &latencies));
  learnt = measured(probe_torus(std::move(learnt), worker, hooks, latencies));
  learnt = measured(probe_port_width(std::move(learnt), worker, hooks));
  const int ranks = worker.site().ranks;
  learnt.trunks = measured(probe_trunks(learnt, worker, hooks));
  learnt = placed(std::move(learnt), options.groups, worker);
  if (!learnt.group_of.empty())
    learnt = measured(probe_ways(with_sites_of_trunks(std::move(learnt), ranks), worker, hooks));
  else if (!learnt.torus)
    learnt = measured(probe_groups(std::move(learnt), worker, hooks, latencies));
  learnt = with_sites_of_trunks(std::move(learnt), ranks);
  learnt = with_host_names(with_parts_of_hosts(std::move(learnt), worker.site().in_hosts), worker);
  learnt = measured(probe_ways_in_hosts(std::move(learnt), worker, hooks));
  if (options.lmo) learnt.lmo = measured(probe_lmo(worker, hooks));
  for (const Collective collective : collectives) {
    const Repetitions runs =
        measured(repeat_linear(collective, worker, request.largest, request.budget_s, hooks));
    if (collective == Collective::gather) {
      learnt.gather = find_escalations(runs);
      if (learnt.lmo) learnt.lmo->gather = fit_many_to_one(*learnt.lmo, 0, runs, learnt.gather);
    } else {
      learnt.scatter_leap = find_leap(runs);
    }
  }
  bar.clear();
  options.output.write(to_text(learnt));
  if (!options.write_groups.empty()) write_groups(options.write_groups, learnt);
  if (options.output.leaves_standard_output()) print(learnt, ranks);
}

void show(const std::string& file, const std::string& svg) {
  const Network network = read_network(file);
  if (svg.empty()) return print(network, std::max(2, static_cast<int>(network.known_ranks())));
  const auto groups = drawn_groups(network);
  if (groups.empty())
    throw Failure{
        fmt::format("network {} has no groups of hosts to draw, nor parts of these; tell groups when it is "
                    "probed, by --groups",
                    file)};
  value_or_fail(check_output(svg));
  value_or_fail(write_file(svg, to_svg(groups)));
}

void declare_probe(CLI::App* verb, const LauncherWords& launcher) {
  auto options = std::make_shared<ProbeOptions>();
  options->launcher.command = launcher.words;
  verb->footer("Example: tutti probe -o network.json -- mpirun -n 16");
  options->output.add_to(*verb, "file to write the network to", false);
  verb->add_option("--budget", options->budget, "time for the links, and for each collective")
      ->type_name("TIME")
      ->capture_default_str();
  verb->add_option("--largest", options->largest, "size of the largest message sent")
      ->type_name("SIZE")
      ->capture_default_str();
  verb->add_flag("--lmo", options->lmo,
                 "measure also the time that messages cost processors, apart from the network (LMO model); "
                 "with --collective gather also what a gather adds");
  verb->add_option("--collective", options->collectives,
                   "operations, gather or scatter or both, whose irregularities over TCP are to be found")
      ->type_name("OPERATIONS");
  verb->add_option(
          "--groups", options->groups,
          "file that says which groups hosts are in, by lines such as 'node1 switch1 row1', or Slurm's "
          "topology.conf; the bandwidth between groups is then measured, too (default: what Slurm says, else "
          "what latencies tell)")
      ->type_name("FILE");
  verb->add_option("--write-groups", options->write_groups,
                   "file to write the groups that hosts are in to, for programs (TUTTI_GROUPS)")
      ->type_name("FILE");
  options->launcher.add_to_measuring(*verb);
  verb->require_subcommand(0, 1);
  CLI::App* showing = verb->add_subcommand("show", "print what a file says of a network")->group(inner_verbs);
  showing->formatter(std::make_shared<Help>());  // no launcher
  showing->footer("Example: tutti probe show network.json");
  showing->add_option("file", options->shown, "network, as written by tutti probe")
      ->type_name("FILE")
      ->required();
  showing
      ->add_option("--svg", options->svg,
                   "picture to write of the groups that hosts are in, such as groups.svg, or /dev/stdout; "
                   "nothing is printed then")
      ->type_name("FILE");
  showing->callback([options] { show(options->shown, options->svg); });
  verb->callback([options, verb] {
    if (verb->get_subcommands().empty()) probe(*options);
  });
}

}  // namespace

namespace verbs {

Verb probe() {
  return {.name = "probe",
          .summary = "measure the network between the ranks, for price and tune",
          .purpose = Purpose::tune,
          .declare = declare_probe};
}

}  // namespace verbs

}  // namespace tutti::tools
