#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/document.hpp"
#include "base/duration.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "base/size.hpp"
#include "choose/evidence/contrast.hpp"
#include "choose/evidence/knowledge_store.hpp"
#include "choose/evidence/knowledge_table.hpp"
#include "choose/evidence/ranking.hpp"
#include "choose/settings/configuration.hpp"
#include "choose/settings/variables.hpp"
#include "tools/cli/help.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/verb.hpp"

namespace tutti::tools {
namespace {

struct KnowledgeOptions {
  OperationsOption operations;
  KnowledgeOption known;
  bool json = false;
  OutputOption output;
  std::vector<std::string> files;
};

bool is_wanted(const Knowledge::Key& key, const std::vector<Collective>& operations,
               const KnowledgeOption& known) {
  return known.means(key.mpi, key.transport) &&
         std::find(operations.begin(), operations.end(), key.calls.collective) != operations.end();
}

std::string sizes_text(const CallClass& calls) {
  if (calls.size.number == 0) return "any";
  return fmt::format("{} .. {}", size_text(calls.size.smallest()), size_text(calls.size.largest()));
}

// The fastest first, as far as is known.
std::vector<std::pair<std::string, Evidence>> in_order(const EvidenceByPlan& plans, const Ranking& ranking) {
  std::map<std::string, double> means;
  for (const Ranking::Place& place : ranking.places()) means[*place.plan] = place.mean;
  std::vector<std::pair<std::string, Evidence>> sorted(plans.begin(), plans.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const auto& a, const auto& b) { return means[a.first] < means[b.first]; });
  return sorted;
}

std::string verdict(const std::string& plan, const Evidence& evidence, const Ranking& ranking) {
  if (plan == "native") return "";
  const Ranking::Place* best = ranking.best();
  const std::string serves = best && *best->plan == plan ? "; programs begin with it" : "";
  if (evidence.against_native.count == 0) {
    const bool placed = std::ranges::any_of(ranking.places(),
                                            [&](const Ranking::Place& place) { return *place.plan == plan; });
    return (placed ? "compared with other plans only" : "not compared yet") + serves;
  }
  const Interval ratio = evidence.ratio_to_native();
  return ratio_text(ratio) + (ratio.high < 1 ? ", gains" : ratio.low > 1 ? ", loses" : "") + serves;
}

// Leaves what is asked for.
void choose(Knowledge& knowledge, const KnowledgeOptions& options) {
  std::erase_if(knowledge.networks, [&](const auto& entry) {
    return !options.known.means(entry.first.mpi, entry.first.transport);
  });
  knowledge.drop([&, operations = options.operations.read()](const Knowledge::Key& key) {
    return !is_wanted(key, operations, options.known);
  });
}

// What is asked for of what is known.
std::vector<Knowledge> read_wanted(const KnowledgeOptions& options) {
  std::vector<Knowledge> all = options.known.read();
  for (Knowledge& knowledge : all) choose(knowledge, options);
  return all;
}

void show_json(const std::vector<Knowledge>& all) {
  auto list = Json::array();
  for (const Knowledge& knowledge : all) list.push_back(parse_json(to_text(knowledge)));
  fmt::print("{}\n", json_text(list, 1));
}

// What is known of calls over one transport.
void show(const Knowledge& knowledge, const Knowledge::Stack& stack) {
  fmt::print("{}, {}\n  {:<22}{:>6}{:>6}{:>18}  {:<44}{:>10}{:>12}  {:<58}{}\n",
             stack_text({stack.mpi, "", stack.transport}), knowledge.machine, "operation", "ranks", "hosts",
             "bytes", "plan", "calls", "time", "time over native's, with 99 % bounds", "last seen");
  for (const auto& [key, plans] : knowledge.classes) {
    if (Knowledge::Stack{key.mpi, key.transport} != stack) continue;
    if (!key.calls.neighbors.empty()) fmt::print("  between neighbours, {}:\n", key.calls.neighbors);
    bool first = true;
    const Ranking ranking(plans);
    for (const auto& [plan, evidence] : in_order(plans, ranking)) {
      fmt::print(
          "  {:<22}{:>6}{:>6}{:>18}  {:<44}{:>10.0f}{:>12}  {:<58}{}\n",
          first ? key.calls.called().name() : "", first ? fmt::format("{}", key.calls.placement.ranks) : "",
          first ? fmt::format("{}", key.calls.placement.hosts) : "", first ? sizes_text(key.calls) : "", plan,
          evidence.calls, time_text(evidence.seconds.count > 0 ? evidence.seconds.mean : evidence.alone),
          verdict(plan, evidence, ranking), date_text(evidence.last));
      first = false;
    }
  }
}

void show(const Knowledge& knowledge) {
  std::set<Knowledge::Stack> stacks;
  for (const auto& [key, plans] : knowledge.classes) stacks.insert({key.mpi, key.transport});
  for (const Knowledge::Stack& stack : stacks) show(knowledge, stack);
  for (const FoundGroups& found : knowledge.groups)
    fmt::print("groups of {} hosts, found {}: {}\n", found.whereabouts.group_of.size(), date_text(found.last),
               found.whereabouts.groups.size() > 1 ? counted(found.whereabouts.groups.size() - 1, "group")
                                                   : "none, all are equally far from each other");
  std::set<std::string> foreign;
  for (const auto& [key, plans] : knowledge.of_other_versions)
    for (const auto& [plan, evidence] : plans) foreign.insert(plan);
  if (!foreign.empty())
    fmt::print("kept for other versions, for this Tutti has no such plans: {}\n", fmt::join(foreign, ", "));
}

void show(const KnowledgeOptions& options) {
  const std::vector<Knowledge> all = read_wanted(options);
  if (options.json) return show_json(all);
  if (std::ranges::all_of(
          all, [](const Knowledge& of) { return of.classes.empty() && of.of_other_versions.empty(); }))
    throw Failure{"nothing is known of what was asked for; without words tutti knowledge shows all"};
  for (const Knowledge& knowledge : all) show(knowledge);
}

// The one MPI on one machine that is meant, and what carries its messages.
std::pair<const Knowledge*, Fingerprint> the_one(const std::vector<Knowledge>& all) {
  std::vector<std::pair<const Knowledge*, Fingerprint>> found;
  for (const Knowledge& knowledge : all)
    for (const Fingerprint& place : knowledge.places()) found.emplace_back(&knowledge, place);
  if (found.size() == 1) return found.front();
  std::vector<std::string> names;
  for (const auto& [knowledge, place] : found)
    names.push_back(fmt::format("{} on {}", stack_text(place), place.machine));
  if (found.empty()) throw Failure{"nothing of that MPI is known; tutti knowledge shows what is"};
  throw Failure{
      fmt::format("what is known is of several, {}: say which with --mpi, --transport and --machine",
                  fmt::join(names, "; "))};
}

void write_table(const KnowledgeOptions& options) {
  options.output.check();
  const auto all = read_wanted(options);
  const auto [knowledge, place] = the_one(all);
  options.output.write(to_text(table_of(*knowledge, place)));
}

void merge(const KnowledgeOptions& options) {
  std::vector<Knowledge> all;
  for (const std::string& path : options.files) {
    const std::string text = value_or_fail(read_file(path));
    if (text.find("\"tutti-table-") != text.npos)
      all.push_back(knowledge_of(value_or_fail(parse_table(text, path)), today()));
    else
      all.push_back(value_or_fail(parse_knowledge(text, path)));
    all.back().end_by(today());
    choose(all.back(), options);
    const bool is_wanted = all.back().machine.find(options.known.machine) != std::string::npos &&
                           !(all.back().classes.empty() && all.back().of_other_versions.empty());
    if (!is_wanted) all.pop_back();
  }
  if (all.empty())
    throw Failure{"none of these files has what was asked for; without words tutti knowledge merge adds all"};
  for (const Knowledge& knowledge : all) {
    value_or_fail(options.known.store().add(knowledge));
    fmt::print("{} of calls on {}\n", counted(knowledge.classes.size(), "kind"), knowledge.machine);
  }
}

void forget(const KnowledgeOptions& options) {
  const auto operations = options.operations.read();
  std::size_t count = 0;
  for (const Knowledge& knowledge : options.known.read_if_any()) {
    std::set<Knowledge::Key> dropped;
    value_or_fail(options.known.store().forget(knowledge.machine, [&](const Knowledge::Key& key) {
      const bool drop = is_wanted(key, operations, options.known);
      if (drop) dropped.insert(key);
      return drop;
    }));
    count += dropped.size();
  }
  fmt::print("forgotten: {} of calls\n", counted(count, "kind"));
}

void declare_knowledge(CLI::App* verb, const LauncherWords&) {
  auto options = std::make_shared<KnowledgeOptions>();
  verb->footer("Example: tutti knowledge allreduce\n         tutti knowledge export -o table.json");
  options->known.add_to(*verb);
  options->operations.add_to(*verb);
  verb->add_flag("--json", options->json, "print a JSON array, one element a machine");
  verb->require_subcommand(0, 1);
  // What the verb itself declares says which knowledge is meant, before or after a subcommand's
  // name.
  const auto add_subcommand = [verb](const std::string& name, const std::string& what,
                                     const std::string& example) {
    CLI::App* subcommand = verb->add_subcommand(name, what)->fallthrough()->group(inner_verbs);
    subcommand->footer(
        fmt::format("Operations, --folder, --mpi, --transport and --machine choose the knowledge:\n"
                    "see tutti knowledge --help.\n"
                    "Example: tutti knowledge {} {}",
                    name, example));
    return subcommand;
  };
  CLI::App* to_table =
      add_subcommand("export", "write a table of the plans that surely gain, with the evidence",
                     "bcast,allreduce -o table.json");
  to_table->formatter(std::make_shared<Help>("[OPERATIONS...]"));
  options->output.add_to(*to_table, "table to write");
  to_table->callback([options] { write_table(*options); });
  CLI::App* merging = add_subcommand("merge", "add the evidence of other files of knowledge, and of tables",
                                     "table.json --folder shared");
  merging->add_option("files", options->files, "files of knowledge, and tables")
      ->type_name("FILES")
      ->required();
  merging->callback([options] { merge(*options); });
  CLI::App* forgetting =
      add_subcommand("forget", "drop what is known of some operations, or of all", "allgather");
  forgetting->formatter(std::make_shared<Help>("[OPERATIONS...]"));
  forgetting->callback([options] { forget(*options); });
  verb->callback([options, verb] {
    if (verb->get_subcommands().empty()) show(*options);
  });
}

}  // namespace

namespace verbs {

Verb knowledge() {
  return {.name = "knowledge",
          .summary = "show, export, merge or forget what programs have learnt here",
          .purpose = Purpose::understand,
          .declare = declare_knowledge};
}

}  // namespace verbs

}  // namespace tutti::tools
