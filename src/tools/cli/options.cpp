#include "tools/cli/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "base/duration.hpp"
#include "base/file.hpp"
#include "base/number.hpp"
#include "base/size.hpp"
#include "base/split.hpp"
#include "base/suggest.hpp"
#include "choose/profile/arrivals.hpp"
#include "choose/settings/configuration.hpp"
#include "choose/settings/variables.hpp"
#include "core/network/by_hosts.hpp"
#include "core/network/network_file.hpp"
#include "tools/cli/help.hpp"
#include "tools/cli/settings_in_force.hpp"

namespace tutti::tools {
namespace {

template <typename T>
std::vector<T> ascending(std::vector<T> list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

// The folder in which programs here keep what they learn; empty if nothing is kept.
std::string folder_of_programs() {
  const std::string name = variable::cache;
  Configuration configuration;
  if (const auto said = SettingsInForce().of(name))
    if (const auto complaint = find_variable(name)->kind.read(said->value, {}, configuration))
      fmt::print(stderr, "tutti: {} ({}); it is ignored\n", *complaint, name);
  return configuration.cache;
}

}  // namespace

std::string not_among(const std::string& word, const std::vector<std::string>& names) {
  return fmt::format("{} not in {{{}}}", word, fmt::join(names, ","));
}

Called read_called(const std::string& text) {
  if (const auto called = Called::named(text)) return *called;
  return {read_collective(text)};  // which says what is wrong
}

Collective read_collective(const std::string& text) {
  if (const auto collective = collective_named(text)) return *collective;
  std::vector<std::string_view> names;
  for (const CollectiveTraits& known : collectives) names.push_back(known.name);
  throw Failure{fmt::format("no operation '{}'{}", text, suggestion(text, names))};
}

std::vector<Collective> read_collectives(const std::string& text) {
  std::vector<Collective> list;
  if (text == "all")
    for (const CollectiveTraits& known : collectives) list.push_back(known.collective);
  else
    for (const std::string& word : split(text, ',')) list.push_back(read_collective(word));
  if (list.empty()) throw Failure{"no operation is named; write for example bcast,allreduce"};
  return ascending(std::move(list));
}

std::vector<Called> OperationsOption::read_called() const {
  std::vector<Called> list;
  if (words.empty() || words == std::vector<std::string>{"all"})
    for (const Collective collective : read()) list.push_back({collective});
  else
    for (const std::string& text : words)
      for (const std::string& word : split(text, ',')) list.push_back(tools::read_called(word));
  return ascending(std::move(list));
}

void OperationOption::add_to(CLI::App& verb, bool nonblocking) {
  verb.add_option("op,--op", word,
                  nonblocking ? "operation, such as bcast or iallreduce" : "operation, such as bcast")
      ->type_name("OPERATION")
      ->required();
}

void OperationsOption::add_to(CLI::App& verb) {
  verb.add_option("ops,--op,--ops", words, "operations, such as bcast,allreduce (default: all)")
      ->type_name("OPERATIONS");
}

void refuse_persistent(Called called) {
  if (called.mode == Mode::persistent)
    throw Failure{fmt::format("{} is not measured by itself; it goes by what is tuned for {}", called.name(),
                              Called{called.collective, Mode::nonblocking}.name())};
}

void StencilOption::add_to(CLI::App& verb) {
  verb.add_option("--stencil", points,
                  "number of points of the stencil that gives ranks their neighbours, in operations between "
                  "neighbours: 5 or 9 in a plane, 7 or 27 in space, periodic")
      ->type_name("POINTS")
      ->capture_default_str()
      ->check(CLI::IsMember({5, 7, 9, 27}));
}

std::optional<Topology> StencilOption::topology(Collective collective, int ranks) const {
  return traits(collective).on_neighbors ? stencil_topology(points, ranks) : std::nullopt;
}

CLI::Option* BlocksOption::add_to(CLI::App& verb) {
  static const std::map<std::string, BlockLengths> names = [] {
    std::map<std::string, BlockLengths> all;
    for (const std::string_view name : names_of_block_lengths) all.emplace(name, *block_lengths_named(name));
    return all;
  }();
  return verb
      .add_option(
          "--blocks", lengths,
          "lengths of ranks' blocks in allgatherv, the size being that of the mean one: equal; "
          "irregular, nothing, once and twice as much in turn; or degenerate, one rank has everything "
          "(default: equal)")
      ->type_name("LENGTHS")
      ->transform(named_value(names));
}

void BlocksOption::check(const std::vector<Called>& operations) const {
  if (lengths != BlockLengths::equal &&
      std::ranges::none_of(operations, [](const Called& called) { return has_lengths(called.collective); }))
    throw Failure{
        fmt::format("--blocks {} is about allgatherv; name it among the operations", name(lengths))};
}

CLI::Option* ArrivalOption::add_to(CLI::App& verb) {
  return verb
      .add_option(
          "--arrival", text,
          "arrival pattern of ranks in a call, whose time then begins when the last one comes: "
          "uniform:TIME, at equal distances, the last one TIME behind the first; one-late:TIME; "
          "random:TIME, at moments within that time; or a profile, as its ranks came, call by call where it "
          "has that")
      ->type_name("PATTERN");
}

std::function<ArrivalPattern(const Point&)> ArrivalOption::read() const {
  std::error_code none;
  if (!std::filesystem::is_regular_file(text, none)) {
    const ArrivalPattern pattern =
        text.empty() ? ArrivalPattern{} : value_or_fail(parse_arrival_pattern(text));
    return [pattern](const Point&) { return pattern; };
  }
  return [profile = read_profile(text)](const Point& point) { return arrival_in(profile, point); };
}

std::vector<Collective> OperationsOption::read() const {
  return read_collectives(words.empty() ? "all" : fmt::format("{}", fmt::join(words, ",")));
}

std::vector<std::size_t> read_sizes(const std::string& text) {
  std::vector<std::size_t> list;
  for (const std::string& word : split(text, ',')) {
    list.push_back(value_or_fail(parse_size(word)));
    if (list.back() == 0) throw Failure{"a size of 0 bytes takes no time; leave it out"};
    if (list.back() > std::size_t{1} << 30)
      throw Failure{fmt::format("size {} is above 1G; measure smaller messages", word)};
  }
  if (list.empty()) throw Failure{"--sizes names no size; write for example 1K,10K"};
  return ascending(std::move(list));
}

std::vector<int> read_numbers(const std::string& text, const std::string& what) {
  std::vector<int> list;
  for (const std::string& word : split(text, ',')) {
    const auto value = number_in<int>(word);
    if (value.value_or(0) < 1)
      throw Failure{fmt::format("'{}' is not a number of {}; write for example 2,4,8", word, what)};
    list.push_back(*value);
  }
  return ascending(std::move(list));
}

double read_seconds(const std::string& text) {
  const double seconds = value_or_fail(parse_duration(text));
  if (seconds == 0) throw Failure{fmt::format("'{}' is no time to do anything in", text)};
  return seconds;
}

void HostsOption::add_to(CLI::App& verb) {
  verb.add_option("--hosts", hosts, "number of hosts that the ranks are on")
      ->type_name("N")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  verb.add_option("--ranks-per-host", ranks_a_host,
                  "number of ranks on each host; the last host has the rest")
      ->type_name("N")
      ->excludes("--hosts")
      ->check(CLI::PositiveNumber);
  verb.add_flag("--cyclic", cyclic,
                "deal the ranks out to the hosts in turn, instead of filling one host after the other")
      ->excludes("--ranks-per-host");
}

int HostsOption::count_for(int ranks) const {
  return ranks_a_host > 0 ? (ranks + ranks_a_host - 1) / ranks_a_host : hosts;
}

Hosts HostsOption::placed(int ranks, int some) const {
  if (cyclic) return dealt_hosts(some, count_for(ranks));
  return ranks_a_host > 0 ? hosts_of(some, ranks_a_host) : filled_hosts(some, std::min(hosts, some));
}

void OutputOption::add_to(CLI::App& verb, const std::string& what, bool required) {
  verb.add_option("-o,--output", path, what)->type_name("FILE")->required(required);
}

void OutputOption::check() const {
  value_or_fail(check_output(path));
}

void OutputOption::write(const std::string& text) const {
  value_or_fail(write_file(path, text));
  fmt::print(stderr, "wrote {}\n", path);
}

bool OutputOption::leaves_standard_output() const {
  return !is_standard_output(path);
}

void LauncherOptions::add_to(CLI::App& verb, const std::string& usage) {
  verb.formatter(std::make_shared<Help>(usage));
  verb.add_option("--mpi", mpi,
                  "MPI behind the launcher, where Tutti can't tell: openmpi, mpich (also Intel MPI, Cray "
                  "MPICH and MVAPICH) or smpi; abi for programs "
                  "of MPI 5's standard ABI, where their files do not tell")
      ->type_name("MPI");
}

void LauncherOptions::add_to_measuring(CLI::App& verb, const std::string& usage) {
  add_to(verb, usage);
  add_start_limit(verb);
}

void LauncherOptions::add_start_limit(CLI::App& verb) {
  verb.add_option("--start-limit", start_limit, "time that the launcher may take to start its processes")
      ->type_name("TIME")
      ->capture_default_str();
}

Launcher LauncherOptions::recognise() const {
  return value_or_fail(Launcher::recognise(command, mpi));
}

Network read_network(const std::string& path) {
  return value_or_fail(parse_network(value_or_fail(read_file(path)), path));
}

Profile read_profile(const std::string& path) {
  return value_or_fail(parse_profile(value_or_fail(read_file(path)), path));
}

RuntimeModel read_runtime_model(const std::string& path) {
  return value_or_fail(parse_runtime_model(value_or_fail(read_file(path)), path));
}

void KnowledgeOption::add_folder_to(CLI::App& verb) {
  verb.add_option("--folder", folder,
                  fmt::format("folder of the knowledge (default: {}, else ~/.cache/tutti)", variable::cache))
      ->type_name("FOLDER");
}

void KnowledgeOption::add_to(CLI::App& verb) {
  add_folder_to(verb);
  verb.add_option("--mpi", mpi, "part of the MPI library's name, such as 'Open MPI', where several are known")
      ->type_name("MPI");
  verb.add_option("--transport", transport, "part of the transport's name, where several are known")
      ->type_name("NAME");
  verb.add_option("--machine", machine, "part of the machine's name, where several are known")
      ->type_name("NAME");
}

bool KnowledgeOption::means(const std::string& of_mpi, const std::string& of_transport) const {
  return of_mpi.find(mpi) != of_mpi.npos && of_transport.find(transport) != of_transport.npos;
}

KnowledgeStore KnowledgeOption::store() const {
  const std::string place = folder.empty() ? folder_of_programs() : folder;
  if (place.empty() || place == "none")
    throw Failure{"there is no folder for knowledge; name one with --folder"};
  return KnowledgeStore(place);
}

std::vector<Knowledge> KnowledgeOption::read_if_any() const {
  std::vector<Knowledge> all;
  for (const auto& path : store().files()) {
    Knowledge knowledge = value_or_fail(parse_knowledge(value_or_fail(read_file(path)), path));
    if (knowledge.machine.find(machine) == knowledge.machine.npos) continue;
    knowledge.fade_as_of(today());
    all.push_back(std::move(knowledge));
  }
  return all;
}

std::vector<Knowledge> KnowledgeOption::read() const {
  std::vector<Knowledge> all = read_if_any();
  if (all.empty())
    throw Failure{fmt::format("nothing is known yet in {}; tutti run finds out", store().folder().string())};
  return all;
}

}  // namespace tutti::tools
