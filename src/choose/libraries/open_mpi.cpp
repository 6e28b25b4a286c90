#include "choose/libraries/open_mpi.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <map>
#include <sstream>

#include "base/document.hpp"
#include "base/json.hpp"
#include "choose/libraries/constants.hpp"

namespace tutti::inline choose {
namespace {

// How coll/tuned numbers a collective, and its algorithms: from 1 on, in this order.
struct Numbered {
  Collective collective;
  int number;
  std::vector<std::string_view> algorithms;
};
const std::vector<Numbered>& numbered() {
  using enum Collective;
  // Programs may end MPI after our statics: tables of this room are never destroyed.
  static const auto& all = *new std::vector<Numbered>{
      {allgather, 0, {"linear", "bruck", "recursive_doubling", "ring", "neighbor", "two_proc"}},
      {allgatherv, 1, {"default", "bruck", "ring", "neighbor", "two_proc"}},
      {allreduce,
       2,
       {"basic_linear", "nonoverlapping", "recursive_doubling", "ring", "segmented_ring", "rabenseifner"}},
      {alltoall, 3, {"linear", "pairwise", "modified_bruck", "linear_sync", "two_proc"}},
      {alltoallv, 4, {"basic_linear", "pairwise"}},
      {barrier, 6, {"linear", "double_ring", "recursive_doubling", "bruck", "two_proc", "tree"}},
      {bcast,
       7,
       {"basic_linear", "chain", "pipeline", "split_binary_tree", "binary_tree", "binomial", "knomial",
        "scatter_allgather", "scatter_allgather_ring"}},
      {exscan, 8, {"linear", "recursive_doubling"}},
      {gather, 9, {"basic_linear", "binomial", "linear_sync"}},
      {reduce, 11, {"linear", "chain", "pipeline", "binary", "binomial", "in-order_binary", "rabenseifner"}},
      {reduce_scatter, 12, {"non-overlapping", "recursive_halving", "ring", "butterfly"}},
      {reduce_scatter_block, 13, {"basic_linear", "recursive_doubling", "recursive_halving", "butterfly"}},
      {scan, 14, {"linear", "recursive_doubling"}},
      {scatter, 15, {"basic_linear", "binomial", "linear_nb"}}};
  return all;
}

const Numbered* find(Collective collective) {
  const auto found = std::ranges::find(numbered(), collective, &Numbered::collective);
  return found == numbered().end() ? nullptr : &*found;
}

// How many bytes Open MPI means where we mean one: it counts the blocks of all ranks together, but
// those of allgatherv.
std::size_t blocks(Collective collective, int ranks) {
  const bool together = traits(collective).size_means == SizeMeans::block && !is_irregular(collective);
  return together ? static_cast<std::size_t>(ranks) : 1;
}

std::size_t first_size_after(const LibraryRule& rule, Collective collective, int ranks) {
  return (rule.size_max + 1) * blocks(collective, ranks);
}

int number_of(const Numbered& numbered, const LibraryAlgorithm& algorithm) {
  const auto found = std::ranges::find(numbered.algorithms, algorithm.name);
  return found == numbered.algorithms.end() ? 0 : static_cast<int>(found - numbered.algorithms.begin()) + 1;
}

bool may_hang(Collective collective) {
  return collective == Collective::gather || collective == Collective::scatter;
}

// The rules by collective, by ascending ranks.
std::map<Collective, std::vector<const LibraryRules*>> by_collective(const OpenMpiRules& rules) {
  std::map<Collective, std::vector<const LibraryRules*>> sorted;
  for (const LibraryRules& of : rules.all()) sorted[of.collective].push_back(&of);
  for (auto& [collective, of] : sorted) std::ranges::sort(of, {}, &LibraryRules::ranks);
  return sorted;
}

constexpr int any_ranks = std::numeric_limits<int>::max();

// A line of the classic file after another, without comments.
class Numbers {
 public:
  explicit Numbers(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      ++lines_;
      std::istringstream words(line.substr(0, line.find('#')));
      for (std::string word; words >> word;) words_.push_back({word, lines_});
    }
  }

  std::size_t next(const char* what) {
    if (at_ == words_.size())
      throw std::invalid_argument(fmt::format("line {}: it ends where {} should be", lines_, what));
    const auto& [word, line] = words_[at_++];
    if (word.empty() || word.find_first_not_of("0123456789") != word.npos || word.size() > 18)
      throw std::invalid_argument(fmt::format("line {}: '{}' is no {}", line, word, what));
    return std::stoull(word);
  }
  int small(const char* what) {
    const std::size_t value = next(what);
    if (value > libraries::largest_number)
      throw std::invalid_argument(fmt::format("{} is too large: {}", what, value));
    return static_cast<int>(value);
  }

 private:
  struct Word {
    std::string text;
    int line;
  };
  std::vector<Word> words_;
  std::size_t at_ = 0;
  int lines_ = 0;
};

// An algorithm for messages of `size` bytes and more, as the file says it; our rules end at a size.
struct Beginning {
  std::size_t size;
  LibraryAlgorithm algorithm;
};

std::vector<LibraryRule> rules_of(const std::vector<Beginning>& beginnings, Collective collective,
                                  int ranks) {
  std::vector<LibraryRule> rules;
  for (std::size_t i = 0; i < beginnings.size(); ++i) {
    const std::size_t end = i + 1 < beginnings.size() ? beginnings[i + 1].size : 0;
    const std::size_t here = blocks(collective, ranks);
    if (i + 1 == beginnings.size())
      add_rule(rules, unlimited, beginnings[i].algorithm);
    else if ((end + here - 1) / here > 0)
      add_rule(rules, (end + here - 1) / here - 1, beginnings[i].algorithm);
  }
  return rules;
}

std::vector<LibraryRules> parse_classic(const std::string& text) {
  Numbers numbers(text);
  std::vector<LibraryRules> all;
  const int count = numbers.small("number of collectives");
  for (int i = 0; i < count; ++i) {
    const int id = numbers.small("collective");
    const auto of = std::ranges::find(numbered(), id, &Numbered::number);
    const int sizes = numbers.small("number of communicator sizes");
    std::vector<LibraryRules> sets;
    for (int s = 0; s < sizes; ++s) {
      const int ranks = numbers.small("communicator size");
      const int rules = numbers.small("number of message sizes");
      std::vector<Beginning> beginnings;
      for (int r = 0; r < rules; ++r) {
        const std::size_t size = numbers.next("message size");
        const int algorithm = numbers.small("algorithm");
        const int fan_out = numbers.small("fan-out");
        const std::size_t segment = numbers.next("segment size");
        if (of == numbered().end()) continue;
        const bool known = algorithm <= static_cast<int>(of->algorithms.size()) && fan_out == 0;
        beginnings.push_back(
            {size,
             algorithm == 0 ? LibraryAlgorithm{}
             : known ? LibraryAlgorithm{std::string(of->algorithms[static_cast<std::size_t>(algorithm - 1)]),
                                        segment}
                     : LibraryAlgorithm{"unknown"}});
      }
      if (of == numbered().end()) continue;
      if (!sets.empty()) sets.back().ranks_max = ranks - 1;
      sets.push_back({of->collective, std::max(ranks, 1), any_ranks,
                      rules_of(beginnings, of->collective, std::max(ranks, 1))});
    }
    all.insert(all.end(), sets.begin(), sets.end());
  }
  return all;
}

int ranks_from(const Json& set, const char* name, int otherwise) {
  if (!set.contains(name) || set[name] == "inf") return otherwise;
  return whole<int>(set[name]);
}

std::vector<LibraryRules> parse_newer(const Json& root) {
  std::vector<LibraryRules> all;
  for (const auto& [name, sets] : root.at("collectives").items()) {
    const auto collective = collective_named(name);
    const Numbered* of = collective ? find(*collective) : nullptr;
    if (!of) continue;
    for (const Json& set : sets) {
      const int ranks = std::max(1, ranks_from(set, "comm_size_min", 1));
      std::vector<Beginning> beginnings;
      for (const Json& rule : set.at("rules")) {
        const Json& alg = rule.at("alg");
        std::string algorithm = alg.is_string() ? alg.get<std::string>() : "unknown";
        if (alg.is_number()) {
          const auto number = whole<std::size_t>(alg);
          if (number <= of->algorithms.size())
            algorithm = number == 0 ? "" : std::string(of->algorithms[number - 1]);
        }
        if (algorithm == "ignore") algorithm.clear();
        if (rule.value("faninout", 0) != 0 && !algorithm.empty()) algorithm = "unknown";
        const std::size_t begin =
            rule.contains("msg_size_min") ? whole<std::size_t>(rule["msg_size_min"]) : 0;
        if (beginnings.empty() && begin > 0) beginnings.push_back({0, {}});
        if (!beginnings.empty() && beginnings.back().size == begin) beginnings.pop_back();
        beginnings.push_back({begin, {algorithm, rule.value("seg_size", std::size_t{0})}});
        // Between this rule and the next the library chooses.
        if (rule.contains("msg_size_max") && rule["msg_size_max"].is_number())
          beginnings.push_back({whole<std::size_t>(rule["msg_size_max"]) + 1, {}});
      }
      all.push_back({*collective, ranks, ranks_from(set, "comm_size_max", any_ranks),
                     rules_of(beginnings, *collective, ranks)});
    }
  }
  return all;
}

}  // namespace

std::string open_mpi_refusal(Collective collective, const std::string& algorithm, int ranks) {
  const bool gathers = collective == Collective::allgather || collective == Collective::allgatherv;
  std::string_view only;
  if (algorithm == "two_proc" && ranks != 2)
    only = "two ranks";
  else if (gathers && algorithm == "neighbor" && ranks % 2 != 0)
    only = "even numbers of ranks";
  else if (gathers && algorithm == "recursive_doubling" && !std::has_single_bit(static_cast<unsigned>(ranks)))
    only = "powers of two";
  return only.empty() ? "" : fmt::format("the MPI library's {} is for {}", algorithm, only);
}

std::vector<std::string_view> open_mpi_algorithms(Collective collective) {
  const Numbered* found = find(collective);
  return found ? found->algorithms : std::vector<std::string_view>();
}

OpenMpiRules::OpenMpiRules(const std::vector<LibraryRules>& wanted) {
  std::map<Collective, std::vector<int>> ranks;
  for (const LibraryRules& of : wanted)
    if (may_hang(of.collective))
      ranks[of.collective].push_back(of.ranks);
    else if (find(of.collective))
      told_.push_back(of);
  for (auto& [collective, numbers] : ranks) {
    std::ranges::sort(numbers);
    left_out_.push_back(
        fmt::format("{} on {} ranks, for which Open MPI's ranks may look up different rules, and hang",
                    name(collective), fmt::join(numbers, ", ")));
  }
}

std::string open_mpi_rules(const OpenMpiRules& rules) {
  const auto sorted = by_collective(rules);
  std::string text = fmt::format("{} # collectives\n", sorted.size());
  for (const auto& [collective, sets] : sorted) {
    const Numbered& of = *find(collective);
    // A rule holds from its communicator size on, and the first one for all below, too.
    std::string body = "1 # ranks and more\n1 # message sizes\n0 0 0 0 # the library's own choice\n";
    int count = 1;
    for (std::size_t i = 0; i < sets.size(); ++i) {
      const LibraryRules& set = *sets[i];
      body +=
          fmt::format("{} # ranks\n{} # message sizes: from so many bytes on, algorithm, fan-out, segment\n",
                      set.ranks, set.rules.size());
      std::size_t begin = 0;
      for (const LibraryRule& rule : set.rules) {
        body += fmt::format("{} {} 0 {}{}\n", begin, number_of(of, rule.algorithm), rule.algorithm.segment,
                            rule.algorithm.name.empty() ? "" : " # " + rule.algorithm.text());
        if (rule.size_max != unlimited) begin = first_size_after(rule, collective, set.ranks);
      }
      ++count;
      const bool goes_on = i + 1 < sets.size() && sets[i + 1]->ranks == set.ranks_max + 1;
      if (set.ranks_max < any_ranks && !goes_on) {
        body += fmt::format("{} # ranks and more\n1\n0 0 0 0\n", set.ranks_max + 1);
        ++count;
      }
    }
    text += fmt::format("{} # {}\n{} # communicator sizes\n{}", of.number, name(collective), count, body);
  }
  return text;
}

std::string open_mpi_han_rules(const OpenMpiRules& rules) {
  const auto sorted = by_collective(rules);
  std::string text = fmt::format("{} # collectives\n", sorted.size());
  for (const auto& [collective, sets] : sorted) {
    std::string body = "1 # ranks and more\n1 # message sizes\n0 han\n";
    int count = 1;
    for (std::size_t i = 0; i < sets.size(); ++i) {
      const LibraryRules& set = *sets[i];
      body += fmt::format("{} # ranks and more\n{} # message sizes\n", set.ranks, set.rules.size());
      std::size_t begin = 0;
      for (const LibraryRule& rule : set.rules) {
        body += fmt::format("{} {}\n", begin, rule.algorithm.name.empty() ? "han" : "tuned");
        begin = rule.size_max + 1;
      }
      ++count;
      if (set.ranks_max == any_ranks || (i + 1 < sets.size() && sets[i + 1]->ranks == set.ranks_max + 1))
        continue;
      body += fmt::format("{} # ranks and more\n1 # message sizes\n0 han\n", set.ranks_max + 1);
      ++count;
    }
    text += fmt::format("{}\n1 # level\n2 # the whole communicator\n{} # communicator sizes\n{}",
                        name(collective), count, body);
  }
  return text;
}

std::string open_mpi_json(const OpenMpiRules& rules) {
  Json root{{"rule_file_version", 3}, {"module", "tuned"}, {"collectives", Json::object()}};
  for (const auto& [collective, sets] : by_collective(rules)) {
    auto& list = root["collectives"][std::string(name(collective))] = Json::array();
    for (const LibraryRules* set : sets) {
      auto of_sizes = Json::array();
      std::size_t begin = 0;
      for (const LibraryRule& rule : set->rules) {
        const bool last = rule.size_max == unlimited;
        const std::size_t end = last ? 0 : first_size_after(rule, collective, set->ranks);
        if (!rule.algorithm.name.empty()) {
          Json entry{{"msg_size_min", begin},
                     {"msg_size_max", last ? Json("inf") : Json(end - 1)},
                     {"alg", rule.algorithm.name}};
          if (rule.algorithm.segment > 0) entry["seg_size"] = rule.algorithm.segment;
          of_sizes.push_back(std::move(entry));
        }
        begin = end;
      }
      Json entry{{"comm_size_min", set->ranks}};
      if (set->ranks_max != any_ranks) entry["comm_size_max"] = set->ranks_max;
      entry["rules"] = std::move(of_sizes);
      list.push_back(std::move(entry));
    }
  }
  return root.dump(1) + "\n";
}

Result<std::vector<LibraryRules>> parse_open_mpi_rules(const std::string& text, const std::string& source) {
  try {
    const auto first = text.find_first_not_of(" \t\r\n");
    return first != text.npos && text[first] == '{' ? parse_newer(parse_json(text)) : parse_classic(text);
  } catch (const Json::parse_error& error) {
    return failure(fmt::format("rules {}: is not JSON (byte {})", source, error.byte));
  } catch (const std::exception& error) {
    return failure(fmt::format("rules {}: {}", source, error.what()));
  }
}

}  // namespace tutti::inline choose
