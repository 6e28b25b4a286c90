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
        fmt::format("{} is no whole number from {} to {}", value.dump(), Limits::min(), Limits::max()));
  return value.get<T>();
}

/// A list of them.
template <std::integral T>
std::vector<T> whole_list(const Json& values) {
  if (!values.is_array()) throw std::invalid_argument(fmt::format("{} is no list", values.dump()));
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

/// What `read` makes of a document's JSON. Where the text is no such document, or `read` throws, an
/// error that names the file, what is wrong, and who writes it anew.
template <typename Read>
auto parse_document(const DocumentKind& kind, const std::string& text, const std::string& source, Read read)
    -> Result<decltype(read(Json()))> {
  const auto fail = [&](std::string_view what, std::string_view remedy = "") {
    return failure(
        fmt::format("{} {}: {}; {}write it anew with {}", kind.name, source, what, remedy, kind.writer));
  };
  try {
    const auto root = parse_json(text);
    if (!root.is_object() || !root.contains("$schema"))
      return fail(fmt::format("is not a {} of Tutti", kind.name));
    if (root["$schema"] != kind.schema)
      return fail(fmt::format("has schema {}, this Tutti reads \"{}\"", root["$schema"].dump(), kind.schema),
                  is_newer(root["$schema"], kind.schema) ? "use the newer Tutti that wrote it, or " : "");
    return read(root);
  } catch (const Json::parse_error& error) {
    return fail(fmt::format("is not JSON (byte {})", error.byte));
  } catch (const std::exception& error) {
    return fail(error.what(), "mend that or ");
  }
}

}  // namespace tutti::inline base
