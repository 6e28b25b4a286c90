#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "learning/trial.hpp"

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

// A program's calls of the class, so many; the time they took, and what a perfect choice would have.
struct Ran {
  double seconds = 0, mean_seconds = 0;
  double cost = 0;             // of experiments, by what calls take on the average
  double worst_overdraft = 0;  // of the cost beyond its share of the time, at any time
};

inline Ran run(Trial& trial, const MadeUp& machine, long calls, std::mt19937& random,
               const LearningRules& rules = {}, long earlier_calls = 0) {
  Ran ran;
  ran.mean_seconds = static_cast<double>(earlier_calls) * machine.seconds[0] * machine.mean_noise;
  long number = 0;
  while (number < calls) {
    std::vector<StintTime> times;
    const bool experiment = trial.state() == Trial::State::introducing ||
                            trial.state() == Trial::State::comparing ||
                            trial.state() == Trial::State::checking;
    const auto experiments = trial.experiment();
    for (const Stint& stint : trial.stints()) {
      double least = machine.seconds[trial.incumbent()];
      for (std::size_t a = 0; a < trial.race().size(); ++a)
        if (trial.race().arm(a).introduced) least = std::min(least, machine.seconds[a]);
      const double excess = std::max(0.0, machine.seconds[stint.arm] - least) * machine.mean_noise;
      ran.mean_seconds += stint.calls * machine.seconds[stint.arm] * machine.mean_noise;
      if (experiment && &stint >= experiments.data() && &stint < experiments.data() + experiments.size() &&
          excess < 2 * machine.seconds[0] * machine.mean_noise)
        ran.cost += stint.calls * excess;
      ran.worst_overdraft = std::max(ran.worst_overdraft, ran.cost - rules.cost_share * ran.mean_seconds);
      double in_call = 0;
      const long now = std::min<long>(stint.calls, calls - number);
      for (long i = 0; i < now; ++i) in_call += machine.call(stint.arm, number++, random);
      ran.seconds += in_call;
      if (now < stint.calls) return ran;
      const double mean = in_call / stint.calls;
      if (stint.measured) times.push_back({mean, mean, mean + machine.computing, mean});
    }
    const double paid = rules.run_share * ran.mean_seconds;
    if (machine.is_all_there_is)
      trial.conclude(times, std::min(rules.cost_s, paid), paid);
    else
      trial.conclude(times, rules.cost_s);
  }
  return ran;
}

}  // namespace tutti
