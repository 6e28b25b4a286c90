#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "choose/online/bandit.hpp"
#include "run/calls/call_size.hpp"
#include "run/calls/routing.hpp"
#include "run/online/agreement.hpp"
#include "run/online/chosen_texts.hpp"
#include "run/online/hears_waiting.hpp"
#include "run/online/learning.hpp"
#include "run/online/lost_plans.hpp"
#include "run/online/native_timer.hpp"
#include "run/online/start_agreement.hpp"

namespace tutti::run {

class Communicator;

/// What is to be told of a class tuner at the end.
struct ClassTunerReport {
  CallClass calls;
  std::string plan;  ///< that serves calls now
  bool settled, unstable;
  double experiments;  ///< calls
  std::string gain;    ///< its time over native's, with bounds
  double cost_s;
};

/// Tunes a class of calls on one communicator, or those of one persistent request: which decision
/// serves each of them.
class ClassTuner final : public HearsWaiting {
 public:
  ClassTuner(Learning& learning, Communicator& communicator, const Rules& rules, StartAgreement& start,
             const CallClass& calls, Decision& untuned);
  ClassTuner(const ClassTuner&) = delete;
  ClassTuner& operator=(const ClassTuner&) = delete;
  ~ClassTuner();

  /// Agrees on what to try in the starts of a persistent request that all ranks are making. False
  /// on all ranks where nothing is; `gives_up` says then whether it is for the plan has lost in
  /// earlier ones. Collective.
  /// @{
  bool open_for_request(ChosenTexts& chosen, LostPlans& lost);
  bool gives_up() const { return gives_up_; }
  /// @}
  /// Whether ranks have to tell each other the times of `told_times`, as they combine, beside the
  /// call of a persistent request that was asked for last and before the next one.
  bool tells() const { return tells_; }
  std::span<SharedTime> told_times() { return told_times_; }
  /// They have, for which the program waited so long beyond that call, in seconds.
  void heard(double seconds);

  /// Whether it is known what serves the next call: of those that return at once not where ranks
  /// are still agreeing on it. Looks at numbers only.
  bool knows_next() const { return left_ > 0 || has_answer(); }
  /// The decision that serves the next call. Collective now and then, but for calls that return at
  /// once, and none of these before it is known.
  Decision& next() {
    if (--left_ < 0) turn_over();
    return *serving_;
  }
  /// Whether the call that was asked for last is to be timed.
  bool is_measured() const { return measured_; }
  void took(double seconds) { in_call_ += std::max(0.0, seconds); }  // clocks may be set back
  /// The batch of the last call that returned at once, and what the program has waited for one of
  /// a batch, which may be over.
  /// @{
  std::size_t batch() const { return known_times_ + (times_.empty() ? first_batch : times_.size()); }
  void waited(std::size_t batch, double seconds, double share) override;
  /// @}

  const CallClass& calls() const { return calls_; }
  /// What would serve the calls if nothing were learnt.
  const Decision& untuned() const { return *untuned_; }
  /// What is to be told at the end; nothing where no plan was tried.
  std::optional<ClassTunerReport> report() const;
  template <typename Visit>
  void for_each(Visit&& visit) const {
    for (const auto& decision : arms_) visit(*decision);
    for (const auto& decision : natives_) visit(*decision);
  }

 private:
  static constexpr std::size_t first_batch = 3;  // entries of an agreement before it are of no batch

  void turn_over();
  bool is_due();
  void open(bool hears);
  void open_with(OnlineCandidates agreed);
  OnlineCandidates with_untuned(OnlineCandidates agreed) const;
  OnlineCandidates hear_candidates();
  std::optional<OnlineCandidates> candidates_of(const std::string& text);
  bool may_outgrow_counts() const;
  std::string text_of_candidates();
  std::string chosen_text();
  void give_up();
  bool hear_others();
  void conclude(std::span<const SharedTime> told);
  std::int64_t alone(const SharedTime& time) const;
  void begin_batch(double now);
  void finish_batch(double now);
  void tell_others();
  void tell_writer();
  std::string gain_text(std::size_t arm) const;
  void settle_natively();
  void say_what_changed();
  // Where operands have a fixed order native has none, and the untuned plan takes its place.
  bool has_native() const { return calls_.operands != OperandOrders::in_fixed_order; }
  bool is_guard() const { return has_native() && untuned_->plan; }
  Setting setting() const;
  std::string name() const;  // of the class

  // What goes on in a class of calls that return at once, until something changes before one.
  enum class Stage : unsigned char {
    beginning,     // nothing yet
    hears_plans,   // rank 0 tells what to try, if it has something
    times_calls,   // calls are timed
    ends_calls,    // the program waits for those
    hears_start,   // ranks tell what calls took, and rank 0 what is enough
    passes,        // calls pass, before others are timed
    batches,       // batches follow one another
    ends_batches,  // the program waits for calls of theirs
    hears_times    // ranks tell what batches took
  };
  bool has_answer() const;
  void turn_over_alone();
  void enter(Stage stage, int calls);
  void begin_alone();
  void await_others();
  void open_alone(OnlineCandidates agreed);
  void ask_for_plans();
  void hear_plans();
  void ask_when_to_start();
  void hear_when_to_start();
  void next_batch_alone();
  void ask_for_times();
  void hear_times();
  void postpone(Stage stage);
  void turn_over_of_request();
  bool starts_in_one_order() const;
  void tell_with_call();

  Learning& learning_;
  Communicator& communicator_;
  const Rules& rules_;
  StartAgreement& start_;
  CallClass calls_;
  Decision* untuned_;
  Decision* serving_;
  int left_;
  bool measured_ = false;
  bool times_delay_ = false;  // the last measured call was of start_delay_
  bool closed_ = false;       // nothing to try
  // What the calls of a persistent request need: what rank 0 has told of others of their class,
  // plans that have lost in these, whether its own has, and what goes beside them, of one length,
  // and whether something does that was not heard yet.
  ChosenTexts* chosen_ = nullptr;
  LostPlans* lost_ = nullptr;
  bool gives_up_ = false;
  std::vector<SharedTime> told_times_;
  bool tells_ = false;
  // What calls that return at once need: what goes on, how many pass before their communicator is
  // ready, whether it is agreed that plans are tried, and how often in a row something had to wait.
  Stage stage_ = Stage::beginning;
  int unprepared_calls_ = 0;
  double waited_s_ = 0, waited_alone_s_ = 0;  // where several are waited for each has its part of that
  bool due_ = false;
  int postponed_ = 0;
  std::string told_;
  OwnCollective telling_;
  std::optional<ClassStartDelay> start_delay_;  // where plans are not tried at once

  std::vector<Plan> plans_;
  std::vector<std::unique_ptr<Decision>> arms_;     // plans_ as decisions
  std::vector<std::unique_ptr<Decision>> natives_;  // native where it is no experiment, by reasons
  Decision* settled_native_ = nullptr;              // one of them
  std::optional<Bandit> bandit_;
  std::size_t batch_ = 0;
  double in_call_ = 0, began_at_ = 0;
  std::vector<SharedTime> times_;  // that the others do not know yet
  std::size_t known_times_ = 0;    // entries that they know
  Agreement<SharedTime> agreement_;
  double choosing_s_ = 0;      // what choosing plans to try took, where this rank has
  double agreeing_s_ = 0;      // the last time; the rank that came last did not wait, and tells what it cost
  Allowance allowance_{0, 0};  // as it was agreed last
  double told_at_ = 0;         // when the writer was told last
  std::size_t said_incumbent_ = 0;
  bool said_settled_ = false;
};

/// The class tuners of one communicator.
class Learner {
 public:
  /// `at_once`: calls that return at once may be learnt of, too, as far as ranks and libraries go.
  Learner(Learning& learning, Communicator& communicator, const Rules& rules, bool at_once)
      : learning_(learning),
        communicator_(communicator),
        rules_(rules),
        start_(learning, communicator, rules),
        at_once_(at_once) {}

  /// Whether plans are tried in calls that return at once, or are started again and again; and
  /// whether native is, beside a table's plans for them.
  /// @{
  bool learns_at_once() const { return rules_.learn && at_once_; }
  bool guards_at_once() const { return rules_.guard && at_once_; }
  /// @}
  /// All ranks are here, in a call that may block: takes a context, if there is none yet. False on
  /// all ranks where there is none. Collective.
  bool meet() { return start_.meet(); }
  /// All ranks are here, in a call that may block: looks at the network, if calls that return at
  /// once wait for that. Collective.
  void prepare() { start_.probe_if_awaited(); }
  void await_probe() { start_.await_probe(); }

  /// Whether anything is learnt of calls that such a decision serves if nothing is.
  bool concerns(Collective collective, OperandOrders operands, const Decision& untuned) {
    const bool guarded = untuned.plan && operands != OperandOrders::in_fixed_order && rules_.guard;
    const bool left_alone =
        operands == OperandOrders::in_fixed_order && rules_.float_sums != FloatSums::reproducible;
    const bool combines = !traits(collective).reduces || communicator_.combines;
    return !untuned.forced && !left_alone && combines && (rules_.learn || guarded) &&
           have_one_class(collective);
  }
  /// The class tuner of the next call, of such a size, which this decision serves if nothing is
  /// learnt; null where ranks can't tell yet what size it has, or it has no data.
  ClassTuner* tuner(Called called, std::optional<SizeClass> known, OperandOrders operands,
                    Decision& untuned) {
    const SizeClass size = known.value_or(SizeClass{});
    if (has_own_sizes(called.collective) && size == SizeClass{}) return nullptr;
    auto& all = tuners_[called];
    if (all)
      for (const auto& tuner : (*all)[slot_of(size, operands)])
        if (&tuner->untuned() == &untuned) return tuner.get();
    return &make(called, size, operands, untuned);
  }

  /// A class tuner of such a request, of calls that this decision serves if nothing is learnt.
  /// Ranks start different requests in different orders, so that what they agree on belongs to one.
  /// Null on all ranks where nothing is tried in it, with why native serves it if its plan was
  /// given up. Collective.
  struct OfRequest {
    ClassTuner* tuner = nullptr;
    const std::string* native_because = nullptr;
  };
  OfRequest tuner_of_request(Collective collective, SizeClass size, OperandOrders operands,
                             Decision& untuned);
  /// The class tuner of a request that is gone, or is not made after all.
  std::unique_ptr<ClassTuner> take(const ClassTuner& of_request);
  /// What times the starts of such a request of the MPI library's, so that a later one is learnt of
  /// if it is worth that; null on ranks that need not.
  std::unique_ptr<NativeTimer> native_timer(Collective collective, SizeClass size,
                                            OperandOrders operands) const;

  template <typename Visit>
  void for_each(Visit&& visit) const {
    for (const auto& all : tuners_)
      if (all)
        for (const auto& slot : *all)
          for (const auto& tuner : slot) visit(*tuner);
    for (const auto& tuner : of_requests_) visit(*tuner);
  }

 private:
  static std::size_t slot_of(SizeClass size, OperandOrders operands) {
    return static_cast<std::size_t>(operands) * SizeClass::count + static_cast<std::size_t>(size.number);
  }
  // Whether a call is of one class on all ranks.
  bool have_one_class(Collective collective) {
    return !traits(collective).on_neighbors || is_irregular(collective) || neighbors_know_sizes();
  }
  bool neighbors_know_sizes();
  CallClass class_of(Called called, SizeClass size, OperandOrders operands) const;
  ClassTuner& make(Called called, SizeClass size, OperandOrders operands, Decision& untuned);

  using Tuners = std::array<std::vector<std::unique_ptr<ClassTuner>>, operand_orders * SizeClass::count>;
  Learning& learning_;
  Communicator& communicator_;
  const Rules& rules_;
  StartAgreement start_;
  bool at_once_;
  std::optional<bool> neighbors_know_sizes_;  // once it was asked for
  ByCalled<std::unique_ptr<Tuners>> tuners_;
  std::vector<std::unique_ptr<ClassTuner>> of_requests_;
  ChosenTexts chosen_;  // for these, on rank 0
  LostPlans lost_;      // in these
};

}  // namespace tutti::run
