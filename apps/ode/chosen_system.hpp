#pragma once

#include <memory>

#include "ode/brusselator.hpp"
#include "ode/options.hpp"
#include "ode/oscillators.hpp"
#include "ode/spectral.hpp"

namespace tutti::apps {

/// The system that was chosen.
inline std::unique_ptr<System> system_of(const ChosenSystem& chosen) {
  if (chosen.name == "spectral") return std::make_unique<Spectral>(chosen.size);
  if (chosen.name == "oscillators") return std::make_unique<Oscillators>(chosen.size);
  return std::make_unique<Brusselator>(chosen.size);
}

}  // namespace tutti::apps
