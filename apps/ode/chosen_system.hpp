#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "ode/brusselator.hpp"
#include "ode/oscillators.hpp"
#include "ode/spectral.hpp"

namespace tutti::apps {

/// The system of equations that a user chooses: --system and --size.
class ChosenSystem {
 public:
  void add_to(CLI::App& app) {
    app.add_option("--system", name_,
                   "brusselator: sparse; spectral: dense; oscillators: with a known solution")
        ->capture_default_str()
        ->check(CLI::IsMember({"brusselator", "spectral", "oscillators"}));
    app.add_option("--size", size_,
                   "of the system: points a side of the Brusselator's grid (2 size^2 equations), modes of "
                   "the spectral one, "
                   "or oscillators")
        ->capture_default_str()
        ->check(CLI::Range(1, 10000));
  }

  std::unique_ptr<System> make() const {
    if (name_ == "spectral") return std::make_unique<Spectral>(size_);
    if (name_ == "oscillators") return std::make_unique<Oscillators>(size_);
    return std::make_unique<Brusselator>(size_);
  }

 private:
  std::string name_ = "brusselator";
  int size_ = 16;
};

}  // namespace tutti::apps
