#include "run/process/program_phases.hpp"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "run/process/constants.hpp"

namespace tutti::run {
namespace {

// A phase that is under way.
struct Begun {
  std::string name;  ///< as the program says it
  int around;        ///< number of the phase that it is in
};

struct Phases {
  std::mutex mutex;
  std::vector<std::string> names{""};  // by number
  std::vector<Begun> under_way;        // the innermost last
  int now = 0;
  bool left_out = false;

  void enter(int phase) {
    now = phase;
    current_phase = left_out ? phase_left_out : phase;
  }
  auto innermost(std::string_view name) {
    return std::find_if(under_way.rbegin(), under_way.rend(),
                        [&](const Begun& begun) { return begun.name == name; });
  }
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
  Phases& all = phases();
  const std::lock_guard lock(all.mutex);
  const std::string outer_name = all.names[static_cast<std::size_t>(all.now)];
  all.under_way.push_back({std::string(name), all.now});
  all.enter(number_of(
      all.names, outer_name.empty() ? std::string(name) : outer_name + "/" + std::string(name), all.now));
}

bool end_phase() {
  Phases& all = phases();
  const std::lock_guard lock(all.mutex);
  if (all.under_way.empty()) return false;
  all.enter(all.under_way.back().around);
  all.under_way.pop_back();
  return true;
}

bool end_phase(std::string_view name) {
  Phases& all = phases();
  const std::lock_guard lock(all.mutex);
  const auto found = all.innermost(name);
  if (found == all.under_way.rend()) return false;
  all.enter(found->around);
  all.under_way.erase(found.base() - 1, all.under_way.end());
  return true;
}

bool is_under_way(std::string_view name) {
  Phases& all = phases();
  const std::lock_guard lock(all.mutex);
  return all.innermost(name) != all.under_way.rend();
}

bool leave_out(bool left_out) {
  Phases& all = phases();
  const std::lock_guard lock(all.mutex);
  const bool before = std::exchange(all.left_out, left_out);
  all.enter(all.now);
  return before;
}

std::string name_of_phase(int phase) {
  Phases& all = phases();
  const std::lock_guard lock(all.mutex);
  return all.names[static_cast<std::size_t>(phase)];
}

}  // namespace tutti::run
