#pragma once

#include <array>
#include <string_view>
#include <type_traits>
#include <utility>

#include "choose/settings/variables.hpp"

namespace tutti::inline choose::kinds {

/// A part of a configuration that has a value: of its own, or of its rules.
template <typename Part, typename Value>
auto& part_of(auto& configuration, Value Part::*member) {
  if constexpr (std::is_same_v<Part, Rules>)
    return configuration.rules.*member;
  else
    return configuration.*member;
}

/// The position of a word in a list; what is wrong otherwise.
Result<std::size_t> position_of(const std::string& word, const std::vector<std::string_view>& words);

/// One of some words, whose position is the value of an enumeration.
template <typename Part, typename Enumeration>
Kind choice(Enumeration Part::*member, std::vector<std::string_view> words) {
  std::string values;
  for (const std::string_view word : words) values.append(values.empty() ? "" : "|").append(word);
  return {std::move(values),
          [=](const std::string& value, const Job&, Configuration& into) -> std::optional<std::string> {
            const auto position = position_of(value, words);
            if (!position) return position.error().message;
            part_of(into, member) = static_cast<Enumeration>(*position);
            return std::nullopt;
          },
          [=](const Configuration& of) {
            return std::string(words[static_cast<std::size_t>(part_of(of, member))]);
          },
          std::is_same_v<Part, Rules>};
}

/// 0 or 1.
template <typename Part>
Kind flag(bool Part::*member) {
  return choice(member, {"0", "1"});
}

/// TUTTI_OFF: whoever writes yes or true wants Tutti off, too.
Kind off();
Kind table();
Kind network();
Kind groups();
Kind learning();
Kind limits();
Kind interval(double Rules::*seconds);
/// A folder that is made where it is missing, or none.
Kind folder(std::string Configuration::*member);
/// The file that rank 0 writes.
Kind profile();
/// What only the command reads, by itself: any text.
Kind text_for_command(std::string values, std::string default_value);
/// The plan of an operation, or plans by ranges of sizes.
Kind plans(Called called);

}  // namespace tutti::inline choose::kinds
