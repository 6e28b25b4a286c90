#include "tools/cli/verb.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace tutti::tools {

// The build lists the functions that files of verbs/ define.
std::span<Verb (*const)()> declared_verbs();

std::vector<Verb> all_verbs() {
  std::vector<Verb> verbs;
  for (const auto declared : declared_verbs()) verbs.push_back(declared());
  std::ranges::stable_sort(verbs, {}, &Verb::purpose);
  return verbs;
}

std::string heading(Purpose purpose) {
  constexpr std::array headings{"Run programs", "Understand", "Tune", "Trust", "Share"};
  return headings.at(static_cast<std::size_t>(purpose));
}

}  // namespace tutti::tools
