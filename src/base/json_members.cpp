#include "base/json_members.hpp"

#include <array>
#include <utility>

namespace tutti::inline base {
namespace {

constexpr std::size_t nowhere = std::string_view::npos;

constexpr const char* space = " \t\n\r";

std::size_t behind_space(std::string_view text, std::size_t at) {
  return text.find_first_not_of(space, at);
}

std::string_view without_space_behind(std::string_view text) {
  return text.substr(0, text.find_last_not_of(space) + 1);
}

bool is_at(std::string_view text, std::size_t at, char wanted) {
  return at < text.size() && text[at] == wanted;
}

// Behind the string that begins there.
std::size_t behind_string(std::string_view text, std::size_t begin) {
  for (auto quote = text.find('"', begin + 1); quote != nowhere; quote = text.find('"', quote + 1)) {
    std::size_t backslashes = 0;
    while (text[quote - 1 - backslashes] == '\\') ++backslashes;  // the first quote ends that
    if (backslashes % 2 == 0) return quote + 1;
  }
  return nowhere;
}

// The bytes by which values are told apart.
constexpr auto tells_values_apart = [] {
  std::array<bool, 256> is{};
  for (const char byte : {'"', '[', ']', '{', '}', ','}) is[static_cast<unsigned char>(byte)] = true;
  return is;
}();

// Behind the value that begins there; of one that is no string, list or object what follows. Most
// of a table is passed over here whenever a program starts.
std::size_t behind_value(std::string_view text, std::size_t at) {
  for (std::size_t depth = 0; at < text.size(); ++at) {
    if (!tells_values_apart[static_cast<unsigned char>(text[at])]) [[likely]]
      continue;
    switch (text[at]) {
      case '"':
        at = behind_string(text, at);
        if (depth == 0 || at == nowhere) return at;
        --at;  // the loop goes on behind it
        break;
      case '[':
      case '{':
        ++depth;
        break;
      case ']':
      case '}':
        if (depth == 0) return at;
        if (--depth == 0) return at + 1;
        break;
      default:
        if (depth == 0) return at;
    }
  }
  return nowhere;
}

}  // namespace

JsonMembers::JsonMembers(std::string_view object) : text_(object), before_(behind_space(object, 0)) {
  if (!is_at(text_, before_, '{')) before_ = nowhere;
}

std::optional<JsonMember> JsonMembers::next() {
  if (before_ == nowhere) return std::nullopt;
  const std::size_t name = behind_space(text_, before_ + 1);
  before_ = nowhere;
  if (!is_at(text_, name, '"')) return std::nullopt;
  const std::size_t behind_name = behind_string(text_, name);
  if (behind_name == nowhere) return std::nullopt;
  const std::size_t colon = behind_space(text_, behind_name);
  if (!is_at(text_, colon, ':')) return std::nullopt;
  const std::size_t value = behind_space(text_, colon + 1);
  const std::size_t behind = value == nowhere ? nowhere : behind_value(text_, value);
  if (behind == nowhere) return std::nullopt;
  if (const std::size_t comma = behind_space(text_, behind); is_at(text_, comma, ',')) before_ = comma;
  return JsonMember{text_.substr(name + 1, behind_name - name - 2),
                    without_space_behind(text_.substr(value, behind - value))};
}

std::optional<std::vector<std::string_view>> elements_of(std::string_view list) {
  std::vector<std::string_view> elements;
  std::size_t before = behind_space(list, 0);  // the bracket or comma before the next element
  if (!is_at(list, before, '[')) return std::nullopt;
  if (is_at(list, behind_space(list, before + 1), ']')) return elements;
  do {
    const std::size_t begin = behind_space(list, before + 1);
    const std::size_t behind = begin == nowhere ? nowhere : behind_value(list, begin);
    if (behind == nowhere || behind == begin) return std::nullopt;
    elements.push_back(without_space_behind(list.substr(begin, behind - begin)));
    before = behind_space(list, behind);
  } while (is_at(list, before, ','));
  return is_at(list, before, ']') ? std::optional(std::move(elements)) : std::nullopt;
}

std::optional<std::string_view> member_named(std::string_view object, std::string_view name) {
  JsonMembers members(object);
  while (const auto member = members.next())
    if (member->name == name) return member->value;
  return std::nullopt;
}

}  // namespace tutti::inline base
