#include "choose/settings/kinds.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "base/duration.hpp"
#include "base/file.hpp"
#include "base/quick_hash.hpp"
#include "base/share.hpp"
#include "base/size.hpp"
#include "base/split.hpp"
#include "base/suggest.hpp"
#include "choose/evidence/builtin.hpp"
#include "choose/evidence/table_folder.hpp"
#include "choose/settings/forced_plans.hpp"
#include "core/network/network_file.hpp"

namespace tutti::inline choose::kinds {
namespace {

using Complaint = std::optional<std::string>;

// The user's home with a slash behind it; empty where there is none.
std::string home() {
  const char* home = in_environment("HOME");
  return home ? fmt::format("{}/", home) : "";
}

// The whole path of a folder or file, for programs may go elsewhere before it is used; "~" is the
// home.
std::string path_of(const std::string& named) {
  std::error_code error;
  return std::filesystem::absolute(named.starts_with("~/") ? home() + named.substr(2) : named, error)
      .string();
}

// A path as people write it, from the home on.
std::string shortened(const std::string& path) {
  return !home().empty() && path.starts_with(home()) ? "~/" + path.substr(home().size()) : path;
}

std::string nothing(const Configuration&) {
  return "";
}

Complaint read_table_file(const std::string& path, const Job& job, Configuration& into) {
  auto text = read_file(path);
  if (!text) return text.error().message;
  const std::uint64_t hash = quick_hash(*text);
  auto table = parse_table_for_program(std::move(*text), path);
  if (!table) return table.error().message;
  if (const auto why = foreign(table->fingerprint, job.fingerprint))
    return fmt::format("table {} {}; tune here with tutti tune", path, *why);
  if (const auto what = unlike(table->fingerprint, job.fingerprint))
    into.remarks.push_back(fmt::format("table {} {}", path, *what));
  into.rules.table = std::move(*table);
  into.rules.files[variable::table] = hash;
  return std::nullopt;
}

// Only the ranks know what carries their messages, and maybe what machine they are on: of a folder
// of tables the first that can serve here does.
Complaint read_table_folder(const std::string& folder, const Job& job, Configuration& into) {
  std::vector<std::string> complaints;
  for (const std::string& file : tables_in(folder)) {
    const Complaint complaint = read_table_file(file, job, into);
    if (!complaint) {
      into.remarks.push_back(fmt::format("table {} serves", file));
      return std::nullopt;
    }
    complaints.push_back(*complaint);
  }
  return fmt::format("no table in {} can serve here{}{}", folder, complaints.empty() ? "" : ": ",
                     fmt::join(complaints, "; "));
}

Complaint read_table(const std::string& path, const Job& job, Configuration& into) {
  if (path == builtin_table) {
    into.rules.builtin = true;
    return std::nullopt;
  }
  std::error_code none;
  return std::filesystem::is_directory(path, none) ? read_table_folder(path, job, into)
                                                   : read_table_file(path, job, into);
}

// The network has to be of the job's ranks, or of any number, unless it knows its hosts by name:
// where the job's are is found when its ranks meet.
Complaint read_network(const std::string& path, const Job& job, Configuration& into) {
  const auto text = read_file(path);
  if (!text) return text.error().message;
  auto network = parse_network(*text, path);
  if (!network) return network.error().message;
  if (const auto known = network->known_ranks();
      network->host_names.empty() && known != 0 && known != static_cast<std::size_t>(job.ranks))
    return fmt::format("network {} is of {} ranks, and there are {}; probe with as many", path, known,
                       job.ranks);
  into.rules.network = std::move(*network);
  into.rules.files[variable::network] = quick_hash(*text);
  return std::nullopt;
}

Complaint read_groups(const std::string& path, const Job&, Configuration& into) {
  const auto text = read_file(path);
  if (!text) return text.error().message;
  auto groups = read_whereabouts(*text, path);
  if (!groups) return groups.error().message;
  into.groups = std::move(*groups);
  return std::nullopt;
}

// What learning reaches: nothing, only a table's plans, all calls.
constexpr std::array<std::string_view, 3> reaches{"0", "guard", "1"};

Complaint read_learning(const std::string& value, const Job&, Configuration& into) {
  const auto parts = split(value, ',');
  const auto reach = position_of(parts.empty() ? value : parts[0], {reaches.begin(), reaches.end()});
  if (!reach) return reach.error().message;
  if (parts.size() > 1) {
    const auto share = parse_share(parts[1]);
    const auto seconds = parse_duration(parts.size() == 3 ? parts[2] : "");
    if (!share || !seconds)
      return fmt::format("'{}' says no share and time behind the first comma, such as 1,5%,20ms", value);
    into.rules.learning.cost_share = *share;
    into.rules.learning.cost_s = *seconds;
  }
  into.rules.guard = *reach > 0;
  into.rules.learn = *reach > 1;
  return std::nullopt;
}

std::string show_learning(const Configuration& of) {
  const Rules& rules = of.rules;
  return fmt::format("{},{:g}%,{:g}ms",
                     reaches[rules.learn   ? 2
                             : rules.guard ? 1
                                           : 0],
                     rules.learning.cost_share * 100, rules.learning.cost_s * 1e3);
}

// What can be limited, and the least that it can be limited to.
struct Limit {
  std::string_view name;
  std::size_t Limits::*value;
  std::size_t least;
};
constexpr std::array limit_names{Limit{"memory", &Limits::host_memory, 0},
                                 Limit{"schedules", &Limits::schedules, 0},
                                 Limit{"messages", &Limits::messages, 1}, Limit{"bytes", &Limits::bytes, 1}};

Complaint read_limits(const std::string& value, const Job&, Configuration& into) {
  Limits limits = into.limits;
  std::vector<std::string_view> names;
  for (const Limit& limit : limit_names) names.push_back(limit.name);
  for (const std::string& part : split(value, ',')) {
    const auto equals = std::min(part.find('='), part.size());
    const auto limit = std::ranges::find(limit_names, part.substr(0, equals), &Limit::name);
    if (limit == limit_names.end())
      return fmt::format("'{}' is no limit{}", part, suggestion(part.substr(0, equals), names));
    const auto size = parse_size(equals < part.size() ? part.substr(equals + 1) : "");
    if (!size) return size.error().message;
    if (*size < limit->least)
      return fmt::format("'{}': {} have to be {} at least", part, limit->name, limit->least);
    limits.*limit->value = *size;
  }
  into.limits = limits;
  return std::nullopt;
}

std::string show_limits(const Configuration& of) {
  std::string text;
  for (const Limit& limit : limit_names)
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", limit.name, size_text(of.limits.*limit.value));
  return text;
}

}  // namespace

Result<std::size_t> position_of(const std::string& word, const std::vector<std::string_view>& words) {
  const auto found = std::ranges::find(words, word);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  if (words.size() == 2 && words[0] == "0") return failure(fmt::format("'{}' is neither 0 nor 1", word));
  return failure(fmt::format("'{}' is not a value of it{}", word, suggestion(word, words)));
}

Kind off() {
  return {"0|1",
          [](const std::string& value, const Job&, Configuration& into) {
            into.off = means_off(value);
            return std::nullopt;
          },
          [](const Configuration& of) { return std::string(of.off ? "1" : "0"); }};
}
Kind table() {
  return {"FILE|FOLDER|builtin", read_table, nothing, false, true};
}
Kind network() {
  return {"FILE", read_network, nothing, false, true};
}
Kind groups() {
  return {"FILE", read_groups, nothing, false, true};
}
Kind learning() {
  return {"0|guard|1[,PERCENT,TIME]", read_learning, show_learning, true};
}
Kind limits() {
  return {"NAME=SIZE,...", read_limits, show_limits};
}

Kind interval(double Rules::*seconds) {
  return {"TIME",
          [=](const std::string& value, const Job&, Configuration& into) -> Complaint {
            const auto read = parse_duration(value);
            if (!read) return read.error().message;
            if (*read == 0) return fmt::format("'{}' is no time to wait", value);
            into.rules.*seconds = *read;
            return std::nullopt;
          },
          [=](const Configuration& of) {
            return of.rules.*seconds > 0 ? fmt::format("{:g}s", of.rules.*seconds) : "";
          },
          true};
}

Kind folder(std::string Configuration::*member) {
  return {"FOLDER|none",
          [=](const std::string& value, const Job&, Configuration& into) -> Complaint {
            if (parse_size(value)) return fmt::format("'{}' is a size, and no folder", value);
            into.*member = value == "none" ? "" : path_of(value);
            return std::nullopt;
          },
          [=](const Configuration& of) { return shortened(of.*member); }};
}

Kind profile() {
  return {"FILE",
          [](const std::string& value, const Job&, Configuration& into) -> Complaint {
            into.profile = path_of(value);
            into.rules.profile = true;
            return std::nullopt;
          },
          nothing, true};
}

Kind text_for_command(std::string values, std::string default_value) {
  return {std::move(values), [](const std::string&, const Job&, Configuration&) { return Complaint(); },
          [=](const Configuration&) { return default_value; }};
}

Kind plans(Called called) {
  return {"PLAN",
          [=](const std::string& value, const Job&, Configuration& into) -> Complaint {
            auto plans = parse_forced_plans(called.collective, value);
            if (!plans) return plans.error().message;
            into.rules.forced[called] = std::move(*plans);
            return std::nullopt;
          },
          nothing,
          true,
          false,
          true};
}

}  // namespace tutti::inline choose::kinds
