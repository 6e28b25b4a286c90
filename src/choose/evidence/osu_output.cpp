#include "choose/evidence/osu_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <numeric>
#include <optional>
#include <sstream>

#include "base/letters.hpp"
#include "base/number.hpp"
#include "base/split.hpp"

namespace tutti::inline choose {
namespace {

constexpr double microseconds = 1e6;

// What titles of ours end with: there is one time a repetition, that of the slowest rank, so that
// the shortest and the longest are those of repetitions, not of ranks.
constexpr std::string_view of_slowest_ranks = ", measured by tutti bench: times of the slowest rank";

// A text without a part of it, if it is there.
std::string without(std::string text, std::string_view part) {
  if (const auto at = text.find(part); at != text.npos) text.erase(at, part.size());
  return text;
}

// "MPI_Bcast" is "Broadcast" there, "MPI_Alltoallv" "All-to-Allv Personalized Exchange".
std::string osu_name(Collective collective) {
  std::string name = without(std::string(traits(collective).mpi_name), "MPI_");
  if (collective == Collective::bcast) return "Broadcast";
  if (name.starts_with("Alltoall"))
    return "All-to-All" + name.substr(name.find("all") + 3) + " Personalized Exchange";
  if (name.starts_with("Neighbor_")) {
    name = name.substr(name.find('_') + 1);
    name.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(name.front())));
    return "Neighborhood " + name;
  }
  return name;
}

// What a title such as "OSU MPI-CUDA Non-blocking All-to-Allv Personalized Exchange Latency Test
// v7.5" is about, if that is a collective operation.
std::optional<Called> called_by(const std::string& title) {
  std::string words = lower_case(title);
  const auto begin = words.find("osu mpi"), end = words.find(" latency test");
  const auto blank = begin == words.npos ? words.npos : words.find(' ', begin + 4);
  if (end == words.npos || blank == words.npos || blank >= end) return std::nullopt;
  words = words.substr(blank + 1, end - blank - 1);
  Mode mode = Mode::blocking;
  if (words.starts_with("non-blocking ")) mode = Mode::nonblocking;
  if (words.ends_with(" persistent")) mode = Mode::persistent;
  for (const std::string_view part : {"non-blocking ", " persistent", " personalized exchange", "-", "-"})
    words = without(words, part);
  if (words == "broadcast") words = "bcast";
  for (const std::string_view neighbors : {"neighborhood ", "neighbor "})
    if (words.starts_with(neighbors)) words = "neighbor_" + words.substr(neighbors.size());
  const auto collective = collective_named(words);
  return collective ? std::optional(Called{*collective, mode}) : std::nullopt;
}

// Names of columns stand at least two blanks apart.
std::vector<std::string> columns_in(const std::string& line) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at < line.size();) {
    const auto end = std::min(line.find("  ", at), line.size());
    if (const std::string name = trimmed(line.substr(at, end - at)); !name.empty()) names.push_back(name);
    at = end == line.size() ? end : line.find_first_not_of(' ', end);
    if (at == line.npos) break;
  }
  return names;
}

bool is_heading(const std::vector<std::string>& columns) {
  return !columns.empty() && (columns.front() == "Size" || columns.front().ends_with("(us)"));
}

// Reads line by line.
class OsuReader {
 public:
  explicit OsuReader(const ImportedFrom& where) : where_(where), plan_(where.plan) {}

  Result<void> read(const std::string& line) {
    ++number_;
    std::string text = trimmed(line);
    const bool is_comment = text.starts_with('#');
    if (is_comment) text = trimmed(text.substr(1));
    if (is_comment && text.starts_with("OSU ")) {
      begin_section(text);
    } else if (is_comment && text.starts_with("Plan: ")) {
      plan_ = text.substr(text.find(' ') + 1);
    } else if (const auto columns = columns_in(text); is_heading(columns)) {
      columns_ = columns;
    } else if (called_ && !columns_.empty() && !is_comment && !text.empty()) {
      return read_row(text);
    }
    return {};
  }

  Imported take() { return std::move(all_); }

 private:
  static constexpr std::string_view average = "Avg Latency(us)";

  void begin_section(const std::string& title) {
    called_ = called_by(title);
    is_ours_ = title.ends_with(of_slowest_ranks);
    columns_.clear();
    plan_ = where_.plan;
    if (!called_)
      all_.left_out.push_back(
          fmt::format("{}: line {}: '{}' is about no collective operation", where_.source, number_, title));
  }

  std::optional<std::string> cell(std::string_view column, const std::vector<std::string>& words) const {
    const auto found = std::ranges::find(columns_, column);
    const auto at = static_cast<std::size_t>(found - columns_.begin());
    return at < words.size() ? std::optional(words[at]) : std::nullopt;
  }

  // The column with the time that counts.
  std::string_view column_of_time() const {
    static constexpr std::array<std::string_view, 4> by_preference{"Max Latency(us)", average, "Latency(us)",
                                                                   "Pure Comm.(us)"};
    for (const std::string_view column : by_preference)
      if (std::ranges::find(columns_, column) != columns_.end() && !(is_ours_ && column != average))
        return column;
    return {};
  }

  std::optional<double> seconds_in(std::string_view column, const std::vector<std::string>& words) const {
    const auto word = cell(column, words);
    const auto time = word ? number_in<double>(*word) : std::nullopt;
    if (!time || !(*time > 0) || !std::isfinite(*time)) return std::nullopt;
    return *time / microseconds;
  }

  Result<void> read_row(const std::string& text) {
    std::istringstream line(text);
    std::vector<std::string> words;
    for (std::string word; line >> word;) words.push_back(word);
    // Launchers and programs may say something in between; rows begin with a number.
    if (words.empty() || !number_in<double>(words.front())) return {};
    const auto fail = [&](const std::string& what) {
      return failure(fmt::format("{}: line {}: {}", where_.source, number_, what));
    };
    const bool has_size = columns_.front() == "Size";
    const auto size = has_size ? number_in<std::size_t>(words.front()) : std::size_t{0};
    if (!size) return fail(fmt::format("'{}' is no size in bytes", words.front()));
    const std::string_view column = column_of_time();
    if (column.empty())
      return fail("no column holds the time of a call, such as 'Avg Latency(us)'; give OSU's own output");
    const auto seconds = seconds_in(column, words);
    if (!seconds)
      return fail(
          fmt::format("'{}' is no time in the column '{}'", cell(column, words).value_or(""), column));
    const auto iterations = cell("Iterations", words);
    const auto bound = [&](std::string_view of) {
      return is_ours_ ? seconds_in(of, words).value_or(*seconds) : *seconds;
    };
    all_.measurements.push_back(imported(*called_, where_.ranks, where_.hosts, *size, plan_,
                                         {bound("Min Latency(us)"), *seconds, bound("Max Latency(us)")},
                                         *seconds, iterations ? number_in<int>(*iterations).value_or(1) : 1));
    return {};
  }

  const ImportedFrom& where_;
  int number_ = 0;
  std::optional<Called> called_;
  bool is_ours_ = false;
  std::vector<std::string> columns_;
  std::string plan_;
  Imported all_;
};

}  // namespace

std::string osu_heading(Called called, const std::string& plan) {
  const std::string title = fmt::format("# OSU MPI {} Latency Test{}\n# Plan: {}\n",
                                        osu_name(called.collective), of_slowest_ranks, plan);
  const bool has_size = called.collective != Collective::barrier;
  return title + fmt::format("{}{:>18}{:>18}{:>12}\n",
                             has_size ? fmt::format("{:<10}{:>18}", "# Size", "Avg Latency(us)")
                                      : "# Avg Latency(us)",
                             "Min Latency(us)", "Max Latency(us)", "Iterations");
}

std::string osu_row(Called called, std::size_t size, std::span<const double> seconds) {
  const auto [shortest, longest] = std::ranges::minmax(seconds);
  const double mean =
      std::accumulate(seconds.begin(), seconds.end(), 0.0) / static_cast<double>(seconds.size());
  const bool has_size = called.collective != Collective::barrier;
  return fmt::format("{}{:>18.2f}{:>18.2f}{:>12}\n",
                     has_size ? fmt::format("{:<10}{:>18.2f}", size, mean * microseconds)
                              : fmt::format("{:>17.2f}", mean * microseconds),
                     shortest * microseconds, longest * microseconds, seconds.size());
}

Result<Imported> parse_osu(const std::string& text, const ImportedFrom& where) {
  OsuReader reader(where);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (const auto read = reader.read(line); !read) return tl::unexpected(read.error());
  return reader.take();
}

}  // namespace tutti::inline choose
