// Runtime functions: what is accepted is written, and read again, as the same, and gives times.

#include "core/network/runtime_model.hpp"
#include "fuzz.hpp"

void try_text(const std::string& text) {
  using namespace tutti;
  const auto model = parse_runtime_model(text, "fuzzed");
  if (!model) return require(!model.error().message.empty());
  const std::string written = to_text(*model);
  const auto again = parse_runtime_model(written, "written");
  require(again && to_text(*again) == written);
  for (const auto& entry : model->entries)
    for (const int ranks : {1, 2, 96})
      for (const double bytes : {0.0, 1.0, 1e6}) (void)entry.seconds(ranks, bytes);
}
