#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "choose/evidence/call_class.hpp"
#include "choose/planner/interpolation.hpp"
#include "choose/settings/configuration.hpp"
#include "run/calls/inside.hpp"

namespace tutti::run {

/// How often and how long something ran.
struct Use {
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;  ///< by CollectiveTraits::size_means; with statistics on only
  double seconds = 0;       ///< on this rank; with statistics on only

  /// Counts a call, whatever other threads count meanwhile.
  void count(std::uint64_t bytes_of_call, double seconds_of_call) {
    constexpr auto relaxed = std::memory_order_relaxed;
    std::atomic_ref(calls).fetch_add(1, relaxed);
    if (!timing) return;
    std::atomic_ref(bytes).fetch_add(bytes_of_call, relaxed);
    std::atomic_ref(seconds).fetch_add(seconds_of_call, relaxed);
  }
  Use& operator+=(const Use& other) {
    calls += other.calls;
    bytes += other.bytes;
    seconds += other.seconds;
    return *this;
  }
};

/// What happens to calls of up to a size.
struct Decision {
  std::size_t size_max;
  const Plan* plan;   ///< null: native
  std::string label;  ///< as the statistics name it
  Use use;
  /// Why the plan can't serve operations that do not commute, and that do; empty: it can.
  std::array<std::string, 2> refusals;
  bool native_phases = false;  ///< of the plan
  bool is_undecided = false;   ///< yet: prices take time, and most sizes never come
  bool forced = false;         ///< someone has said what is to run: nothing else is tried
  bool on_trial = false;       ///< an experiment of learning, which must not fail a call
  /// Whether calls of late ran natively in its place, so that their times are no plan's.
  bool fell_back = false;

  /// Native for calls of up to a size, with a reason as of native_label.
  static Decision native(std::size_t size_max, const std::string& reason);
  /// Finds out what the plan can't serve on such a communicator.
  void look_at(const Setting& setting);
  /// What is done where it can't serve a call.
  Fallback fallback_by(const Rules& rules) const { return on_trial ? Fallback::silent : rules.fallback; }
};

/// "native", or "native (reason)".
std::string native_label(const std::string& reason);

/// The decisions for one collective, in one mode, on one communicator, by ascending size. The last
/// one has no limit. They may be others for operations that do not commute, and for those whose
/// operands have a fixed order.
class Route {
 public:
  /// All calls native, for that reason ("" for none in particular).
  explicit Route(const std::string& reason = "");
  Route(const Route&) = delete;  // decisions point into their route
  Route& operator=(const Route&) = delete;
  /// Decisions as the rules say for such a communicator. Their plans stay theirs. Nonblocking calls
  /// that no rules are about go as blocking ones do; phases that are left to the MPI library would
  /// block: they stay native.
  Route(Called called, const Rules& rules, const Setting& setting);

  bool always_native() const {
    const auto& [any, in_rank_order, in_fixed_order] = decisions_;
    return any.size() == 1 && !any.front().plan && in_rank_order.empty() && in_fixed_order.empty();
  }
  /// Whether calls of some sizes may go another way than those of others.
  bool goes_by_size() const { return goes_by_size_; }
  Decision& decide(std::size_t size, OperandOrders orders = OperandOrders::any) {
    std::vector<Decision>& own = of(orders);
    Decision* decision = own.empty() ? of(OperandOrders::any).data() : own.data();
    while (size > decision->size_max) ++decision;
    if (decision->is_undecided) settle(*decision, size, orders);
    return *decision;
  }
  /// Where calls are counted that have a plan but ran natively for that reason.
  Use& native_because(const std::string& reason);

  /// Calls visit(decision) for all there are.
  template <typename Visit>
  void for_each(Visit&& visit) const {
    for (const auto& list : decisions_)
      for (const Decision& decision : list) visit(decision);
    for (const Decision& exception : exceptions_) visit(exception);
  }

 private:
  std::vector<Decision>& of(OperandOrders orders) { return decisions_[static_cast<std::size_t>(orders)]; }
  void decide_by_table(Called called, const Table& table, const Setting& setting);
  void keep_from_blocking(Decision& decision) const;
  void leave_floats();
  void fix_order(Collective collective, const Setting& setting);
  void settle(Decision& decision, std::size_t size, OperandOrders orders);
  void put_in_order(Decision& decision, const Setting& setting);

  Mode mode_ = Mode::blocking;
  bool goes_by_size_ = false;
  // The built-in rules; the decisions' plans live there.
  std::vector<Rule> builtin_, builtin_ordered_;
  // What decides for a table that has no rules for such communicators, the plans that it chose, and
  // what they serve.
  std::optional<Interpolation> interpolation_;
  std::deque<Plan> chosen_;
  Setting setting_;
  std::shared_ptr<const Plan> in_fixed_order_;  // where the rules name no plan that keeps the order
  std::array<std::vector<Decision>, operand_orders> decisions_;  // by orders; empty: as for any
  std::vector<Decision> exceptions_;
};

}  // namespace tutti::run
