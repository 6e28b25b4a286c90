#include "choose/evidence/whereabouts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <set>
#include <sstream>

#include "choose/evidence/constants.hpp"
#include "core/network/group_levels.hpp"
#include "core/network/group_members.hpp"
#include "core/network/groups.hpp"

namespace tutti::inline choose {
namespace {

constexpr int none = Network::Group::none;

std::vector<std::string> words_of(std::string line) {
  line.resize(std::min(line.size(), line.find('#')));
  std::ranges::replace(line, ',', ' ');
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(std::move(word));
  return words;
}

// Puts hosts into groups, and groups into others. What is said comes from numbered lines, or from
// what `numbered` calls them.
class Placing {
 public:
  explicit Placing(std::string source, std::string_view numbered = "line") : numbered_(numbered) {
    whereabouts_.source = std::move(source);
  }

  // `groups`: the innermost first.
  void put(const std::string& host, const std::vector<std::string>& groups, int line) {
    put_host(host, groups.front(), line);
    for (std::size_t i = 1; i < groups.size(); ++i) put_group(groups[i - 1], groups[i], line);
  }

  void put_host(const std::string& host, const std::string& group, int line) {
    const int number = number_of(group);
    const auto [known, added] = whereabouts_.group_of.try_emplace(host, number);
    if (!added && known->second != number)
      fail(line, fmt::format("host {} is in {}, and in {} in {} {}; a host is in one of them", host, group,
                             name(known->second), numbered_, line_of_host_[host]));
    if (added) line_of_host_[host] = line;
  }

  void put_group(const std::string& group, const std::string& within, int line) {
    const int number = number_of(group), around = number_of(within);
    int& known = whereabouts_.groups[static_cast<std::size_t>(number)].within;
    if (known != none && known != around)
      fail(line, fmt::format("{} is within {}, and within {} in {} {}; a group is within one", group, within,
                             name(known), numbered_, line_of_group_[number]));
    for (int at = around; at != none; at = whereabouts_.groups[static_cast<std::size_t>(at)].within)
      if (at == number)
        fail(line, fmt::format("{} is within itself, by way of {}; groups are a tree", group, within));
    if (!error_.empty()) return;
    known = around;
    line_of_group_.try_emplace(number, line);
  }

  void fail(int line, const std::string& what) {
    if (error_.empty()) error_ = fmt::format("{}: {} {}: {}", whereabouts_.source, numbered_, line, what);
  }

  Result<Whereabouts> result() && {
    if (!error_.empty()) return failure(error_);
    if (whereabouts_.group_of.empty())
      return failure(fmt::format("{}: there is no host in it; write lines such as 'node1 switch1 row1'",
                                 whereabouts_.source));
    return std::move(whereabouts_);
  }

 private:
  const std::string& name(int group) const {
    return whereabouts_.groups[static_cast<std::size_t>(group)].name;
  }

  int number_of(const std::string& group) {
    const auto [known, added] = numbers_.try_emplace(group, static_cast<int>(whereabouts_.groups.size()));
    if (added) whereabouts_.groups.push_back({.name = group});
    return known->second;
  }

  Whereabouts whereabouts_;
  std::string_view numbered_;
  std::map<std::string, int> numbers_, line_of_host_;
  std::map<int, int> line_of_group_;
  std::string error_;
};

std::optional<long> number_in(const std::string& text) {
  long value = 0;
  const char* const end = text.data() + text.size();
  const auto [behind, error] = std::from_chars(text.data(), end, value);
  return !text.empty() && error == std::errc() && behind == end && value >= 0 ? std::optional(value)
                                                                              : std::nullopt;
}

// Names of hosts or switches as Slurm lists them: "node[1-3,07]-a,other" are node1-a, node2-a,
// node3-a, node07-a and other; numbers keep their zeros.
class Names {
 public:
  explicit Names(std::string_view list) {
    std::size_t begin = 0, depth = 0;
    for (std::size_t at = 0; at <= list.size(); ++at) {
      if (at < list.size() && list[at] == '[') ++depth;
      if (at < list.size() && list[at] == ']' && depth > 0) --depth;
      if (at < list.size() && (list[at] != ',' || depth > 0)) continue;
      one_ = list.substr(begin, at - begin);
      if (at > begin) add("", one_);
      begin = at + 1;
    }
  }

  const std::vector<std::string>& names() const { return names_; }
  // What is wrong with the list; empty: nothing.
  const std::string& error() const { return error_; }

 private:
  void add(const std::string& before, std::string_view rest) {
    const auto open = rest.find_first_of("[]");
    if (open == rest.npos) {
      names_.push_back(before + std::string(rest));
      if (names_.size() > evidence::most_names) fail();
      return;
    }
    const auto close = rest.find_first_of("[]", open + 1);
    if (rest[open] != '[' || close == rest.npos || rest[close] != ']') return fail();
    const std::string head = before + std::string(rest.substr(0, open));
    std::istringstream ranges(std::string(rest.substr(open + 1, close - open - 1)) + ",");
    for (std::string range; std::getline(ranges, range, ',');) {
      const auto dash = range.find('-');
      const std::string first = range.substr(0, dash),
                        last = dash == range.npos ? first : range.substr(dash + 1);
      const auto from = number_in(first), to = number_in(last);
      if (!from || !to || *from > *to) return fail();
      for (long i = *from; i <= *to && error_.empty(); ++i)
        add(head + fmt::format("{:0{}}", i, first.size()), rest.substr(close + 1));
    }
  }

  void fail() {
    error_ = fmt::format(
        "{} is no list of at most {} names; numbers stand in brackets, the lower first, as in node[1-3,7]",
        one_, evidence::most_names);
  }

  std::string_view one_;
  std::vector<std::string> names_;
  std::string error_;
};

// The value of a key in a line of topology.conf, whatever the case of its letters; "" without it.
std::string value_of(const std::string& line, std::string_view key) {
  std::istringstream in(line.substr(0, line.find('#')));
  for (std::string word; in >> word;) {
    const auto equals = word.find('=');
    if (equals == key.size() &&
        std::ranges::equal(
            word.substr(0, equals), key, {}, [](unsigned char c) { return std::tolower(c); },
            [](unsigned char c) { return std::tolower(c); }))
      return word.substr(equals + 1);
  }
  return "";
}

// The switch that a line of topology.conf is about, or the block; "" where it is about none.
std::string name_in(const std::string& line) {
  const std::string of_switch = value_of(line, "SwitchName");
  return of_switch.empty() ? value_of(line, "BlockName") : of_switch;
}

Result<Whereabouts> read_topology_conf(const std::vector<std::string>& lines, const std::string& source) {
  Placing placing(source);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string name = name_in(lines[i]);
    if (name.empty()) continue;
    const int line = static_cast<int>(i) + 1;
    const std::string nodes = value_of(lines[i], "Nodes"), switches = value_of(lines[i], "Switches");
    const Names hosts(nodes), inner(switches);
    for (const Names& list : {hosts, inner})
      if (!list.error().empty()) placing.fail(line, list.error());
    for (const std::string& host : hosts.names()) placing.put_host(host, name, line);
    for (const std::string& group : inner.names()) placing.put_group(group, name, line);
  }
  return std::move(placing).result();
}

std::string without_domain(const std::string& host) {
  return host.substr(0, host.find('.'));
}

// The number of the host's group; nothing where it is in none that is known.
std::optional<int> innermost_group_of(const Whereabouts& whereabouts, const std::string& host) {
  const auto known = whereabouts.group_of.find(host);
  if (known != whereabouts.group_of.end()) return known->second;
  const auto alike = std::ranges::find_if(whereabouts.group_of, [&](const auto& entry) {
    return without_domain(entry.first) == without_domain(host);
  });
  return alike == whereabouts.group_of.end() ? std::nullopt : std::optional(alike->second);
}

}  // namespace

Result<Whereabouts> read_whereabouts(const std::string& text, const std::string& source) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(std::move(line));
  if (std::ranges::any_of(lines, [](const std::string& line) { return !name_in(line).empty(); }))
    return read_topology_conf(lines, source);
  Placing placing(source);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::vector<std::string> words = words_of(lines[i]);
    const int line = static_cast<int>(i) + 1;
    if (words.size() == 1)
      placing.fail(line,
                   fmt::format("{} stands alone; name the groups that it is in, such as '{} switch1 row1'",
                               words.front(), words.front()));
    if (words.size() > 1) placing.put(words.front(), {words.begin() + 1, words.end()}, line);
  }
  return std::move(placing).result();
}

Result<Whereabouts> whereabouts_of(const std::map<std::string, std::vector<std::string>>& groups_of_hosts,
                                   const std::string& source) {
  Placing placing(source, "host");
  int number = 0;
  for (const auto& [host, groups] : groups_of_hosts) {
    ++number;
    if (groups.empty())
      placing.fail(number, fmt::format("{} is in no group", host));
    else
      placing.put(host, groups, number);
  }
  return std::move(placing).result();
}

std::vector<std::string> groups_of_host(const Whereabouts& whereabouts, const std::string& host) {
  std::vector<std::string> groups;
  for (int at = innermost_group_of(whereabouts, host).value_or(none); at != none;
       at = whereabouts.groups[static_cast<std::size_t>(at)].within)
    groups.push_back(whereabouts.groups[static_cast<std::size_t>(at)].name);
  std::ranges::reverse(groups);
  return groups;
}

std::vector<std::string> switches_in_address(const std::string& address, const std::string& host) {
  // Either name may have a domain behind it.
  for (const std::string& name : {host, without_domain(host)}) {
    if (!address.ends_with("." + name)) continue;
    std::vector<std::string> switches;
    std::istringstream in(address.substr(0, address.size() - name.size() - 1));
    for (std::string part; std::getline(in, part, '.');) switches.push_back(std::move(part));
    return switches;
  }
  return {};
}

Result<Whereabouts> whereabouts_of_addresses(const std::vector<std::string>& hosts,
                                             const std::vector<std::string>& addresses) {
  Placing placing("SLURM_TOPOLOGY_ADDR", "host");
  bool is_told = false;
  for (std::size_t host = 0; host < hosts.size(); ++host) {
    auto switches = switches_in_address(addresses[host], hosts[host]);
    if (switches.empty()) continue;
    std::ranges::reverse(switches);
    placing.put(hosts[host], switches, static_cast<int>(host) + 1);
    is_told = true;
  }
  if (!is_told) return Whereabouts{.source = "SLURM_TOPOLOGY_ADDR"};
  return std::move(placing).result();
}

Result<Network> with_groups(Network network, int ranks, const Whereabouts& whereabouts,
                            const std::vector<std::string>& hosts) {
  network.groups = {{.name = "all"}};
  network.group_of.clear();
  std::map<int, int> numbers;  // here, by those there
  const auto add = [&](int group, const auto& again) -> int {
    if (group == none) return 0;
    const auto known = numbers.find(group);
    if (known != numbers.end()) return known->second;
    const Network::Group& told = whereabouts.groups[static_cast<std::size_t>(group)];
    const int within = again(told.within, again);
    network.groups.push_back({.name = told.name, .within = within});
    return numbers[group] = static_cast<int>(network.groups.size()) - 1;
  };
  for (Rank rank = 0; rank < ranks; ++rank) {
    const std::string& host = hosts[static_cast<std::size_t>(network.host(rank))];
    const auto group = innermost_group_of(whereabouts, host);
    if (!group)
      return failure(fmt::format("{}: host {} of rank {} is not in it; add where it is", whereabouts.source,
                                 host, rank));
    network.group_of.push_back(add(*group, add));
  }
  return network;
}

namespace {

// The name of a group where that is a word of such a file, else its number.
std::string word_for_group(const Network& network, int group) {
  const std::string& name = network.groups[static_cast<std::size_t>(group)].name;
  const bool is_word = !name.empty() && std::ranges::all_of(name, [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '-' || c == '.';
  });
  return is_word ? name : fmt::format("group-{}", group);
}

}  // namespace

std::optional<std::string> groups_file_of(const Network& network, const std::vector<std::string>& hosts) {
  const auto ranks = static_cast<int>(network.group_of.size());
  if (ranks == 0 || !GroupLevels::of(network, ranks).tells_hosts_apart()) return std::nullopt;
  const auto of_all = static_cast<std::size_t>(count_groups_of_all(network, ranks));
  const std::set<int> parts = parts_of_hosts(network);
  std::string text = "# Hosts and the groups that they are in, the innermost first.\n";
  std::set<std::string> written;
  for (Rank rank = 0; rank < ranks; ++rank) {
    const std::string& name = hosts[static_cast<std::size_t>(network.host(rank))];
    if (!written.insert(name).second) continue;
    auto around = groups_around(network, rank);
    around.resize(around.size() - of_all);
    // What is within hosts, and the group of all of such a host, ranks find by themselves.
    const auto outside = std::ranges::find_if_not(around, [&](int group) { return parts.contains(group); });
    if (outside != around.begin()) around.erase(around.begin(), std::ranges::next(outside, 1, around.end()));
    text += name;
    for (const int group : around) text += " " + word_for_group(network, group);
    text += around.empty() ? fmt::format(" alone-{}\n", name) : "\n";
  }
  return text;
}

}  // namespace tutti::inline choose
