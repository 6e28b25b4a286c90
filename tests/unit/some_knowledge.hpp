#pragma once

#include <random>

#include "choose/evidence/contrast.hpp"
#include "choose/evidence/knowledge.hpp"

namespace tutti {

/// Evidence of `calls` calls that took about `ratio` times as long as native.
inline Evidence evidence(double ratio, int calls, double scatter = 0.02) {
  std::mt19937 random(static_cast<unsigned>(calls));
  std::normal_distribution noise(0.0, scatter);
  Evidence e{.calls = static_cast<double>(calls),
             .seconds = {},
             .against_native = {},
             .first = 20000,
             .last = 20000};
  for (int i = 0; i < calls; ++i) {
    e.seconds.add(1e-3 * ratio * (1 + noise(random)));
    e.against_native.add(contrast_of_ratio(ratio) + noise(random));
  }
  return e;
}

/// Knowledge of one class of calls, and a network.
inline Knowledge some_knowledge() {
  Knowledge known{.machine = "a processor, 2 cores", .classes = {}, .networks = {}};
  const Knowledge::Key key{"Open MPI 4.1.4", {Collective::bcast, {4, 1}, SizeClass::of(5000)}};
  known.classes[key] = {
      {"native", evidence(1, 40)}, {"binomial", evidence(0.7, 30)}, {"linear", evidence(1.4, 30)}};
  known.networks[{"Open MPI 4.1.4"}] = Network::uniform({1e-6, 1e-9});
  return known;
}

}  // namespace tutti
