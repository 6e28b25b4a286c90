#pragma once

#include <bit>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "core/algorithms/algorithm.hpp"
#include "core/plan/syntax.hpp"
#include "core/schedule/schedule.hpp"

namespace tutti::inline core {

class Composition;
struct Network;

/// How the text of a plan that is one of the MPI library's own algorithms begins.
inline constexpr std::string_view by_library = "native(";
/// Whether a text, of plans or of a file that has some, names one.
inline bool names_library_algorithm(std::string_view text) {
  return text.find(by_library) != text.npos;
}

/// The calls that a plan has to serve, as far as all ranks know them.
struct Setting {
  int ranks;
  bool commutative = true;                  ///< reductions: may operands change places
  bool fixed_order = false;                 ///< reductions: has the order of operands to be the fixed one
  const Hosts* hosts = nullptr;             ///< as of Shape
  const PlacesInHosts* in_hosts = nullptr;  ///< as of Shape
  const GroupLevels* levels = nullptr;      ///< as of Shape
  const Network* groups = nullptr;          ///< whose levels these are, if told; for prices
  const KnownNetwork* network = nullptr;    ///< what schedules can be computed for; null: not known
  bool has_memory = true;              ///< may ranks of one host share memory: not where all is simulated
  const Topology* topology = nullptr;  ///< of collectives between neighbours; null: not known
  bool needs_connections = true;       ///< do messages between hosts: not where all is simulated
  BlockLengths lengths = BlockLengths::equal;  ///< of calls that are priced, where these have some
  /// By how many bytes the longest block is longer than the mean one, in irregular calls of which
  /// all ranks know that.
  std::size_t longer = 0;

  /// Whether ranks do share memory, as far as is known.
  bool shares_memory() const {
    return has_memory && hosts && !hosts->empty() && count(*hosts) < static_cast<int>(hosts->size());
  }
};

/// How a collective is to be carried out: by the MPI library itself, by one of the library's own
/// algorithms, by an algorithm of the catalogue with its arguments, or by a composition of other
/// plans. A checked value, from which its text follows.
class Plan {
 public:
  /// The library's own operation.
  static Plan native(Collective collective) { return Plan(collective, "native"); }
  /// The library's own operation by one of its algorithms, which has that name there, such as
  /// "binomial" or "pipeline/8192". Whether the library has it shows where the program runs.
  static Plan native(Collective collective, const std::string& algorithm);
  /// An algorithm that serves the collective, with all its arguments.
  Plan(Collective collective, const Algorithm& algorithm, Arguments arguments);
  /// The algorithm of that name, which serves the collective. `values` are its parameters' from the
  /// first on, all others have their defaults.
  static Plan of(Collective collective, std::string_view algorithm,
                 const std::vector<std::string>& values = {});
  /// A composition for the collective, or for its irregular variant.
  Plan(Collective collective, std::shared_ptr<const Composition> composition);

  /// This plan, which is not native, with messages through memory between ranks of one host.
  Plan through_memory() const;

  /// Equal for equal plans and for no others, as long as the process lives: what caches may go by.
  int id() const { return id_; }

  Collective collective() const { return collective_; }
  /// The shortest text that means this plan: defaults are left out.
  const std::string& text() const { return text_; }
  /// Whether the MPI library carries it out as it likes.
  bool is_native() const { return is_left_to_library() && library_algorithm_.empty(); }
  /// Whether the MPI library carries it out, by whatever algorithm.
  bool is_left_to_library() const { return !algorithm_ && !composition_; }
  /// The name of the MPI library's own algorithm; empty where it chooses, and for all other plans.
  const std::string& library_algorithm() const { return library_algorithm_; }
  /// Null for what the MPI library carries out, and for compositions.
  const Algorithm* algorithm() const { return algorithm_; }
  const Arguments& arguments() const { return arguments_; }
  /// Null for all but compositions.
  const Composition* composition() const { return composition_.get(); }

  /// Whether messages go through memory between ranks of one host: of all of it, or of a phase.
  bool is_through_memory() const { return memory_; }
  bool uses_memory() const;

  /// Whether it can serve operations that commute only.
  bool commutative_only() const;
  /// Whether it combines results in the fixed order (Conditions::fixed_order) on `ranks` ranks.
  bool keeps_fixed_order(int ranks) const;
  /// Whether ranks pass on blocks that are not theirs, as Algorithm says.
  bool relays() const;
  /// Whether it leaves phases to the MPI library.
  bool has_native_phases() const;
  /// Whether ranks wait in the MPI library, in phases that are left to it or in its barriers: such
  /// a plan serves no call that returns at once.
  bool waits_in_library() const;
  /// Whether its schedules are computed for the network.
  bool is_computed() const { return algorithm_ && algorithm_->is_computed(); }
  /// Whether its schedules depend on the network, where one is known.
  bool goes_by_network() const;
  /// Whether its schedule depends on bytes, and not only on how many blocks the collective has: in
  /// the irregular variants all ranks have to know them first, or go by Setting::longer.
  bool goes_by_bytes() const;
  /// Why this plan can't serve such calls, or nothing if it can.
  std::optional<std::string> refusal(const Setting& setting) const;

  friend bool operator==(const Plan& a, const Plan& b) { return a.id_ == b.id_; }

 private:
  Plan(Collective collective, std::string text);
  std::optional<std::string> refusal_on_network(const Setting& setting) const;
  std::optional<std::string> refusal_between_neighbors(const Setting& setting) const;

  int id_;
  Collective collective_;
  std::string text_;
  std::string library_algorithm_;
  const Algorithm* algorithm_ = nullptr;
  Arguments arguments_;
  std::shared_ptr<const Composition> composition_;
  bool memory_ = false;
};

/// Reads and checks a plan for a collective: where text comes in from outside. Errors name the
/// column and the nearest known name.
Result<Plan> make_plan(Collective collective, std::string_view text);

/// Makes a plan from text that was read already; `text` is all of it, for the errors.
Result<Plan> make_plan(Collective collective, const PlanSyntax& syntax, std::string_view text);

/// Every plan there is for a collective without further knowledge: native, and each algorithm with
/// each of its parameters' listed values.
std::vector<Plan> known_plans(Collective collective);

/// Known plans that serve such calls, and where ranks share memory, each through it as well.
std::vector<Plan> known_plans(Collective collective, const Setting& setting);
inline std::vector<Plan> known_plans(Collective collective, int ranks) {
  return known_plans(collective, Setting{.ranks = ranks});
}

/// Further plans for a network whose alpha / beta is `alpha_over_beta` bytes: those of algorithms
/// with a parameter for it.
std::vector<Plan> plans_for_network(Collective collective, int ranks, int alpha_over_beta);

/// The bytes that plans are made for in calls of `size` (CollectiveTraits::size_means): the whole
/// vector, or all blocks together.
std::size_t total_bytes(Collective collective, const Setting& setting, std::size_t size);

/// Number of blocks into which a plan cuts a vector of `bytes` bytes (total_bytes). It serves such
/// calls.
int blocks_for(const Plan& plan, const Setting& setting, std::size_t bytes);

/// For how many bytes a plan's schedule is computed where a vector has `bytes`; 0: it is for any.
inline std::size_t computed_for(const Plan& plan, std::size_t bytes) {
  return plan.is_computed() && plan.goes_by_bytes() ? std::bit_floor(bytes) : 0;
}

/// The shape a plan runs in. The plan is not native and serves such calls.
Shape shape_of(const Plan& plan, const Setting& setting, Rank root, std::size_t bytes);

/// One rank's part of a plan that is not native.
Part generate(const Plan& plan, const Shape& shape, Rank rank);

/// All ranks' parts.
Schedule generate(const Plan& plan, const Shape& shape);

}  // namespace tutti::inline core
