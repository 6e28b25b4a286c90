#include "support/report.hpp"

#include <cstdio>

#include "base/json.hpp"

namespace tutti::apps {

void Report::judge(const std::string& name, double value, double limit) {
  tell(name, value);
  tell(name + "_limit", limit);
  is_judged_ = true;
  if (!(value <= limit)) is_wrong_ = true;
}

void Report::print(bool as_json) const {
  auto document = Json::object();
  for (const auto& [name, value] : values_) std::visit([&](const auto& v) { document[name] = v; }, value);
  if (as_json) {
    std::printf("%s\n", document.dump().c_str());
    return;
  }
  for (const auto& [name, value] : document.items())
    std::printf("%-34s %s\n", name.c_str(),
                value.is_string() ? value.get<std::string>().c_str() : value.dump().c_str());
}

}  // namespace tutti::apps
