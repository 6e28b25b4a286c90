#include "core/network/drawn_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/size.hpp"
#include "core/network/groups.hpp"

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

void write_text(const DrawnTree& tree, int depth, std::string& text) {
  text += fmt::format("{:{}}{}\n", "", 2 * depth, tree.label);
  for (const DrawnTree& part : tree.parts) write_text(part, depth + 1, text);
}

constexpr int row_height = 64, column = 260, box_width = 240, box_height = 36;  // pixels

struct Extent {
  int leaves = 0, depth = 0;
};

Extent extent(const std::vector<DrawnTree>& trees) {
  Extent all;
  for (const DrawnTree& tree : trees) {
    const Extent below = extent(tree.parts);
    all = {all.leaves + std::max(1, below.leaves), std::max(all.depth, 1 + below.depth)};
  }
  return all;
}

// Boxes over what they split into; returns the middle of its box.
int draw(const DrawnTree& tree, int left, int depth, std::string& svg) {
  const int middle = left + extent({tree}).leaves * column / 2, top = 12 + depth * row_height;
  for (const DrawnTree& part : tree.parts) {
    const int below = draw(part, left, depth + 1, svg);
    svg += fmt::format("<path d=\"M{} {}V{}H{}V{}\" fill=\"none\" stroke=\"#888\"/>\n", middle,
                       top + box_height, top + (box_height + row_height) / 2, below, top + row_height);
    left += extent({part}).leaves * column;
  }
  svg += fmt::format(
      "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"6\" fill=\"#eef3fa\" stroke=\"#446\"/>\n"
      "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
      middle - box_width / 2, top, box_width, box_height, middle, top + 22, tree.label);
  return middle;
}

}  // namespace

DrawnTree drawn(const Pool& root) {
  DrawnTree tree{fmt::format("{} ({}), {:.4g} MB/s", counted(root.ranks.size(), "rank"),
                             ranks_text(root.ranks), root.threshold / 1e6)};
  for (const Pool& pool : root.pools) tree.parts.push_back(drawn(pool));
  return tree;
}

std::vector<DrawnTree> drawn_groups(const Network& network) {
  struct Members {
    std::vector<Rank> ranks;
    std::set<int> hosts;
  };
  std::map<int, Members> members;
  for (Rank rank = 0; rank < static_cast<Rank>(network.group_of.size()); ++rank)
    for (const int group : groups_around(network, rank)) {
      members[group].ranks.push_back(rank);
      members[group].hosts.insert(network.host(rank));
    }
  const auto within = [&](int around, const auto& again) -> std::vector<DrawnTree> {
    std::map<Rank, DrawnTree> trees;  // by their first ranks
    for (const auto& [group, in] : members)
      if (in.hosts.size() > 1 && network.groups[static_cast<std::size_t>(group)].within == around)
        trees[in.ranks.front()] = {
            fmt::format("{}: {} on {} ({})", name_of_group(network, group), counted(in.ranks.size(), "rank"),
                        counted(in.hosts.size(), "host"), ranks_text(in.ranks)),
            again(group, again)};
    std::vector<DrawnTree> ordered;
    for (auto& [first, tree] : trees) ordered.push_back(std::move(tree));
    return ordered;
  };
  return within(Network::Group::none, within);
}

std::string to_text(const DrawnTree& root) {
  std::string text;
  write_text(root, 0, text);
  return text;
}

std::string to_svg(const std::vector<DrawnTree>& roots) {
  const Extent all = extent(roots);
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" font-family=\"sans-serif\" "
      "font-size=\"12\">\n",
      all.leaves * column, all.depth * row_height);
  int left = 0;
  for (const DrawnTree& root : roots) {
    draw(root, left, 0, svg);
    left += extent({root}).leaves * column;
  }
  return svg + "</svg>\n";
}

}  // namespace tutti::inline core
