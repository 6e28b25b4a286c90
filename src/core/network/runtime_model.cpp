#include "core/network/runtime_model.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "base/document.hpp"
#include "base/json.hpp"

namespace tutti::inline core {
namespace {

constexpr DocumentKind model_kind{"model", "tutti-model-1", "tutti model fit"};

RuntimeFunction::Piece piece_from_json(const Json& entry) {
  RuntimeFunction::Piece piece{
      .ranks_min = whole<int>(entry.at("comm_size_min")),
      .ranks_max = whole<int>(entry.at("comm_size_max")),
      .bytes_min = quantity(entry.at("msg_size_min"), "msg_size_min"),
      .bytes_max = quantity(entry.at("msg_size_max"), "msg_size_max"),
      .sharing_min = whole<int>(entry.value("sharing_min", Json(1))),
      .sharing_max = whole<int>(entry.value("sharing_max", Json(1))),
      .form = form_named(entry.at("form").get<std::string>()),
      .coefficients = quantities(entry.at("coefficients"), "coefficients", -largest_quantity),
      .mean_deviation = quantity(entry.at("mean_deviation"), "mean_deviation"),
      .max_deviation = quantity(entry.at("max_deviation"), "max_deviation")};
  if (piece.coefficients.size() != terms(piece.form))
    throw std::invalid_argument(fmt::format("form {} has {} coefficients, not {}", name(piece.form),
                                            terms(piece.form), piece.coefficients.size()));
  if (piece.ranks_min < 1 || piece.ranks_max < piece.ranks_min || piece.bytes_max < piece.bytes_min ||
      piece.sharing_min < 1 || piece.sharing_max < piece.sharing_min)
    throw std::invalid_argument(fmt::format(
        "a piece is of {} to {} ranks, {} to {} bytes and {} to {} groups at a host", piece.ranks_min,
        piece.ranks_max, piece.bytes_min, piece.bytes_max, piece.sharing_min, piece.sharing_max));
  return piece;
}

Json to_json(const RuntimeFunction::Piece& piece) {
  return {{"comm_size_min", piece.ranks_min},
          {"comm_size_max", piece.ranks_max},
          {"msg_size_min", piece.bytes_min},
          {"msg_size_max", piece.bytes_max},
          {"sharing_min", piece.sharing_min},
          {"sharing_max", piece.sharing_max},
          {"form", name(piece.form)},
          {"formula", formula(piece.form)},
          {"coefficients", piece.coefficients},
          {"mean_deviation", piece.mean_deviation},
          {"max_deviation", piece.max_deviation}};
}

Situation::Kind kind_from_json(const Json& entry) {
  if (!entry.contains("groups")) return {};
  const Json& groups = entry["groups"];
  return {groups.at("beside"), groups.at("strided"), place_named(groups.at("place").get<std::string>())};
}

std::map<int, std::vector<double>> leaves_from_json(const Json& entry) {
  std::map<int, std::vector<double>> leaves;
  if (!entry.contains("leaves")) return leaves;
  for (const Json& shares : entry["leaves"]) {
    auto list = quantities(shares, "leaves");
    const auto ranks = static_cast<int>(list.size());
    leaves[ranks] = std::move(list);
  }
  return leaves;
}

Json to_json(const Situation::Kind& groups) {
  return {{"beside", groups.beside}, {"strided", groups.strided}, {"place", name(groups.place)}};
}

// How unlike two kinds are: what weighs more is more than all that weighs less.
int unlikeness(const Situation::Kind& a, const Situation::Kind& b) {
  return 4 * (a.place != b.place) + 2 * (a.beside != b.beside) + (a.strided != b.strided);
}

RuntimeModel model_from_json(const Json& root) {
  RuntimeModel model;
  for (const Json& entry : root.at("functions")) {
    const auto operation = entry.at("operation").get<std::string>();
    const auto collective = collective_named(operation);
    if (!collective) throw std::invalid_argument(fmt::format("no collective '{}'", operation));
    std::vector<RuntimeFunction::Piece> pieces;
    for (const Json& piece : entry.at("pieces")) pieces.push_back(piece_from_json(piece));
    if (pieces.empty()) throw std::invalid_argument(fmt::format("{} has no pieces", operation));
    model.entries.push_back({*collective, entry.at("plan"), RuntimeFunction(std::move(pieces)),
                             kind_from_json(entry), leaves_from_json(entry)});
  }
  return model;
}

}  // namespace

const RuntimeModel::Entry* RuntimeModel::find(Collective collective, std::string_view plan,
                                              const Situation::Kind& kind) const {
  const Entry* nearest = nullptr;
  for (const Entry& entry : entries)
    if (entry.collective == collective && entry.plan == plan &&
        (!nearest || unlikeness(entry.kind, kind) < unlikeness(nearest->kind, kind)))
      nearest = &entry;
  return nearest;
}

NativeTime native_time_of(const RuntimeModel& model, NativeTime otherwise) {
  return [model, otherwise = std::move(otherwise)](const NativeCall& call) -> NativeDuration {
    const RuntimeModel::Entry* known = model.find(call.collective, "native", call.situation.kind());
    if (!known) return otherwise(call);
    const auto leaves = known->leaves.find(call.ranks);
    return {known->seconds(call.ranks, static_cast<double>(call.size), call.situation.sharing),
            leaves == known->leaves.end() ? std::vector<double>() : leaves->second};
  };
}

Result<RuntimeModel> parse_runtime_model(const std::string& text, const std::string& source) {
  return parse_document(model_kind, text, source, model_from_json);
}

std::string to_text(const RuntimeModel& model) {
  Json root{{"$schema", model_kind.schema}, {"functions", Json::array()}};
  for (const RuntimeModel::Entry& entry : model.entries) {
    auto pieces = Json::array();
    for (const auto& piece : entry.seconds.pieces()) pieces.push_back(to_json(piece));
    auto leaves = Json::array();
    for (const auto& [ranks, shares] : entry.leaves) leaves.push_back(shares);
    root["functions"].push_back({{"operation", name(entry.collective)},
                                 {"plan", entry.plan},
                                 {"groups", to_json(entry.kind)},
                                 {"pieces", std::move(pieces)},
                                 {"leaves", std::move(leaves)}});
  }
  return json_text(root, 1) + "\n";
}

}  // namespace tutti::inline core
