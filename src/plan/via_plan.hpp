#pragma once

#include <span>
#include <string_view>

#include "plan/composition.hpp"

namespace tutti {

/// A collective by way of others on the same ranks, as performance guidelines have it: a library's collective
/// should not be slower than what does the same by others of its own.
/// Source: Hunold, Carpen-Amarie, Autotuning MPI Collectives using Performance Guidelines, 2018.
class ViaPlan final : public Composition {
 public:
  /// One way for one collective.
  struct Way {
    Collective collective;
    std::vector<std::string_view> names;  ///< as in the text: the phases', and reduce_local
    std::vector<Collective> phases;       ///< in the order of time
    bool of_equal_blocks = false;         ///< the irregular variant can't go that way
    void (*write)(Builder& builder, const std::vector<Plan>& plans);
  };

  ViaPlan(const Way& way, std::vector<Plan> plans)
      : Composition(way.collective, std::move(plans)), way_(way) {}

  /// All ways there are.
  static const std::vector<Way>& ways();

  std::string_view summary() const override {
    return "other collectives on the same ranks, one after the other";
  }
  std::string_view source() const override {
    return "Hunold, Carpen-Amarie, Autotuning MPI Collectives using Performance Guidelines, 2018";
  }
  void generate(Builder& builder) const override { way_.write(builder, plans()); }
  bool relays() const override;

 private:
  std::optional<std::string> own_refusal(const Setting&) const override;
  std::vector<PhaseUse> uses(const Setting& setting) const override;

  const Way& way_;
};

}  // namespace tutti
