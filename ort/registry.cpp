#include "registry.hpp"

#include <mutex>
#include <unordered_map>

namespace tutti::ort {
namespace {

struct Registry {
  std::mutex mutex;
  long last = 0;
  std::unordered_map<long, std::unique_ptr<Structure>> structures;
};

// Never destroyed: whoever forgot ORT_Finalize shall not call MPI after its end.
Registry& registry() {
  static Registry& all = *new Registry;
  return all;
}

}  // namespace

ORT_Structure enlist(std::unique_ptr<Structure> structure) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  all.structures[all.last + 1] = std::move(structure);
  return {++all.last};
}

Structure* find(ORT_Structure handle) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  const auto found = all.structures.find(handle.id);
  return found == all.structures.end() ? nullptr : found->second.get();
}

std::unique_ptr<Structure> discharge(ORT_Structure handle) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  const auto found = all.structures.extract(handle.id);
  return found ? std::move(found.mapped()) : nullptr;
}

}  // namespace tutti::ort
