#include "support/prediction.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <sstream>

#include "core/network/runtime_model.hpp"
#include "support/ranks.hpp"
#include "support/report.hpp"
#include "support/timing.hpp"

namespace tutti::apps {

Machine PredictionOptions::machine() const {
  const std::string text = model_text();
  const auto model = parse_runtime_model(text, model_);
  if (!model) throw Refusal(model.error().message);
  const NativeTime collective_s = native_time_of(*model, [](const NativeCall& call) -> NativeDuration {
    throw Refusal(fmt::format("--predict: the model has nothing of {} of {} bytes on {} ranks",
                              name(call.collective), call.size, call.ranks));
  });
  double operation = operation_seconds();
  MPI_Bcast(&operation, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);  // decisions by it are alike everywhere
  if (grid_.empty()) return {operation, collective_s};
  int p1 = 0, p2 = 0;
  if (std::sscanf(grid_.c_str(), "%dx%d", &p1, &p2) != 2 || p1 < 1 || p2 < 1 ||
      p1 * p2 != size_of(MPI_COMM_WORLD))
    throw Refusal(
        fmt::format("--grid {}: not a grid of {} ranks, such as 4x8", grid_, size_of(MPI_COMM_WORLD)));
  return {operation, orthogonal(collective_s, p1, p2)};
}

std::string PredictionOptions::model_text() const {
  std::stringstream text;
  const bool reads = rank_in(MPI_COMM_WORLD) == 0;
  if (reads) {
    const std::ifstream file(model_);
    text << file.rdbuf();
  }
  std::string all = text.str();
  int size = static_cast<int>(all.size());
  MPI_Bcast(&size, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (size == 0) throw Refusal(fmt::format("--predict {}: can't read the file, or it is empty", model_));
  all.resize(static_cast<std::size_t>(size));
  MPI_Bcast(all.data(), size, MPI_CHAR, 0, MPI_COMM_WORLD);
  return all;
}

}  // namespace tutti::apps
