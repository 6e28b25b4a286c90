#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace tutti::inline base {

/// A member of a JSON object as the object's text has it.
struct JsonMember {
  std::string_view name;   ///< escapes in it as they are
  std::string_view value;  ///< its text, a part of the object's
};

/// The members of a JSON object one after the other, told apart by strings and brackets alone: what
/// nobody asks for is only passed over. Whether values are JSON is not seen.
class JsonMembers {
 public:
  explicit JsonMembers(std::string_view object);

  /// The next member; nothing behind the last one, and where the text is no object.
  std::optional<JsonMember> next();

 private:
  std::string_view text_;
  std::size_t before_;  // the bracket or comma before the next member, or npos
};

/// The value of an object's first member of that name, or nothing.
std::optional<std::string_view> member_named(std::string_view object, std::string_view name);

/// The elements of a JSON list as the list's text has them; nothing where that is no list, or one
/// whose elements can't be told apart.
std::optional<std::vector<std::string_view>> elements_of(std::string_view list);

}  // namespace tutti::inline base
