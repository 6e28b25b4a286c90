// Files of the schedule store: a key on the first line, then the file. What is accepted is just
// what would be written.

#include "core/schedule/fnv1a.hpp"
#include "core/synthesis/schedule_store.hpp"
#include "fuzz.hpp"

#include <fmt/format.h>

void try_text(const std::string& text) {
  using namespace tutti;
  const auto end = text.find('\n');
  if (end == text.npos) return;
  const std::string key = text.substr(0, end), file = text.substr(end + 1);
  // A fuzzer finds no hashes: with the right one too.
  for (const std::string& whole : {file, file + fmt::format("end {:016x}\n", fnv1a(file))}) {
    const auto transfers = parse_schedule(whole, key);
    if (!transfers) continue;
    const auto again = parse_schedule(to_text(key, *transfers), key);
    require(again && again->size() == transfers->size());
  }
}
