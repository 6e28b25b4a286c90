#include "choose/libraries/mpich.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <climits>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "base/document.hpp"
#include "base/json.hpp"
#include "base/number.hpp"
#include "choose/libraries/constants.hpp"

namespace tutti::inline choose {
namespace {

// What MPICH calls the size of a call of ours, and how many bytes it means by it where we mean one.
struct SizeKey {
  std::string_view name;  // empty: such calls have none, or it means something else
  std::size_t times = 1;
};
SizeKey size_key(Collective collective, int ranks) {
  using enum Collective;
  switch (collective) {
    case bcast:
    case reduce:
    case allreduce:
    case alltoall:
      return {"avg_msg_size"};
    case reduce_scatter:
    case reduce_scatter_block:
      return {"total_msg_size"};
    case allgather:
    case allgatherv:
      return {"total_msg_size", static_cast<std::size_t>(ranks)};
    default:
      return {};
  }
}

// What has to hold for an algorithm besides the size of the communicator, or why no rules name it:
// they can't tell whether it does. Some serve ranks that share hosts, or go by sizes that MPICH
// counts in elements; and reduce_scatter's pairwise copies a block onto itself where it is in
// place, if one is longer than all before it, which ends programs (MPICH 4.0).
enum class Needs { nothing, enough_elements, what_rules_cannot_tell };
struct Known {
  std::string_view algorithm;
  bool powers_of_two = false;  // the communicator has to be
  Needs needs = Needs::nothing;
};
const std::vector<Known>& known(Collective collective) {
  using enum Collective;
  constexpr Needs elements = Needs::enough_elements, untold = Needs::what_rules_cannot_tell;
  static const auto& none = *new std::vector<Known>;
  static const auto& all = *new std::map<Collective, std::vector<Known>>{
      {barrier, {{"dissemination"}, {"nb"}, {"smp", false, untold}}},
      {bcast,
       {{"binomial"},
        {"nb"},
        {"smp", false, untold},
        {"scatter_recursive_doubling_allgather", true},
        {"scatter_ring_allgather"}}},
      {gather, {{"binomial", false, untold}, {"nb", false, untold}}},
      {scatter, {{"binomial", false, untold}, {"nb", false, untold}}},
      {allgather, {{"brucks"}, {"nb"}, {"recursive_doubling", true}, {"ring"}}},
      {allgatherv, {{"brucks"}, {"nb"}, {"recursive_doubling", true}, {"ring"}}},
      {alltoall, {{"brucks"}, {"nb"}, {"pairwise"}, {"scattered"}}},
      {reduce, {{"binomial"}, {"nb"}, {"smp", false, untold}, {"reduce_scatter_gather", false, elements}}},
      {allreduce,
       {{"nb"},
        {"smp", false, untold},
        {"recursive_doubling"},
        {"reduce_scatter_allgather", false, elements}}},
      {reduce_scatter, {{"nb"}, {"pairwise", false, untold}, {"recursive_doubling"}, {"recursive_halving"}}},
      {reduce_scatter_block, {{"nb"}, {"pairwise"}, {"recursive_doubling"}, {"recursive_halving"}}},
      {scan, {{"nb", false, untold}, {"smp", false, untold}, {"recursive_doubling", false, untold}}},
      {exscan, {{"nb", false, untold}, {"recursive_doubling", false, untold}}}};
  const auto found = all.find(collective);
  return found == all.end() ? none : found->second;
}

const Known* find_known(Collective collective, const std::string& algorithm) {
  const auto& of = known(collective);
  const auto found = std::ranges::find(of, algorithm, &Known::algorithm);
  return found == of.end() ? nullptr : &*found;
}

bool serves_ranks(const Known& algorithm, int ranks) {
  return !algorithm.powers_of_two || std::has_single_bit(static_cast<unsigned>(ranks));
}

bool is_for_rules(const Known& algorithm) {
  return algorithm.needs != Needs::what_rules_cannot_tell;
}

// An algorithm that rules may name for so many ranks; else null.
const Known* find_for_rules(Collective collective, const std::string& algorithm, int ranks) {
  const Known* found = find_known(collective, algorithm);
  return found && is_for_rules(*found) && serves_ranks(*found, ranks) ? found : nullptr;
}

// "MPIR_Reduce_scatter_intra_pairwise"
std::string mpich_name(Collective collective, std::string_view algorithm) {
  std::string operation(name(collective));
  operation[0] = static_cast<char>(operation[0] - 'a' + 'A');
  return fmt::format("MPIR_{}_{}_{}", operation, algorithm == "nb" ? "allcomm" : "intra", algorithm);
}

// In MPICH's trees the first condition of an object that holds counts: members keep their order.
Json leaf(const std::string& algorithm) {
  return {{"algorithm=" + algorithm, Json::object()}};
}

// What serves calls for which one of the algorithms is chosen.
using Chosen = std::function<Json(const LibraryRules& set, const Known& algorithm)>;

// One algorithm, behind what it needs.
Json by_algorithm(Collective collective, const Known& algorithm, const Json& own) {
  Json by = leaf(mpich_name(collective, algorithm.algorithm));
  if (algorithm.needs == Needs::enough_elements) by = {{"count<pow2", own}, {"count=any", by}};
  return by;
}

// The sizes of one communicator size.
Json by_size(const LibraryRules& set, const Json& own, const Chosen& chosen) {
  const SizeKey key = size_key(set.collective, set.ranks);
  Json tree = Json::object();
  for (const LibraryRule& rule : set.rules) {
    const Known* algorithm = find_for_rules(set.collective, rule.algorithm.name, set.ranks);
    const Json serves = algorithm ? chosen(set, *algorithm) : own;
    if (key.name.empty()) return serves;
    const bool last = rule.size_max == unlimited || rule.size_max > INT_MAX / key.times;
    tree[last ? fmt::format("{}=any", key.name)
              : fmt::format("{}<={}", key.name, rule.size_max * key.times)] = serves;
    if (last) break;
  }
  return tree;
}

// Ours are for calls as they were measured: operations that commute and come with MPI, buffers that
// are not in place.
Json for_such_calls(Collective collective, const Json& ours, const Json& own) {
  if (collective == Collective::alltoall)
    return {{"is_sendbuf_inplace=yes", own}, {"is_sendbuf_inplace=no", ours}};
  if (!traits(collective).reduces) return ours;
  const bool tells_builtin = collective == Collective::reduce || collective == Collective::allreduce;
  const Json commuting =
      tells_builtin ? Json{{"is_op_built_in=yes", ours}, {"is_op_built_in=no", own}} : ours;
  return {{"is_commutative=yes", commuting}, {"is_commutative=no", own}};
}

// The tree of a collective on intracommunicators, ours in front.
Json by_ranks(std::vector<const LibraryRules*> sets, const Json& own, const Chosen& chosen) {
  std::ranges::sort(sets, {}, &LibraryRules::ranks);
  Json tree = Json::object();
  int done = 0;
  for (const LibraryRules* set : sets) {
    if (set->ranks - 1 > done) tree[fmt::format("comm_size<={}", set->ranks - 1)] = own;
    tree[fmt::format("comm_size<={}", set->ranks)] =
        for_such_calls(set->collective, by_size(*set, own, chosen), own);
    done = set->ranks;
  }
  tree["comm_size=any"] = own;
  return tree;
}

// One call, asked of a tree.
struct Case {
  int ranks;
  std::size_t avg, total;  // bytes
};

// What a condition compares with a number; nothing where nobody knows it.
std::optional<std::size_t> quantity(std::string_view what, const Case& of) {
  if (what == "comm_size") return static_cast<std::size_t>(of.ranks);
  if (what == "avg_msg_size" || what == "per_proc_msg_size") return of.avg;
  if (what == "total_msg_size") return of.total;
  if (what == "comm_avg_ppn") return 1;
  if (what == "count") return std::numeric_limits<std::size_t>::max();
  return std::nullopt;
}

// "comm_size<=8": whether it holds of a call. Nothing where nobody knows such a condition.
std::optional<bool> holds(std::string key, const Case& of) {
  std::erase(key, ' ');
  const auto at = key.find_first_of("<=");
  if (at == key.npos) return key == "any" ? std::optional(true) : std::nullopt;
  const std::string what = key.substr(0, at);
  const bool below = key[at] == '<', or_equal = key.find('=', at) != key.npos;
  const std::string value = key.substr(at + (below ? 1 : 0) + (or_equal ? 1 : 0));
  if (!below && value == "any") return true;
  if (below) {
    if (what == "count" && value == "pow2") return false;
    const auto number = number_in<std::size_t>(value);
    const auto mine = quantity(what, of);
    if (!number || !mine) return std::nullopt;
    return or_equal ? *mine <= *number : *mine < *number;
  }
  static const auto& facts = *new std::map<std::string, std::string, std::less<>>{
      {"comm_type", "intra"},         {"comm_hierarchy", "flat"}, {"is_multi_threaded", "no"},
      {"is_node_consecutive", "yes"}, {"is_commutative", "yes"},  {"is_sendbuf_inplace", "no"},
      {"is_op_built_in", "yes"},      {"is_block_regular", "yes"}};
  if (what == "comm_size" && value == "pow2") return std::has_single_bit(static_cast<unsigned>(of.ranks));
  if (what == "comm_size" && value == "node_comm_size") return false;
  const auto fact = facts.find(what);
  return fact == facts.end() ? std::nullopt : std::optional(fact->second == value);
}

constexpr std::string_view algorithm_is = "algorithm=", composition_is = "composition=";

// What a leaf for a call has: an algorithm, or a composition of the device's; empty where there is
// none.
std::string leaf_of(const Json& tree, const Case& of, std::string_view what = algorithm_is) {
  for (const auto& [key, below] : tree.items()) {
    if (key.starts_with(algorithm_is) || key.starts_with(composition_is))
      return key.starts_with(what) ? key.substr(what.size()) : "";
    const auto here = holds(key, of);
    if (!here) throw std::invalid_argument(fmt::format("condition '{}' is not known", key));
    if (*here) return leaf_of(below, of, what);
  }
  return "";
}

// The sizes at which a tree decides anew.
void collect_sizes(const Json& tree, std::string_view what, std::set<std::size_t>& ends) {
  if (!tree.is_object()) return;
  for (const auto& [key, below] : tree.items()) {
    for (const std::string& prefix : {fmt::format("{}<=", what), std::string("per_proc_msg_size<=")})
      if (key.starts_with(prefix)) ends.insert(std::stoull(key.substr(prefix.size())));
    const std::string strictly = fmt::format("{}<", what);
    if (key.starts_with(strictly) && key[strictly.size()] != '=')
      if (const std::size_t end = std::stoull(key.substr(strictly.size())); end > 0) ends.insert(end - 1);
    collect_sizes(below, what, ends);
  }
}

// "MPIR_Bcast_intra_binomial": "binomial"
std::string short_name(const std::string& algorithm) {
  for (const std::string_view way : {"_intra_", "_allcomm_"})
    if (const auto at = algorithm.find(way); at != algorithm.npos) return algorithm.substr(at + way.size());
  return algorithm;
}

std::vector<LibraryRules> rules_in(const Json& root, const std::vector<int>& ranks) {
  std::vector<LibraryRules> all;
  for (const auto& [key, tree] : root.items()) {
    constexpr std::string_view of = "collective=";
    const auto collective = key.starts_with(of) ? collective_named(key.substr(of.size())) : std::nullopt;
    if (!collective) continue;
    for (const int p : ranks) {
      const SizeKey size = size_key(*collective, p);
      std::set<std::size_t> ends;
      if (!size.name.empty()) collect_sizes(tree, size.name, ends);
      LibraryRules set{*collective, p, p, {}};
      const auto ask = [&](std::size_t bytes) {
        return LibraryAlgorithm{short_name(leaf_of(
            tree, {p, bytes, size.name == "total_msg_size" ? bytes : bytes * static_cast<std::size_t>(p)}))};
      };
      for (const std::size_t end : ends)
        if (set.rules.empty() || end / size.times > set.rules.back().size_max)
          add_rule(set.rules, end / size.times, ask(end));
      add_rule(set.rules, unlimited, ask(ends.empty() ? 0 : *ends.rbegin() + 1));
      all.push_back(std::move(set));
    }
  }
  return all;
}

// The tree in a library that says something of the text.
std::optional<std::string> tree_that_names(std::string_view what, const std::string& library) {
  constexpr std::string_view begin = "{\"collective=";
  for (auto at = library.find(begin); at != library.npos; at = library.find(begin, at + 1)) {
    const std::string text = library.substr(at, library.find('\0', at) - at);
    if (text.find(what) != text.npos && is_json(text)) return text;
  }
  return std::nullopt;
}

// A library's tree with rules in front; `choose` is asked for what serves a collective by one of
// its algorithms, where `own` is its tree for intracommunicators.
Result<std::string> with_rules(const std::vector<LibraryRules>& rules, const std::string& own,
                               const std::function<Chosen(const Json& own)>& choose) {
  const Json tree = is_json(own) ? parse_json(own) : Json();
  if (!tree.is_object()) return failure("the library's own decisions are not JSON");
  std::map<std::string, std::vector<const LibraryRules*>> by_collective;
  for (const LibraryRules& set : rules)
    if (std::ranges::any_of(known(set.collective), is_for_rules) && set.ranks == set.ranks_max)
      by_collective[fmt::format("collective={}", name(set.collective))].push_back(&set);
  Json all = Json::object();
  for (const auto& [key, decisions] : tree.items()) {
    const auto ours = by_collective.find(key);
    if (ours == by_collective.end() || !decisions.contains("comm_type=intra")) {
      all[key] = decisions;
      continue;
    }
    const Json& usual = decisions["comm_type=intra"];
    Json with = decisions;
    with["comm_type=intra"] = by_ranks(ours->second, usual, choose(usual));
    all[key] = std::move(with);
  }
  std::string text = all.dump(1) + "\n";
  // MPICH maps the file and reads to a byte that is zero: behind whole pages there would be none.
  if (text.size() % libraries::page_bytes == 0) text += "\n";
  return text;
}

}  // namespace

std::vector<std::string_view> mpich_algorithms(Collective collective) {
  std::vector<std::string_view> names;
  for (const Known& one : known(collective)) names.push_back(one.algorithm);
  return names;
}

std::string mpich_refusal(Collective collective, const std::string& algorithm, int ranks) {
  std::string_view only;
  if (algorithm == "pairwise_sendrecv_replace")
    only = "calls in place";
  else if (algorithm == "noncommutative")
    only = "operations that do not commute";
  else if (const Known* found = find_known(collective, algorithm); found && !serves_ranks(*found, ranks))
    only = "powers of two";
  return only.empty() ? "" : fmt::format("the MPI library's {} is for {}", algorithm, only);
}

Result<std::string> mpich_own_tree(const std::string& library, const std::string& source) {
  // There are others, of its devices, which have parts of the operations only.
  if (auto tree = tree_that_names("MPIR_Bcast_intra_binomial", library)) return *tree;
  return failure(
      fmt::format("{} holds no decisions of MPICH's; name its libmpich.so, of 4.0 or later", source));
}

std::optional<std::string> mpich_device_tree(const std::string& library) {
  return tree_that_names("\"composition=MPIDI_", library);
}

Result<std::string> mpich_json(const std::vector<LibraryRules>& rules, const std::string& own) {
  return with_rules(rules, own, [](const Json& usual) {
    return [&usual](const LibraryRules& set, const Known& algorithm) {
      return by_algorithm(set.collective, algorithm, usual);
    };
  });
}

// What serves communicators without a hierarchy combines nothing by hosts.
Result<std::string> mpich_device_json(const std::vector<LibraryRules>& rules, const std::string& own) {
  try {
    return with_rules(rules, own, [](const Json& usual) {
      return [&usual](const LibraryRules& set, const Known&) {
        const std::string plain = leaf_of(usual, {set.ranks, 0, 0}, composition_is);
        return plain.empty() ? usual : Json{{fmt::format("{}{}", composition_is, plain), Json::object()}};
      };
    });
  } catch (const std::exception& error) {
    return failure(fmt::format("the decisions of the library's device: {}", error.what()));
  }
}

Result<std::vector<LibraryRules>> parse_mpich_json(const std::string& text, const std::vector<int>& ranks,
                                                   const std::string& source) {
  try {
    return rules_in(parse_json(text), ranks);
  } catch (const Json::parse_error& error) {
    return failure(fmt::format("rules {}: is not JSON (byte {})", source, error.byte));
  } catch (const std::exception& error) {
    return failure(fmt::format("rules {}: {}", source, error.what()));
  }
}

}  // namespace tutti::inline choose
