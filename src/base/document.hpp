#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"

namespace tutti::inline base {

/// The largest quantity that a text may have: sums, products and squares of what is read stay
/// finite. It was chosen by hand, far beyond all that is measured.
inline constexpr double largest_quantity = 1e30;

/// What a value is, for people: numbers and strings as they are written, no list whatever its
/// length or depth.
inline std::string shown(const Json& value) {
  return value.is_structured() ? value.type_name() : value.dump();
}

/// A quantity out of a text, such as seconds, bytes or a rate: an error (std::invalid_argument)
/// that names it where it is no number from `least` to the largest one. What is nearer to 0 than
/// any measurement is 0, so that nothing is divided by it.
inline double quantity(const Json& value, std::string_view name, double least = 0) {
  if (!value.is_number() || !(value.get<double>() >= least) || !(value.get<double>() <= largest_quantity))
    throw std::invalid_argument(
        fmt::format("{}: {} is no number from {} to {}", name, shown(value), least, largest_quantity));
  const auto number = value.get<double>();
  return std::abs(number) < 1 / largest_quantity ? 0 : number;
}

/// A list of them.
inline std::vector<double> quantities(const Json& values, std::string_view name, double least = 0) {
  if (!values.is_array()) throw std::invalid_argument(fmt::format("{}: {} is no list", name, shown(values)));
  std::vector<double> list;
  for (const Json& value : values) list.push_back(quantity(value, name, least));
  return list;
}

/// A whole number out of a text: an error (std::invalid_argument) where it has a fraction or does
/// not fit.
template <std::integral T>
T whole(const Json& value) {
  using Limits = std::numeric_limits<T>;
  const bool fits = value.is_number_unsigned()  ? std::in_range<T>(value.get<std::uint64_t>())
                    : value.is_number_integer() ? std::in_range<T>(value.get<std::int64_t>())
                    : value.is_number_float()
                        ? std::abs(value.get<double>()) < 9e15 && std::trunc(value.get<double>()) == value &&
                              std::in_range<T>(static_cast<std::int64_t>(value.get<double>()))
                        : false;
  if (!fits)
    throw std::invalid_argument(
        fmt::format("{} is no whole number from {} to {}", shown(value), Limits::min(), Limits::max()));
  return value.get<T>();
}

/// A list of them.
template <std::integral T>
std::vector<T> whole_list(const Json& values) {
  if (!values.is_array()) throw std::invalid_argument(fmt::format("{} is no list", shown(values)));
  std::vector<T> list;
  for (const auto& value : values) list.push_back(whole<T>(value));
  return list;
}

/// A kind of file that Tutti writes and reads again: JSON with a "$schema".
struct DocumentKind {
  std::string_view name;    ///< "network"
  std::string_view schema;  ///< "tutti-network-1"
  std::string_view writer;  ///< "tutti probe"
};

/// Whether a schema is a later version of one that ends with its version, a number.
inline bool is_newer(const Json& schema, std::string_view known) {
  if (!schema.is_string()) return false;
  const auto text = schema.get<std::string>();
  const auto digits = known.find_last_not_of("0123456789") + 1;
  const auto version = std::string_view(text).substr(std::min(digits, text.size()));
  const auto is_number = !version.empty() && version.find_first_not_of("0123456789") == version.npos;
  const auto own = known.substr(digits);
  return is_number && text.starts_with(known.substr(0, digits)) &&
         std::pair(version.size(), version) > std::pair(own.size(), own);
}

/// The error of a document that is none, or wrong: it names the file, what is wrong, and who writes
/// it anew.
inline auto wrong_document(const DocumentKind& kind, const std::string& source, std::string_view what,
                           std::string_view remedy = "") {
  return failure(
      fmt::format("{} {}: {}; {}write it anew with {}", kind.name, source, what, remedy, kind.writer));
}

/// What `read` makes of a document, or an error where the JSON is no such document, or `read`
/// throws.
template <typename Read>
auto read_document(const DocumentKind& kind, const Json& root, const std::string& source, Read read)
    -> Result<decltype(read(root))> {
  try {
    if (!root.is_object() || !root.contains("$schema"))
      return wrong_document(kind, source, fmt::format("is not a {} of Tutti", kind.name));
    if (const Json& schema = root["$schema"]; schema != kind.schema)
      return wrong_document(kind, source,
                            fmt::format("has schema {}, this Tutti reads \"{}\"", shown(schema), kind.schema),
                            is_newer(schema, kind.schema) ? "use the newer Tutti that wrote it, or " : "");
    return read(root);
  } catch (const std::exception& error) {
    return wrong_document(kind, source, error.what(), "mend that or ");
  }
}

/// The same of a document's text.
template <typename Read>
auto parse_document(const DocumentKind& kind, const std::string& text, const std::string& source, Read read)
    -> Result<decltype(read(Json()))> {
  Json root;
  try {
    root = parse_json(text);
  } catch (const Json::parse_error& error) {
    return wrong_document(kind, source, fmt::format("is not JSON (byte {})", error.byte));
  } catch (const std::exception& error) {
    return wrong_document(kind, source, error.what(), "mend that or ");
  }
  return read_document(kind, root, source, read);
}

}  // namespace tutti::inline base
