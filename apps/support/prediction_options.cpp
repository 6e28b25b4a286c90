#include <CLI/CLI.hpp>

#include "support/prediction.hpp"

namespace tutti::apps {

void PredictionOptions::add_to(CLI::App& app) {
  app.add_option("--predict", model_,
                 "tell the time that runtime functions predict, too: a file of `tutti model fit`");
  app.add_option("--grid", grid_, "predict for collectives on a grid of the ranks, such as 4x8");
}

}  // namespace tutti::apps
