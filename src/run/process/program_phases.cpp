#include "run/process/program_phases.hpp"

#include <algorithm>
#include <mutex>
#include <vector>

#include "run/process/constants.hpp"

namespace tutti::run {
namespace {

struct Phases {
  std::mutex mutex;
  std::vector<std::string> names{""};  // by number
  std::vector<int> around;             // those that are under way but for the innermost
};

Phases& phases() {
  static auto* const all = new Phases;  // profiles are written when statics are gone
  return *all;
}

int number_of(std::vector<std::string>& names, const std::string& name, int otherwise) {
  const auto known = std::find(names.begin(), names.end(), name);
  if (known != names.end()) return static_cast<int>(known - names.begin());
  if (names.size() == process::most_phases) return otherwise;
  names.push_back(name);
  return static_cast<int>(names.size()) - 1;
}

}  // namespace

void begin_phase(std::string_view name) {
  auto& [mutex, names, around] = phases();
  const std::lock_guard lock(mutex);
  const int outer = current_phase;
  const std::string outer_name = names[static_cast<std::size_t>(outer)];
  around.push_back(outer);
  current_phase =
      number_of(names, outer_name.empty() ? std::string(name) : outer_name + "/" + std::string(name), outer);
}

bool end_phase() {
  auto& [mutex, names, around] = phases();
  const std::lock_guard lock(mutex);
  if (around.empty()) return false;
  current_phase = around.back();
  around.pop_back();
  return true;
}

std::string name_of_phase(int phase) {
  Phases& all = phases();
  const std::lock_guard lock(all.mutex);
  return all.names[static_cast<std::size_t>(phase)];
}

}  // namespace tutti::run
