#include "base/suggest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

namespace tutti::inline base {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({substituted, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string nearest(std::string_view written, const std::vector<std::string_view>& candidates) {
  std::string_view best;
  std::size_t least = std::max<std::size_t>(2, written.size() / 2) + 1;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = edit_distance(written, candidate);
    // A beginning counts as near, however much is missing.
    const std::size_t effective = !written.empty() && candidate.starts_with(written) ? 1 : distance;
    if (effective < least) {
      least = effective;
      best = candidate;
    }
  }
  return std::string(best);
}

std::string suggestion(std::string_view written, const std::vector<std::string_view>& candidates) {
  const std::string near = nearest(written, candidates);
  if (!near.empty()) return fmt::format(" (did you mean '{}'?)", near);
  return fmt::format(" (known: {})", fmt::join(candidates, ", "));
}

}  // namespace tutti::inline base
