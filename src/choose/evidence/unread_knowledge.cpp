#include "choose/evidence/unread_knowledge.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/json.hpp"
#include "base/json_members.hpp"
#include "base/number.hpp"

namespace tutti::inline choose {
namespace {

// Knowledge's text around the list of classes, and that list; nothing where it has none.
struct Parts {
  std::string_view before, classes, behind;
};

std::optional<Parts> parts_of(std::string_view text) {
  const auto classes = member_named(text, "classes");
  if (!classes || !classes->starts_with('[')) return std::nullopt;
  const auto begin = static_cast<std::size_t>(classes->data() - text.data());
  return Parts{text.substr(0, begin), *classes, text.substr(begin + classes->size())};
}

std::string joined(const Parts& parts, const std::vector<std::string_view>& classes) {
  if (classes.empty()) return fmt::format("{}[]{}", parts.before, parts.behind);
  return fmt::format("{}[\n  {}\n ]{}", parts.before, fmt::join(classes, ",\n  "), parts.behind);
}

// The text of knowledge without classes, with these.
std::string with_classes(const Knowledge& known, const std::vector<std::string_view>& classes) {
  const std::string text = to_text(known);
  return joined(*parts_of(text), classes);
}

// What stands in a class before its plans: which calls it is of.
std::string_view names_of(std::string_view text) {
  return text.substr(0, text.find("\"plans\""));
}

// The class that a text is of, if it is one of an MPI library, which is named as JSON has it.
std::optional<UnreadClass> class_of(std::string_view text, std::string_view mpi) {
  UnreadClass found{.called = {}, .placement = {0, 0}};
  int asked = 4;  // members
  JsonMembers members(text);
  for (auto member = members.next(); member && asked > 0; member = members.next()) {
    const auto is = [&](std::string_view name) { return member->name == name && asked-- > 0; };
    if (is("mpi") && member->value != mpi) return std::nullopt;
    if (is("collective") && member->value.size() > 2)
      found.called = member->value.substr(1, member->value.size() - 2);
    if (is("ranks")) found.placement.ranks = number_in<int>(member->value).value_or(0);
    if (is("hosts")) found.placement.hosts = number_in<int>(member->value).value_or(0);
  }
  return found;
}

}  // namespace

Result<UnreadKnowledge> UnreadKnowledge::of(std::string text, std::string source, const std::string& mpi) {
  const auto parts = parts_of(text);
  auto known = parse_knowledge(parts ? joined(*parts, {}) : text, source);
  if (!known) return tl::unexpected(known.error());
  UnreadKnowledge unread;
  unread.written_ = known->as_of;
  unread.known_ = std::move(*known);
  unread.known_.fade_as_of(today());
  unread.found_classes_ = !parts;
  unread.text_ = std::move(text);
  unread.source_ = std::move(source);
  unread.mpi_ = json_text(mpi, -1);
  return unread;
}

// Only when somebody asks for one: of a program in which nothing is learnt nobody does.
Result<void> UnreadKnowledge::find_classes() {
  found_classes_ = true;
  const auto texts = elements_of(parts_of(text_)->classes);
  if (!texts)  // all of the text tells what is wrong
    if (const auto known = parse_knowledge(text_, source_); !known) return tl::unexpected(known.error());
  for (const std::string_view text : texts.value_or(std::vector<std::string_view>()))
    if (const auto found = class_of(text, mpi_)) unread_.push_back({*found, text});
  return {};
}

Result<Knowledge> UnreadKnowledge::read(const std::function<bool(const UnreadClass&)>& wanted) {
  if (!found_classes_)
    if (const auto found = find_classes(); !found) return tl::unexpected(found.error());
  const auto begin =
      std::partition(unread_.begin(), unread_.end(), [&](const Text& one) { return !wanted(one.of); });
  Knowledge none{.machine = known_.machine, .classes = {}, .networks = {}, .as_of = today()};
  if (begin == unread_.end()) return none;
  none.as_of = written_;
  std::vector<std::string_view> texts;
  for (auto one = begin; one != unread_.end(); ++one) texts.push_back(one->text);
  auto known = parse_knowledge(with_classes(none, texts), source_);
  unread_.erase(begin, unread_.end());
  if (known) known->fade_as_of(today());
  return known;
}

Result<std::string> with_news(const std::string& text, const std::string& source, const Knowledge& news) {
  const auto parts = parts_of(text);
  auto known = parse_knowledge(parts ? joined(*parts, {}) : text, source);
  const auto all = elements_of(parts ? parts->classes : "");
  std::vector<std::string_view> left, touched;
  if (known && all && known->as_of == today()) {
    // Texts of the same class begin alike.
    const std::string text_of_news = to_text(news);
    const auto of_news = elements_of(parts_of(text_of_news)->classes);
    std::set<std::string_view> new_ones;
    for (const std::string_view one : of_news.value()) new_ones.insert(names_of(one));
    for (const std::string_view one : *all)
      (new_ones.contains(names_of(one)) ? touched : left).push_back(one);
    known = parse_knowledge(parts ? joined(*parts, touched) : text, source);
  } else {
    known = parse_knowledge(text, source);
    if (known) known->fade_as_of(today());
  }
  if (!known) return tl::unexpected(known.error());
  known->merge(news);
  const std::string written = to_text(*known);
  if (left.empty()) return written;
  const Parts around = *parts_of(written);
  const auto read = elements_of(around.classes);
  left.insert(left.end(), read->begin(), read->end());
  return joined(around, left);
}

}  // namespace tutti::inline choose
