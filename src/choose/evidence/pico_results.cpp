#include "choose/evidence/pico_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <sstream>

#include "base/letters.hpp"
#include "base/number.hpp"
#include "base/split.hpp"
#include "choose/evidence/constants.hpp"
#include "choose/evidence/statistics.hpp"

namespace tutti::inline choose {
namespace {

constexpr double nanoseconds = 1e9;

// The cells of a line of comma-separated values; those in quotation marks may hold commas.
std::vector<std::string> cells_in(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char letter : line) {
    if (letter == '"')
      quoted = !quoted;
    else if (letter == ',' && !quoted)
      cells.emplace_back();
    else if (letter != '\r')
      cells.back() += letter;
  }
  return cells;
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

bool has_column(const std::string& text, std::string_view column) {
  const auto columns = cells_in(first_line(text));
  return std::ranges::find(columns, column) != columns.end();
}

bool is_summary(const std::string& text) {
  return has_column(text, "collective_type") && has_column(text, "algo_name");
}

bool is_run(const std::string& text) {
  return cells_in(first_line(text)).front() == "highest";
}

// Numbers that a user's file holds; what is none is an error with the column's name.
template <typename Number>
Number number_in_cell(const std::string& word, std::string_view what) {
  if (const auto value = number_in<Number>(word)) return *value;
  throw std::invalid_argument(fmt::format("'{}' is no {}", word, what));
}

double seconds_in_cell(const std::string& word, std::string_view what) {
  const double value = number_in_cell<double>(word, what);
  if (!(value > 0) || !std::isfinite(value))
    throw std::invalid_argument(fmt::format("'{}' is no {}", word, what));
  return value / nanoseconds;
}

// PICO counts the vectors of all ranks together.
std::size_t size_of_call(Collective collective, std::size_t bytes, int ranks) {
  const bool by_block = traits(traits(collective).regular).size_means == SizeMeans::block;
  return by_block ? bytes / static_cast<std::size_t>(ranks) : bytes;
}

std::string plan_of(const std::string& algorithm) {
  return algorithm.starts_with("default") ? "native" : algorithm;
}

// A row of a summary, by its columns' names.
class SummaryRow {
 public:
  SummaryRow(const std::vector<std::string>& columns, const std::vector<std::string>& cells) {
    for (std::size_t i = 0; i < std::min(columns.size(), cells.size()); ++i) cells_[columns[i]] = cells[i];
  }
  bool has(const std::string& column) const {
    const auto found = cells_.find(column);
    return found != cells_.end() && !found->second.empty();
  }
  const std::string& at(const std::string& column) const {
    if (!has(column)) throw std::invalid_argument(fmt::format("the column '{}' is missing or empty", column));
    return cells_.find(column)->second;
  }
  int whole(const std::string& column) const {
    const int value = number_in_cell<int>(at(column), column);
    if (value < 1) throw std::invalid_argument(fmt::format("'{}' is no {}", at(column), column));
    return value;
  }

 private:
  std::map<std::string, std::string> cells_;
};

// The interval of the mean that PICO computed, widened to hold the median; where there is one
// repetition only it has none.
Interval interval_of(const SummaryRow& row) {
  const double median = seconds_in_cell(row.at(row.has("median") ? "median" : "mean"), "median");
  if (!row.has("ci_lower") || !row.has("ci_upper")) return {median, median, median};
  // The mean's interval may reach below all times.
  const double low = number_in_cell<double>(row.at("ci_lower"), "ci_lower");
  return {std::min(median, low > 0 ? low / nanoseconds : seconds_in_cell(row.at("min"), "min")), median,
          std::max(median, seconds_in_cell(row.at("ci_upper"), "ci_upper"))};
}

void add_row(Imported& all, const SummaryRow& row, const std::string& place) {
  const auto collective = collective_named(lower_case(row.at("collective_type")));
  if (!collective) {
    all.left_out.push_back(
        fmt::format("{}: {} is no operation that Tutti knows", place, row.at("collective_type")));
    return;
  }
  const int hosts = row.whole("nnodes"),
            on_each = row.has("tasks_per_node") ? row.whole("tasks_per_node") : 1;
  if (on_each > std::numeric_limits<int>::max() / hosts)
    throw std::invalid_argument(fmt::format("{} times {} ranks are too many", hosts, on_each));
  const int ranks = hosts * on_each;
  const auto bytes = number_in_cell<std::size_t>(row.at("buffer_size"), "buffer_size");
  all.measurements.push_back(imported({*collective}, ranks, hosts, size_of_call(*collective, bytes, ranks),
                                      plan_of(row.at("algo_name")), interval_of(row),
                                      seconds_in_cell(row.at("mean"), "mean"),
                                      row.has("n_iter") ? row.whole("n_iter") : 1));
}

Imported read_summary(const std::string& text, const std::string& source) {
  const auto lines = split(text, '\n');
  const auto columns = cells_in(first_line(text));
  Imported all;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (trimmed(lines[i]).empty()) continue;
    const std::string place = fmt::format("{}: line {}", source, i + 1);
    try {
      add_row(all, SummaryRow(columns, cells_in(lines[i])), place);
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(fmt::format("{}: {}", place, error.what()));
    }
  }
  return all;
}

// Bytes of the types that PICO's runs are named after.
std::size_t bytes_of_type(const std::string& type) {
  static constexpr std::array<std::pair<std::string_view, std::size_t>, 8> types{
      {{"int8", sizeof(std::int8_t)},
       {"int16", sizeof(std::int16_t)},
       {"int32", sizeof(std::int32_t)},
       {"int64", sizeof(std::int64_t)},
       {"int", sizeof(int)},
       {"float", sizeof(float)},
       {"double", sizeof(double)},
       {"char", sizeof(char)}}};
  const auto found = std::ranges::find(types, type, &std::pair<std::string_view, std::size_t>::first);
  if (found == types.end())
    throw std::invalid_argument(fmt::format("its name ends in '{}', which is no type", type));
  return found->second;
}

Imported read_run(const std::string& text, const ImportedFrom& where) {
  const auto lines = split(text, '\n');
  std::vector<double> times;
  for (std::size_t i = 1; i < lines.size(); ++i)
    if (!trimmed(lines[i]).empty())
      times.push_back(seconds_in_cell(cells_in(lines[i]).front(), fmt::format("time in line {}", i + 1)));
  times.erase(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(static_cast<double>(times.size()) *
                                                                         evidence::pico_warm_up));
  if (times.empty()) throw std::invalid_argument("it holds no times");
  const std::string name = std::filesystem::path(where.source).stem().string();
  const auto first = name.find('_'), last = name.rfind('_');
  if (first == name.npos || first == last)
    throw std::invalid_argument("its name is not ELEMENTS_ALGORITHM_TYPE.csv, as PICO gives it");
  const auto bytes = number_in_cell<std::size_t>(name.substr(0, first), "number of elements") *
                     bytes_of_type(name.substr(last + 1));
  const auto collective = collective_named(where.operation);
  if (!collective || where.ranks == 0 || where.hosts == 0)
    throw std::invalid_argument(
        "the times of one run do not say of what: name the operation, the ranks and the hosts with --op, "
        "--ranks and --hosts, or import PICO's summary of the folder");
  const std::string plan = plan_of(name.substr(first + 1, last - first - 1));
  Measurement m = summarize(*collective, where.ranks, where.hosts,
                            size_of_call(*collective, bytes, where.ranks), plan, times, times);
  return {{std::move(m)}, {}};
}

}  // namespace

bool is_pico(const std::string& text) {
  return is_summary(text) || is_run(text);
}

Result<Imported> parse_pico(const std::string& text, const ImportedFrom& where) {
  try {
    return is_run(text) ? read_run(text, where) : read_summary(text, where.source);
  } catch (const std::invalid_argument& error) {
    const std::string what = error.what();
    return failure(what.starts_with(where.source) ? what : fmt::format("{}: {}", where.source, what));
  }
}

}  // namespace tutti::inline choose
