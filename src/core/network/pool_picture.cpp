// Pool trees in words and as pictures.

#include <fmt/format.h>

#include <algorithm>

#include "base/size.hpp"
#include "core/network/pool_tree.hpp"

namespace tutti::inline core {
namespace {

// "0-7, 12"
std::string ranks_text(const std::vector<Rank>& ranks) {
  std::string text;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", ranks[i]);
    if (last > i) text += fmt::format("-{}", ranks[last]);
    i = last + 1;
  }
  return text;
}

std::string label(const Pool& pool) {
  return fmt::format("{} ({}), {:.4g} MB/s", counted(pool.ranks.size(), "rank"), ranks_text(pool.ranks),
                     pool.threshold / 1e6);
}

void write_text(const Pool& pool, int depth, std::string& text) {
  text += fmt::format("{:{}}{}\n", "", 2 * depth, label(pool));
  for (const Pool& inner : pool.pools) write_text(inner, depth + 1, text);
}

constexpr int row_height = 64, column = 260, box_width = 240, box_height = 36;  // pixels

struct Extent {
  int leaves = 0, depth = 0;
};

Extent extent(const Pool& pool) {
  Extent all{pool.pools.empty() ? 1 : 0, 0};
  for (const Pool& inner : pool.pools) {
    const Extent one = extent(inner);
    all = {all.leaves + one.leaves, std::max(all.depth, one.depth)};
  }
  return {all.leaves, all.depth + 1};
}

// Boxes over what they split into; returns the middle of its box.
int draw(const Pool& pool, int left, int depth, std::string& svg) {
  const int middle = left + extent(pool).leaves * column / 2, top = 12 + depth * row_height;
  for (const Pool& inner : pool.pools) {
    const int below = draw(inner, left, depth + 1, svg);
    svg += fmt::format("<path d=\"M{} {}V{}H{}V{}\" fill=\"none\" stroke=\"#888\"/>\n", middle,
                       top + box_height, top + (box_height + row_height) / 2, below, top + row_height);
    left += extent(inner).leaves * column;
  }
  svg += fmt::format(
      "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"6\" fill=\"#eef3fa\" stroke=\"#446\"/>\n"
      "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
      middle - box_width / 2, top, box_width, box_height, middle, top + 22, label(pool));
  return middle;
}

}  // namespace

std::string to_text(const Pool& root) {
  std::string text;
  write_text(root, 0, text);
  return text;
}

std::string to_svg(const Pool& root) {
  const Extent all = extent(root);
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" font-family=\"sans-serif\" "
      "font-size=\"12\">\n",
      all.leaves * column, all.depth * row_height);
  draw(root, 0, 0, svg);
  return svg + "</svg>\n";
}

}  // namespace tutti::inline core
