#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "core/network/price.hpp"
#include "core/network/runtime_function.hpp"
#include "core/network/situation.hpp"

namespace tutti::inline core {

/// What operations take by measured runtime functions: of each collective, plan and kind of
/// situation that was measured.
struct RuntimeModel {
  struct Entry {
    Collective collective;
    std::string plan;
    RuntimeFunction seconds;
    Situation::Kind kind = {};
    /// By ranks of the group, then by rank: the share of the time after which it is done with its
    /// part.
    std::map<int, std::vector<double>> leaves = {};
  };
  std::vector<Entry> entries;

  /// The entry of that kind of situation, or of the nearest one: how ranks lie on hosts weighs
  /// most, then whether groups are beside each other, then whether their ranks are neighbours. Null
  /// where the operation was not measured.
  const Entry* find(Collective collective, std::string_view plan, const Situation::Kind& kind = {}) const;
};

/// What the model says of the MPI library's own operations, `otherwise` of those it does not know.
/// With it the price of a composition with native phases is the sum of its phases' functions, each
/// of the situation its groups are in.
NativeTime native_time_of(const RuntimeModel& model, NativeTime otherwise);

/// A model from the text of its file (JSON), as `tutti model fit` writes it; `source` names the
/// file in errors.
Result<RuntimeModel> parse_runtime_model(const std::string& text, const std::string& source);

/// The text of its file.
std::string to_text(const RuntimeModel& model);

}  // namespace tutti::inline core
