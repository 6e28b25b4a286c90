#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "choose/evidence/table.hpp"

namespace tutti::inline choose {

class Estimates;

/// What a table says of communicators that were not tuned, but lie between some that were: the
/// tuned ones with the next fewer and next more ranks, on one host if they are, else on several;
/// where the table has a model that tells links on a host from others, of the other kind if there
/// are none of this.
class Interpolation {
 public:
  /// Nothing where there are none on one side. `setting` is what plans have to serve there.
  static std::optional<Interpolation> find(const Table& table, Collective collective, Placement placement,
                                           const Setting& setting);

  const Placement& below() const { return below_->placement; }
  const Placement& above() const { return above_->placement; }
  /// "between 64 and 128 ranks", or "like 64 ranks on 4 hosts".
  std::string text() const;

  /// Where the stretches of sizes end for each of which there is one decision, ascending.
  std::vector<std::size_t> ends() const;

  struct Choice {
    Plan plan;
    std::string why;  ///< "both have it", "priced 3.1 ms, native about 4.0 ms, margin 5 %", …
  };
  /// The plan for the stretch of such a size. What both neighbours have holds, a grid with extents
  /// that suit; where they differ the one with the lowest price, of their likes and of all
  /// algorithms. Prices are on the table's model, in the groups of the setting where the model has
  /// some (network_in_groups), corrected by what measurements nearby took beyond theirs; a plan has
  /// to be faster than another that both have, and than what is estimated of native, by the margin
  /// of the estimates (Estimates). Without a model, and where prices take long, the nearer
  /// neighbour's plan is taken, and native where one has it. Not quick: prices take some
  /// milliseconds.
  Choice choose(std::size_t size) const;

 private:
  Interpolation(const RuleSet& below, const RuleSet& above, const Table& table, Placement placement,
                const Setting& setting);
  std::size_t typical(std::size_t size) const;
  bool has_sizes() const;

  const RuleSet *below_, *above_;
  Setting setting_;
  Network network_;
  std::shared_ptr<const Estimates> estimates_;  // null without a model
  bool measurements_damaged_ = false;
};

/// The plans that are a plan's like for such ranks: itself, or, of a grid, with extents as near in
/// their ratios to its own as can be; besides, with the last extent that its own shares with the
/// ranks (often the ranks of a host), with the first, and by hosts. None where there are none.
std::vector<Plan> likes(const Plan& plan, const Setting& setting);

/// The first of them.
std::optional<Plan> suited(const Plan& plan, const Setting& setting);

}  // namespace tutti::inline choose
