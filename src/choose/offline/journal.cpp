#include "choose/offline/journal.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "base/document.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "choose/evidence/fingerprint_file.hpp"
#include "core/schedule/fnv1a.hpp"

namespace tutti::inline choose {
namespace {

std::string line_of(const TunedPoint& tuned) {
  return json_text(Json{{"operation", tuned.point.called().name()},
                        {"ranks", tuned.point.ranks},
                        {"size", tuned.point.size},
                        {"stencil", tuned.point.stencil},
                        {"plan", tuned.plan.text()},
                        {"measurements", tuned.measurements}}) +
         "\n";
}

TunedPoint point_of(const Json& json, BlockLengths lengths) {
  const auto called = Called::named(json.at("operation").get<std::string>());
  if (!called) throw std::invalid_argument("no such operation");
  return {{called->collective, json.at("ranks"), json.at("size"), called->mode,
           json.value("stencil", default_stencil), lengths},
          json.at("measurements").get<std::vector<Measurement>>(),
          make_plan(called->collective, json.at("plan").get<std::string>()).value()};
}

}  // namespace

Journal::Journal(const std::string& table_path, TuningTerms terms)
    : path_(replaced_file(table_path).value_or(std::filesystem::path(table_path).filename().string()) +
            ".partial"),
      terms_(std::move(terms)) {}

std::string Journal::first_line(const Fingerprint& fingerprint) const {
  Json json = to_json(fingerprint);
  if (terms_.fixed_order) json["fixed_order"] = true;
  if (terms_.exhaustive) json["exhaustive"] = true;
  if (!terms_.arrival.empty()) json["arrival"] = fmt::format("{:016x}", fnv1a(terms_.arrival));
  if (terms_.lengths != BlockLengths::equal) json["blocks"] = name(terms_.lengths);
  if (!terms_.network.empty()) json["network"] = fmt::format("{:016x}", fnv1a(terms_.network));
  return json_text(json) + "\n";
}

std::vector<TunedPoint> Journal::resume(const Fingerprint& fingerprint) const {
  std::ifstream file(path_);
  std::string line;
  std::vector<TunedPoint> points;
  if (!std::getline(file, line) || line + "\n" != first_line(fingerprint)) return points;
  while (std::getline(file, line)) {
    try {
      points.push_back(point_of(parse_json(line), terms_.lengths));
    } catch (const std::exception&) {
      break;  // the run was interrupted while it wrote this line
    }
  }
  return points;
}

Result<void> Journal::begin(const Fingerprint& fingerprint, const std::vector<TunedPoint>& points) const {
  std::string text = first_line(fingerprint);
  for (const TunedPoint& point : points) text += line_of(point);
  return write_file(path_, text);
}

Result<void> Journal::keep(const TunedPoint& point) const {
  std::ofstream file(path_, std::ios::app);
  file << line_of(point) << std::flush;
  if (!file) return failure(fmt::format("can't write {}: {}", path_, std::strerror(errno)));
  return {};
}

void Journal::remove() const {
  std::remove(path_.c_str());
}

}  // namespace tutti::inline choose
