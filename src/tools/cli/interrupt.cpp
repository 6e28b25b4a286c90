#include "tools/cli/interrupt.hpp"

#include <signal.h>

#include <atomic>

#include "tools/cli/stopwatch.hpp"

namespace tutti::tools {
namespace {

std::atomic<bool> was_interrupted{false};

}  // namespace

void end_gently() {
  struct sigaction action {};
  action.sa_handler = [](int) { was_interrupted = true; };
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // the second one does as ever
  sigaction(SIGINT, &action, nullptr);
}

bool interrupted() {
  return was_interrupted;
}

std::function<double()> budget_clock() {
  constexpr double all_time_s = 1e9;
  return [clock = stopwatch()] { return clock() + (interrupted() ? all_time_s : 0); };
}

}  // namespace tutti::tools
