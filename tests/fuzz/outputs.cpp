// Outputs of other benchmarks: what is accepted is written as measurements that are read again.

#include "base/json.hpp"
#include "choose/evidence/osu_output.hpp"
#include "choose/evidence/pico_results.hpp"
#include "fuzz.hpp"

void try_text(const std::string& text) {
  using namespace tutti;
  const ImportedFrom where{.source = "512_ring_int32.csv", .ranks = 4, .hosts = 2, .operation = "bcast"};
  for (auto read : {parse_osu(text, where), parse_pico(text, where)}) {
    if (!read) {
      require(!read.error().message.empty());
      continue;
    }
    compare_with_native(*read);
    const auto again = parse_measurements(Json(read->measurements).dump(), "fuzzed");
    require(again && again->size() == read->measurements.size());
  }
}
