#pragma once

#include <array>

namespace tutti {

/// Which time of a stint of calls plans are compared by.
enum class Judgement {
  in_call,  ///< in the calls, averaged over ranks
  latest,   ///< in the calls, of the rank that spent most
  period    ///< in the calls and what a plan moves out of them, averaged over ranks
};

inline constexpr std::array judgements{Judgement::in_call, Judgement::latest, Judgement::period};

/// How far learning goes, and what it may cost.
struct LearningRules {
  double cost_share = 0.05;     ///< of the time spent in a class of calls, that experiments in it may cost
  double hope = 0.35;           ///< of that share, as long as no plan surely gains
  double cost_s = 0.020;        ///< and in all classes together, in seconds
  double choice = 0.01;         ///< the probability to choose a plan that does not gain
  double elimination = 0.2;     ///< the probability to let the best one go
  double hopeless = 3;          ///< a plan that takes so many times as long as native is not tried again
  double connecting_s = 0.005;  ///< what a plan's first call may take longer than that, for its connections
  int check_every = 1000;       ///< calls
  double check_share = 0.01;    ///< of the time, at most, for checks
  double noticed = 1.1;         ///< a check that finds another plan so many times as fast is looked into
  Judgement judgement = Judgement::period;
};

}  // namespace tutti
