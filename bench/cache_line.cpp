// Nanoseconds in which a cache line changes owners between two threads on processors of their own:
// what no message between two ranks of a host can beat. The median of some exchanges of many turns.

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

namespace {

constexpr int turns = 100'000, samples = 11;

void stay_on(int processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  sched_setaffinity(0, sizeof set, &set);
}

struct alignas(128) Line {
  std::atomic<int> turn{0};
};

void take_turns(Line& line, int mine) {
  for (int turn = mine; turn < turns; turn += 2) {
    while (line.turn.load(std::memory_order_acquire) != turn) {
    }
    line.turn.store(turn + 1, std::memory_order_release);
  }
}

double exchange() {
  Line line;
  std::thread other([&] {
    stay_on(1);
    take_turns(line, 1);
  });
  stay_on(0);
  const auto begin = std::chrono::steady_clock::now();
  take_turns(line, 0);
  other.join();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count() / turns;
}

}  // namespace

int main() {
  std::vector<double> times;
  for (int sample = 0; sample < samples; ++sample) times.push_back(exchange());
  std::nth_element(times.begin(), times.begin() + samples / 2, times.end());
  std::printf("%.0f\n", times[samples / 2]);
}
