#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "choose/online/bandit.hpp"

namespace tutti {

// A class of calls on a machine: what a call by an arm takes, by the number of the call.
struct MadeUp {
  std::vector<double> seconds;  // by arm
  std::function<double(std::mt19937&)> noise = [](std::mt19937&) { return 1.0; };
  std::function<double(std::size_t arm, long call, double)> disturbed = [](std::size_t, long, double s) {
    return s;
  };
  double computing = 0;  // between calls
  double mean_noise = 1;
  bool is_all_there_is = false;  // of a program, which pays for experiments as it runs

  double call(std::size_t arm, long number, std::mt19937& random) const {
    return disturbed(arm, number, seconds[arm] * noise(random));
  }
};

inline std::function<double(std::mt19937&)> spread(double sigma) {
  return [sigma](std::mt19937& random) { return std::exp(std::normal_distribution(0.0, sigma)(random)); };
}

// What a program's calls of the class took, and what experiments cost, in seconds.
struct Ran {
  double seconds = 0, mean_seconds = 0;
  double cost = 0;             // of experiments, by what calls take on the average
  double worst_overdraft = 0;  // of the cost beyond its share of the time, at any time
};

inline Ran play(Bandit& bandit, const MadeUp& machine, long calls, std::mt19937& random,
                const LearningRules& rules = {}, long earlier_calls = 0) {
  Ran ran;
  ran.mean_seconds = static_cast<double>(earlier_calls) * machine.seconds[0] * machine.mean_noise;
  long number = 0;
  while (number < calls) {
    std::vector<BatchTime> times;
    const bool experiment = bandit.state() == Bandit::State::introducing ||
                            bandit.state() == Bandit::State::comparing ||
                            bandit.state() == Bandit::State::checking;
    const auto experiments = bandit.experiment();
    for (const Batch& batch : bandit.batches()) {
      double least = machine.seconds[bandit.incumbent()];
      for (std::size_t a = 0; a < bandit.race().size(); ++a)
        if (bandit.race().arm(a).introduced) least = std::min(least, machine.seconds[a]);
      const double excess = std::max(0.0, machine.seconds[batch.arm] - least) * machine.mean_noise;
      ran.mean_seconds += batch.calls * machine.seconds[batch.arm] * machine.mean_noise;
      if (experiment && &batch >= experiments.data() && &batch < experiments.data() + experiments.size() &&
          excess < 2 * machine.seconds[0] * machine.mean_noise)
        ran.cost += batch.calls * excess;
      ran.worst_overdraft = std::max(ran.worst_overdraft, ran.cost - rules.cost_share * ran.mean_seconds);
      double in_call = 0;
      const long now = std::min<long>(batch.calls, calls - number);
      for (long i = 0; i < now; ++i) in_call += machine.call(batch.arm, number++, random);
      ran.seconds += in_call;
      if (now < batch.calls) return ran;
      const double mean = in_call / batch.calls;
      if (batch.measured) times.push_back({mean, mean, mean + machine.computing, mean});
    }
    const double paid = rules.run_share * ran.mean_seconds;
    if (machine.is_all_there_is)
      bandit.conclude(times, {std::min(rules.cost_s, paid), paid});
    else
      bandit.conclude(times, {rules.cost_s});
  }
  return ran;
}

// Cycles of two arms that take so long.
inline void compare(Race& race, std::size_t a, double a_s, std::size_t b, double b_s, int cycles = 12) {
  std::mt19937 random(1);
  for (int cycle = 0; cycle < cycles; ++cycle) {
    const double first = a_s * spread(0.02)(random), second = b_s * spread(0.02)(random);
    const std::array both{Batch{a, 1}, Batch{b, 1}};
    const std::array times{BatchTime{first, first, first}, BatchTime{second, second, second}};
    race.compare(both, times, 2);
  }
}

}  // namespace tutti
