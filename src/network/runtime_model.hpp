#pragma once

#include <string>
#include <vector>

#include "network/price.hpp"
#include "network/runtime_function.hpp"
#include "text/result.hpp"

namespace tutti {

/// What operations take by measured runtime functions: of each collective and plan that was measured.
struct RuntimeModel {
  struct Entry {
    Collective collective;
    std::string plan;
    RuntimeFunction seconds;
  };
  std::vector<Entry> entries;

  /// Null where it was not measured.
  const RuntimeFunction* find(Collective collective, std::string_view plan) const;
};

/// What the model says of the MPI library's own operations, `otherwise` of those it does not know. With it
/// the price of a composition with native phases is the sum of its phases' functions, as in the source of
/// RuntimeFunction.
NativeTime native_time_of(const RuntimeModel& model, NativeTime otherwise);

/// A model from the text of its file (JSON), as `tutti model fit` writes it; `source` names the file in
/// errors.
Result<RuntimeModel> parse_runtime_model(const std::string& text, const std::string& source);

/// The text of its file.
std::string to_text(const RuntimeModel& model);

}  // namespace tutti
