#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "plan/result.hpp"
#include "schedule/schedule.hpp"

namespace tutti {

/// How a collective is to be carried out: by the MPI library itself, or by an algorithm with its arguments.
/// A checked value, made from text by `make_plan`.
class Plan {
 public:
  /// The library's own operation.
  static Plan native(Collective collective) { return Plan(collective, "native", nullptr, {}); }

  /// Equal for equal plans and for no others, as long as the process lives: what caches may go by.
  int id() const { return id_; }

  Collective collective() const { return collective_; }
  /// The shortest text that means this plan: defaults are left out.
  const std::string& text() const { return text_; }
  bool is_native() const { return algorithm_ == nullptr; }
  /// Null for native.
  const Algorithm* algorithm() const { return algorithm_; }
  const Arguments& arguments() const { return arguments_; }

  /// Whether it can serve operations that commute only.
  bool commutative_only() const { return algorithm_ && algorithm_->commutative_only; }
  /// Whether this plan can't serve calls on so many ranks with such an operation.
  bool refuses(int ranks, bool commutative) const {
    return algorithm_ && ((algorithm_->commutative_only && !commutative) ||
                          (algorithm_->even_ranks_only && ranks % 2 != 0));
  }
  /// Why this plan can't serve such calls, or nothing if it can. Depends only on what all ranks know.
  std::optional<std::string> refusal(int ranks, bool commutative) const;

  friend bool operator==(const Plan& a, const Plan& b) { return a.id_ == b.id_; }

 private:
  friend Result<Plan> make_plan(Collective, std::string_view);
  Plan(Collective collective, std::string text, const Algorithm* algorithm, Arguments arguments);

  int id_;
  Collective collective_;
  std::string text_;
  const Algorithm* algorithm_;
  Arguments arguments_;
};

/// Reads and checks a plan for a collective. Errors name the column and the nearest known name.
Result<Plan> make_plan(Collective collective, std::string_view text);

/// Every plan there is for a collective without further knowledge: native, and each algorithm with each of
/// its parameters' listed values.
std::vector<Plan> known_plans(Collective collective);

/// Those of them that serve so many ranks.
std::vector<Plan> known_plans(Collective collective, int ranks);

/// Further plans for a network whose alpha / beta is so many bytes: those of algorithms with a parameter for it.
std::vector<Plan> plans_for_network(Collective collective, int ranks, int alpha_over_beta);

/// The shape a plan runs in for a vector of so many bytes (total_bytes). The plan is not native and serves
/// such calls.
Shape shape_of(const Plan& plan, int ranks, Rank root, std::size_t bytes, bool commutative = true);

/// One rank's part of a plan that is not native.
Part generate(const Plan& plan, const Shape& shape, Rank rank);

/// All ranks' parts.
Schedule generate(const Plan& plan, const Shape& shape);

}  // namespace tutti
