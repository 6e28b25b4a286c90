#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "text/result.hpp"

namespace tutti {

/// A kind of file that Tutti writes and reads again: JSON with a "$schema".
struct DocumentKind {
  std::string_view name;    ///< "network"
  std::string_view schema;  ///< "tutti-network-1"
  std::string_view writer;  ///< "tutti probe"
};

/// What `read` makes of a document's JSON. Where the text is no such document, or `read` throws, an error
/// that names the file, what is wrong, and who writes it anew.
template <typename Read>
auto parse_document(const DocumentKind& kind, const std::string& text, const std::string& source, Read read)
    -> Result<decltype(read(nlohmann::json()))> {
  const auto fail = [&](std::string_view what, std::string_view remedy = "") {
    return failure(
        fmt::format("{} {}: {}; {}write it anew with {}", kind.name, source, what, remedy, kind.writer));
  };
  try {
    const auto root = nlohmann::json::parse(text);
    if (!root.is_object() || !root.contains("$schema"))
      return fail(fmt::format("is not a {} of Tutti", kind.name));
    if (root["$schema"] != kind.schema)
      return fail(fmt::format("has schema {}, this Tutti reads \"{}\"", root["$schema"].dump(), kind.schema));
    return read(root);
  } catch (const nlohmann::json::parse_error& error) {
    return fail(fmt::format("is not JSON (byte {})", error.byte));
  } catch (const std::exception& error) {
    return fail(error.what(), "mend that or ");
  }
}

}  // namespace tutti
