#include "run/process/function_counts.hpp"

#include <deque>
#include <memory>
#include <mutex>
#include <vector>

namespace tutti::run {
namespace {

struct Counts {
  std::mutex mutex;
  std::deque<FunctionCounts> of_threads;
  std::vector<std::string> names;
};

Counts& all_counts() {
  static auto* counts = new Counts;  // calls may come while the process ends
  return *counts;
}

}  // namespace

FunctionCounts& counts_of_thread() {
  thread_local FunctionCounts* own = nullptr;
  if (!own) {
    Counts& all = all_counts();
    const std::lock_guard lock(all.mutex);
    own = &all.of_threads.emplace_back();
  }
  return *own;
}

std::size_t number_of_function(std::string name) {
  Counts& all = all_counts();
  const std::lock_guard lock(all.mutex);
  all.names.push_back(std::move(name));
  return all.names.size() - 1;
}

void add_function_counts(Profile& profile, double seconds_a_tick) {
  Counts& all = all_counts();
  const std::lock_guard lock(all.mutex);
  for (const FunctionCounts& thread : all.of_threads)
    for (std::size_t number = 0; number < all.names.size(); ++number)
      if (const FunctionCount& count = thread[number]; count.calls > 0)
        profile.functions[all.names[number]].merge(
            {.calls = count.calls,
             .bytes = static_cast<double>(count.bytes),
             .seconds = seconds_a_tick * static_cast<double>(count.ticks)});
}

}  // namespace tutti::run
