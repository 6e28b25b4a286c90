#include "base/json.hpp"

template class nlohmann::basic_json<nlohmann::ordered_map>;

namespace tutti::inline base {

Json parse_json(std::string_view text) {
  return Json::parse(text);
}

bool is_json(std::string_view text) {
  return Json::accept(text);
}

std::string json_text(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tutti::inline base
