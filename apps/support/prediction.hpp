#pragma once

#include <string>

#include "support/running_times.hpp"

namespace CLI {
class App;
}

namespace tutti::apps {

/// What a program's run time is predicted from: --predict and --grid.
class PredictionOptions {
 public:
  void add_to(CLI::App& app);

  bool is_wanted() const { return !model_.empty(); }

  /// The time of an operation is measured now. A Refusal if the model can't be read, has not what
  /// is asked, or the grid does not fit.
  Machine machine() const;

 private:
  // Read by one rank, known to all: the file may be on its host only.
  std::string model_text() const;

  std::string model_, grid_;
};

}  // namespace tutti::apps
