#include "network/runtime_model.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "text/document.hpp"

namespace tutti {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr DocumentKind kind{"model", "tutti-model-1", "tutti model fit"};

RuntimeFunction::Piece piece_from_json(const json& entry) {
  RuntimeFunction::Piece piece{.ranks_min = whole<int>(entry.at("comm_size_min")),
                               .ranks_max = whole<int>(entry.at("comm_size_max")),
                               .bytes_min = entry.at("msg_size_min"),
                               .bytes_max = entry.at("msg_size_max"),
                               .form = form_named(entry.at("form").get<std::string>()),
                               .coefficients = entry.at("coefficients"),
                               .mean_deviation = entry.at("mean_deviation"),
                               .max_deviation = entry.at("max_deviation")};
  if (piece.coefficients.size() != terms(piece.form))
    throw std::invalid_argument(fmt::format("form {} has {} coefficients, not {}", name(piece.form),
                                            terms(piece.form), piece.coefficients.size()));
  return piece;
}

ordered_json to_json(const RuntimeFunction::Piece& piece) {
  return {{"comm_size_min", piece.ranks_min},
          {"comm_size_max", piece.ranks_max},
          {"msg_size_min", piece.bytes_min},
          {"msg_size_max", piece.bytes_max},
          {"form", name(piece.form)},
          {"formula", formula(piece.form)},
          {"coefficients", piece.coefficients},
          {"mean_deviation", piece.mean_deviation},
          {"max_deviation", piece.max_deviation}};
}

RuntimeModel model_from_json(const json& root) {
  RuntimeModel model;
  for (const json& entry : root.at("functions")) {
    const auto operation = entry.at("operation").get<std::string>();
    const auto collective = collective_named(operation);
    if (!collective) throw std::invalid_argument(fmt::format("no collective '{}'", operation));
    std::vector<RuntimeFunction::Piece> pieces;
    for (const json& piece : entry.at("pieces")) pieces.push_back(piece_from_json(piece));
    if (pieces.empty()) throw std::invalid_argument(fmt::format("{} has no pieces", operation));
    model.entries.push_back({*collective, entry.at("plan"), RuntimeFunction(std::move(pieces))});
  }
  return model;
}

}  // namespace

const RuntimeFunction* RuntimeModel::find(Collective collective, std::string_view plan) const {
  for (const Entry& entry : entries)
    if (entry.collective == collective && entry.plan == plan) return &entry.seconds;
  return nullptr;
}

NativeTime native_time_of(const RuntimeModel& model, NativeTime otherwise) {
  return [model, otherwise = std::move(otherwise)](Collective collective, int ranks, std::size_t size) {
    const RuntimeFunction* known = model.find(collective, "native");
    return known ? (*known)(ranks, static_cast<double>(size)) : otherwise(collective, ranks, size);
  };
}

Result<RuntimeModel> parse_runtime_model(const std::string& text, const std::string& source) {
  return parse_document(kind, text, source, model_from_json);
}

std::string to_text(const RuntimeModel& model) {
  ordered_json root{{"$schema", kind.schema}, {"functions", ordered_json::array()}};
  for (const RuntimeModel::Entry& entry : model.entries) {
    auto pieces = ordered_json::array();
    for (const auto& piece : entry.seconds.pieces()) pieces.push_back(to_json(piece));
    root["functions"].push_back(
        {{"operation", name(entry.collective)}, {"plan", entry.plan}, {"pieces", std::move(pieces)}});
  }
  return root.dump(1) + "\n";
}

}  // namespace tutti
