#pragma once

namespace tutti::inline choose {

/// How far learning goes, and what it may cost. `bench/learning` set `doubtful` (simulated seed
/// 6611, with experiments bound by 1 % until a plan is ahead) and `run_share` (seed 2613, with half
/// of it); the others were chosen by hand.
struct LearningRules {
  double cost_share = 0.05;     ///< of the time spent in a class of calls, that experiments in it may cost
  double doubtful = 0.2;        ///< of that share, as long as no plan is ahead of native
  double cost_s = 0.020;        ///< what they may cost in all classes together, in seconds
  double stake_calls = 5;       ///< calls' worth of cost at first, as long as no plan surely gains
  double stake_share = 0.005;   ///< of the time, later, as long as no plan surely gains
  double choice = 0.01;         ///< the probability to choose a plan that does not gain
  double elimination = 0.2;     ///< the probability to let the best one go
  double moving = 0.05;         ///< the probability to think that a plan moves time out of its calls
  double hopeless = 3;          ///< times native's time: a plan that takes as long is not tried again
  double connecting_s = 0.005;  ///< what a plan's first call may take beyond that, for its connections
  double connecting_between_hosts_s = 0.020;  ///< what it may take where there are several hosts
  double promising = 0.6;                     ///< of the best known's time, a price that promises
  double much = 0.9;                          ///< of native's time, a gain that pays for looking further
  double worthwhile = 0.005;                  ///< contrast: less is no reason to try a plan, or to go on
  int check_every = 1000;                     ///< calls, where they are short
  double check_every_s = 10;                  ///< seconds, where `check_every` calls take longer
  double check_share = 0.01;                  ///< of the time, at most, for checks
  double noticed = 1.1;     ///< speed of another plan over the incumbent's at which a check is looked into
  double run_share = 0.01;  ///< of the run, that all of it may cost where no plan is ahead of native
  bool run_ahead = false;   ///< whether some ranks may begin the next call while others are in this one

  /// Where learning may take all of the time nobody waits.
  bool is_bound() const { return cost_share < 1; }
};

}  // namespace tutti::inline choose
