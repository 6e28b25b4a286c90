#include "core/network/drawn_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/markup.hpp"
#include "base/size.hpp"
#include "core/network/group_members.hpp"
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

// In pixels; a box is as wide as the longest label wants.
constexpr int row_height = 64, box_height = 36, least_box_width = 240, between_boxes = 20, letter_width = 7;

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

int box_width_for(const std::vector<DrawnTree>& trees) {
  int width = least_box_width;
  for (const DrawnTree& tree : trees)
    width = std::max({width, between_boxes + letter_width * static_cast<int>(tree.label.size()),
                      box_width_for(tree.parts)});
  return width;
}

// Boxes over what they split into; returns the middle of its box.
int draw(const DrawnTree& tree, int box_width, int left, int depth, std::string& svg) {
  const int column = box_width + between_boxes;
  const int middle = left + extent({tree}).leaves * column / 2, top = 12 + depth * row_height;
  for (const DrawnTree& part : tree.parts) {
    const int below = draw(part, box_width, left, depth + 1, svg);
    svg += fmt::format("<path d=\"M{} {}V{}H{}V{}\" fill=\"none\" stroke=\"#888\"/>\n", middle,
                       top + box_height, top + (box_height + row_height) / 2, below, top + row_height);
    left += extent({part}).leaves * column;
  }
  svg += fmt::format(
      "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"6\" fill=\"#eef3fa\" stroke=\"#446\"/>\n"
      "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
      middle - box_width / 2, top, box_width, box_height, middle, top + 22, escaped(tree.label));
  return middle;
}

// The groups of a network as trees.
class GroupsDrawing {
 public:
  explicit GroupsDrawing(const Network& network) : network_(network), members_(members_of_groups(network)) {
    std::set<int> drawn;
    for (const auto& [group, in] : members_) {
      if (in.hosts.size() > 1) drawn.insert(group);
      if (!of(group).part) continue;
      for (int at = group; at != Network::Group::none && is_in_host(at); at = of(at).within) drawn.insert(at);
    }
    for (const int group : drawn) within_[of(group).within].push_back(group);
    const auto first_rank = [this](int group) { return members_.at(group).ranks.front(); };
    for (auto& [around, groups] : within_) std::ranges::sort(groups, {}, first_rank);
  }

  std::vector<DrawnTree> drawn_within(int around) const {
    std::vector<DrawnTree> trees;
    std::map<std::string, std::pair<std::size_t, int>> hosts;  // by shape: whose tree, and how many alike
    for (const int group : parts_of(around)) {
      const auto& [ranks, on, depth] = members_.at(group);
      if (is_in_host(group) && !of(group).part) {
        const auto [first, is_new] = hosts.try_emplace(shape(group), trees.size(), 0);
        if (!is_new) ++first->second.second;
        if (!is_new) continue;
      }
      const std::string hosts_text = on.size() > 1 ? fmt::format(" on {}", counted(on.size(), "host")) : "";
      trees.push_back({fmt::format("{}: {}{} ({})", name_of_group(network_, group),
                                   counted(ranks.size(), "rank"), hosts_text, ranks_text(ranks)),
                       drawn_within(group)});
    }
    for (const auto& [shape, alike] : hosts)
      if (alike.second > 0)
        trees[alike.first].label += fmt::format(", and {} like it", counted(alike.second, "host"));
    return trees;
  }

 private:
  const Network::Group& of(int group) const { return network_.groups[static_cast<std::size_t>(group)]; }
  bool is_in_host(int group) const { return members_.at(group).hosts.size() == 1; }
  std::vector<int> parts_of(int around) const {
    const auto found = within_.find(around);
    return found == within_.end() ? std::vector<int>() : found->second;
  }
  // What kinds of parts a group has within each other, and of how many ranks.
  std::string shape(int group) const {
    std::string text = std::to_string(members_.at(group).ranks.size());
    for (const int part : parts_of(group))
      text += fmt::format("({} {})", of(part).part ? words_of(*of(part).part).name : "", shape(part));
    return text;
  }

  const Network& network_;
  std::map<int, GroupMembers> members_;
  std::map<int, std::vector<int>> within_;  // groups, by the group around them
};

}  // namespace

DrawnTree drawn(const Pool& root) {
  DrawnTree tree{fmt::format("{} ({}), {:.4g} MB/s", counted(root.ranks.size(), "rank"),
                             ranks_text(root.ranks), root.threshold / 1e6)};
  for (const Pool& pool : root.pools) tree.parts.push_back(drawn(pool));
  return tree;
}

std::vector<DrawnTree> drawn_groups(const Network& network) {
  return GroupsDrawing(network).drawn_within(Network::Group::none);
}

std::string to_text(const DrawnTree& root) {
  std::string text;
  write_text(root, 0, text);
  return text;
}

std::string to_svg(const std::vector<DrawnTree>& roots) {
  const Extent all = extent(roots);
  const int box_width = box_width_for(roots), column = box_width + between_boxes;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" font-family=\"sans-serif\" "
      "font-size=\"12\">\n",
      all.leaves * column, all.depth * row_height);
  int left = 0;
  for (const DrawnTree& root : roots) {
    draw(root, box_width, left, 0, svg);
    left += extent({root}).leaves * column;
  }
  return svg + "</svg>\n";
}

}  // namespace tutti::inline core
