#include "run/online/learner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <utility>

#include "base/size.hpp"
#include "choose/evidence/contrast.hpp"
#include "run/calls/communicator.hpp"
#include "run/calls/under_way.hpp"
#include "run/mpi/ranks.hpp"
#include "run/online/constants.hpp"
#include "run/online/library_plans.hpp"
#include "run/online/measured_requests.hpp"

namespace tutti::run {
namespace {

// A seed that is the same on all ranks.
std::uint64_t seed_of(const CallClass& calls) {
  return (static_cast<std::uint64_t>(calls.mode) << 24) +
         (static_cast<std::uint64_t>(calls.collective) << 16) +
         (static_cast<std::uint64_t>(calls.operands) << 8) + static_cast<std::uint64_t>(calls.size.number);
}

}  // namespace

ClassTuner::ClassTuner(Learning& learning, Communicator& communicator, const Rules& rules,
                       StartAgreement& start, const CallClass& calls, Decision& untuned)
    : learning_(learning),
      communicator_(communicator),
      rules_(rules),
      start_(start),
      calls_(calls),
      untuned_(&untuned),
      serving_(&untuned),
      left_(0) {
  if (calls.mode == Mode::persistent)
    left_ = 0;
  else if (rules.learn && !is_guard() && rules.learning.is_bound())
    start_delay_ = start.delay_of(calls);
  else
    left_ = online::least_before;
}

std::string ClassTuner::name() const {
  const bool sized = calls_.collective != Collective::barrier;
  return fmt::format(
      "{}{} on {} ranks", calls_.called().name(),
      sized ? fmt::format(" of {} to {} bytes", calls_.size.smallest(), calls_.size.largest()) : "",
      calls_.placement.ranks);
}

Setting ClassTuner::setting() const {
  Setting setting = communicator_.setting(calls_.operands == OperandOrders::any);
  setting.fixed_order = calls_.operands == OperandOrders::in_fixed_order;
  if (traits(calls_.collective).on_neighbors) setting.topology = communicator_.topology_for(calls_.called());
  if (calls_.mode == Mode::nonblocking) setting.has_memory = communicator_.has_tried_memory_at_once();
  if (calls_.mode == Mode::persistent) setting.has_memory = false;
  return setting;
}

// Goes on to what comes next, before a call of which all ranks know that something begins or ends
// here.
void ClassTuner::turn_over() {
  if (closed_) return give_up();
  if (calls_.mode == Mode::nonblocking) return turn_over_alone();
  if (calls_.mode == Mode::persistent) return turn_over_of_request();
  if (!bandit_) {
    if (is_due()) open(rules_.learn);
    if (!bandit_) return;
  } else {
    finish_batch(PMPI_Wtime());
    if (++batch_ == bandit_->batches().size() && !hear_others()) return give_up();
  }
  begin_batch(PMPI_Wtime());
}

// Calls go on as they would without learning. What choosing took, and nobody was told, remains.
void ClassTuner::give_up() {
  learning_.budget.chose_in_vain(std::exchange(choosing_s_, 0));
  MeasuredRequests::instance().forget(*this);
  closed_ = true;
  measured_ = false;
  serving_ = untuned_;
  left_ = INT_MAX;
}

ClassTuner::~ClassTuner() {
  MeasuredRequests::instance().forget(*this);
  if (start_delay_ && communicator_.rank() == 0 && has_native()) {
    learning_.writer.take(calls_, "native", start_.slow_calls(*start_delay_), PMPI_Wtime());
    // All communicators of as many ranks spend it at once: each has its part of the world's time.
    if (!bandit_)
      learning_.writer.take_untried(calls_, start_delay_->taken(start_delay_->calls() - left_) *
                                                (waited_s_ > 0 ? waited_alone_s_ / waited_s_ : 1) *
                                                communicator_.ranks() / ranks_of_world());
  }
  if (unprepared_calls_ > online::calls_unprepared && communicator_.rank() == 0)
    learning_.writer.take(calls_.as_shared(), "native", {.calls = static_cast<double>(unprepared_calls_)},
                          PMPI_Wtime());
  if (!bandit_) {
    learning_.budget.chose_in_vain(choosing_s_);
    return;
  }
  bandit_->charge_choice(choosing_s_);
  bandit_->abandon();
  tell_writer();
  bandit_->count_in(learning_.budget);
}

// `hears`: rank 0 names candidates.
void ClassTuner::open(bool hears) {
  measured_ = false;
  if (!start_.meet()) return give_up();
  open_with(with_untuned(hears ? hear_candidates() : OnlineCandidates{}));
}

void ClassTuner::open_with(OnlineCandidates agreed) {
  if (agreed.plans.size() < 2) return give_up();
  plans_ = std::move(agreed.plans);
  for (const Plan& plan : plans_) {
    const bool native = plan.is_native();
    arms_.push_back(std::make_unique<Decision>(Decision{
        unlimited, native ? nullptr : &plan, native ? native_label("learning") : plan.text(), {}, {}}));
    Decision& arm = *arms_.back();
    arm.on_trial = !untuned_->plan || plan != *untuned_->plan;
    if (arm.on_trial) {
      arm.look_at(setting());
    } else {  // it serves where the untuned decision would, also before there is memory for it
      arm.refusals = untuned_->refusals;
      arm.native_phases = untuned_->native_phases;
    }
  }
  look_at_library(learning_, plans_);
  told_at_ = PMPI_Wtime();
  LearningRules rules = rules_.learning;
  if (calls_.placement.hosts > 1) rules.connecting_s = rules.connecting_between_hosts_s;
  rules.run_ahead = !all_wait_for_all(calls_.collective);
  const int before = start_delay_                      ? start_delay_->calls()
                     : calls_.mode == Mode::persistent ? 0
                                                       : online::least_before;
  bandit_.emplace(rules, plans_.size(), agreed.presumed, seed_of(calls_), agreed.known, before,
                  agreed.prices);
  said_incumbent_ = bandit_->incumbent();
  learning_.log.say(LogLevel::info, "{}: {} plan{} tried beside native ({})", name(), plans_.size() - 1,
                    plans_.size() == 2 ? " is" : "s are", agreed.because);
}

// What all know is tried beside native: candidates of rank 0's, where plans are learnt, and a
// table's plan.
OnlineCandidates ClassTuner::with_untuned(OnlineCandidates agreed) const {
  if (agreed.plans.empty()) agreed.add(Plan::native(calls_.collective));
  if (!untuned_->plan) return agreed;
  const std::size_t number = agreed.number_of(*untuned_->plan);
  if (is_guard()) {
    if (number == agreed.plans.size()) agreed.add(*untuned_->plan);
    agreed.prices[number] = 0;
    agreed.presumed = number;
    agreed.because = "of the table";
  } else {  // in place of native, of which all that is known is told
    if (number < agreed.plans.size()) agreed.drop(number);
    agreed.plans.front() = *untuned_->plan;
    agreed.prices.front() = 0;
    agreed.known.clear();
    agreed.presumed = 0;
  }
  return agreed;
}

// Hears rank 0's candidates; it may want the network probed first, and says nothing then.
OnlineCandidates ClassTuner::hear_candidates() {
  const bool tells = communicator_.rank() == 0;
  std::string text = !tells || start_.lacks_network() ? "" : chosen_ ? chosen_text() : text_of_candidates();
  text.resize(online::told_bytes, ' ');
  native().MPI_Bcast(text.data(), online::told_bytes, MPI_CHAR, 0, communicator_.user());
  if (tells) start_.told();
  if (text.front() != ' ') return candidates_of(text).value_or(OnlineCandidates{});
  start_.probe();
  return hear_candidates();
}

// Nothing where rank 0 has said something else.
std::optional<OnlineCandidates> ClassTuner::candidates_of(const std::string& text) {
  auto candidates = parse_candidates(calls_.collective, text);
  if (candidates) return std::move(*candidates);
  learning_.log.say(LogLevel::error,
                    "{}: rank 0 of the communicator has not said which plans to try; does it call {} at the "
                    "same time? ({})",
                    name(), traits(calls_.collective).mpi_name, candidates.error().message);
  return std::nullopt;
}

// Whether plans may be tried, before a call of which all ranks know that it may begin here.
bool ClassTuner::is_due() {
  if (!start_delay_) return true;
  if (std::exchange(times_delay_, false)) start_delay_->took(std::exchange(in_call_, 0));
  const int calls = start_.calls_to_pass(calls_, *start_delay_);
  measured_ = times_delay_ = start_delay_->times_next();
  left_ = calls - 1;
  return calls == 0;
}

// Whether calls of the class may have more bytes on a rank than an int counts, as the MPI library's
// phases do. Where ranks know their own sizes only, they have told each other of their mean blocks.
bool ClassTuner::may_outgrow_counts() const {
  const std::size_t largest = calls_.size.largest();
  if (!has_own_sizes(calls_.collective))
    return total_bytes(calls_.collective, communicator_.setting(), largest) > INT_MAX;
  return largest == 0 || largest > INT_MAX / static_cast<std::size_t>(communicator_.ranks());
}

std::string ClassTuner::text_of_candidates() {
  const double begin = PMPI_Wtime();
  OnlineCandidates candidates = learning_.writer.candidates_for(
      calls_, setting(), [&] { return library_plans(learning_, rules_.learning, communicator_, calls_); });
  choosing_s_ = PMPI_Wtime() - begin;
  learning_.budget.chose(choosing_s_);
  for (std::size_t i = candidates.plans.size(); may_outgrow_counts() && --i > 0;)
    if (candidates.plans[i].has_native_phases()) candidates.drop(i);
  if (calls_.mode == Mode::nonblocking) candidates.paid_s = start_.take_what_untried_calls_pay(calls_);
  return to_text(std::move(candidates), online::told_bytes);
}

void ClassTuner::begin_batch(double now) {
  const Batch& batch = bandit_->batches()[batch_];
  serving_ = batch.arm == 0 && settled_native_ ? settled_native_ : arms_[batch.arm].get();
  left_ = batch.calls - 1;
  measured_ = batch.measured;
  in_call_ = 0;
  began_at_ = now;
}

// Notes what a batch took. Behind the last one of a list that is measured ranks tell.
void ClassTuner::finish_batch(double now) {
  if (!measured_) return;
  if (times_.empty()) times_.resize(first_batch);
  const std::int64_t in_call = to_nanoseconds(in_call_);
  times_.push_back({in_call, to_nanoseconds(std::max(0.0, now - began_at_)), in_call, in_call});
  const auto left = std::span(bandit_->batches()).subspan(batch_ + 1);
  if (std::ranges::any_of(left, &Batch::measured)) return;
  if (calls_.mode != Mode::nonblocking) tell_others();
}

// Tells the others: of calls that return at once also whether the program waits for some yet, of
// those that block whether groups of hosts are to be looked for. The maximum of the negatives is
// the minimum; one rank has chosen.
void ClassTuner::tell_others() {
  const double begin = PMPI_Wtime();
  const Allowance left = learning_.budget.left(bandit_->budget(), begin);
  times_[0] = {to_nanoseconds(choosing_s_), MeasuredRequests::instance().has(*this),
               -to_nanoseconds(left.beside_share)};
  const bool wants_groups =
      calls_.mode == Mode::blocking && communicator_.rank() == 0 && start_.lacks_groups();
  times_[1] = {wants_groups, 0, -to_nanoseconds(left.unproven)};
  times_[2] = {0, 0, -to_nanoseconds(agreeing_s_)};
  if (calls_.mode == Mode::persistent) return tell_with_call();
  agreement_.begin(times_, communicator_.user());
  agreeing_s_ = PMPI_Wtime() - begin;
}

// What a batch took without waiting: where all wait for all the rank that comes last does not wait;
// elsewhere some leave early.
std::int64_t ClassTuner::alone(const SharedTime& time) const {
  return all_wait_for_all(calls_.collective) ? time.earliest : time.latest;
}

// Hears what the others have told. False if that failed.
bool ClassTuner::hear_others() {
  std::span<const SharedTime> told;
  if (agreement_.is_under_way()) {
    const double begin = PMPI_Wtime();
    told = agreement_.finish();
    agreeing_s_ += PMPI_Wtime() - begin;
    if (told.empty()) return false;
  }
  conclude(told);
  return true;
}

// Draws the conclusion that all draw from what they told each other, if they have.
void ClassTuner::conclude(std::span<const SharedTime> told) {
  batch_ = 0;
  std::vector<BatchTime> agreed;
  const bool wants_groups = !told.empty() && told[1].in_call != 0;
  if (!told.empty()) {
    allowance_ = {-to_seconds(told[0].latest), -to_seconds(told[1].latest)};
    bandit_->charge_choice(to_seconds(told[0].in_call));
    choosing_s_ = 0;
    bandit_->charge_agreement(-to_seconds(told[2].latest));
    const int ranks = communicator_.ranks();
    auto time = told.begin() + first_batch;
    for (const Batch& batch : bandit_->batches())
      if (batch.measured) {
        const double calls = static_cast<double>(ranks) * batch.calls;
        agreed.push_back({to_seconds(time->in_call) / calls, to_seconds(time->latest) / batch.calls,
                          to_seconds(time->period) / calls, to_seconds(alone(*time)) / batch.calls});
        ++time;
      }
    known_times_ += std::exchange(times_, {}).size();
  }
  bandit_->conclude(agreed, allowance_);
  bandit_->count_in(learning_.budget);
  const bool settled = bandit_->state() == Bandit::State::settled;
  if (settled || PMPI_Wtime() - told_at_ > online::tell_every_s) tell_writer();
  say_what_changed();
  if (wants_groups) start_.find_groups();
}

// Tells the writer news now and then: the more was seen, the better it is known by which time to
// compare. News of plans beside each other are told where they may matter, or files would grow with
// the square of what was tried in vain.
void ClassTuner::tell_writer() {
  if (communicator_.rank() != 0 || !has_native()) return;
  told_at_ = PMPI_Wtime();
  const Race& race = bandit_->race();
  for (std::size_t a = 0; a < plans_.size(); ++a) {
    Evidence news = bandit_->take_news(a);
    for (std::size_t b = 1; b < a; ++b) {
      const bool natively = arms_[a]->fell_back || arms_[b]->fell_back;
      if (!natively && !race.is_ahead(a) && !race.is_ahead(b)) continue;
      const Sample beside = bandit_->take_news(a, b);
      if (!natively) news.against_others[plans_[b].text()] = beside;
    }
    if (!arms_[a]->fell_back) learning_.writer.take(calls_, plans_[a].text(), news, told_at_);
  }
  for (const auto& arm : arms_) arm->fell_back = false;
}

// A plan that came late, or that is presumed, may not have been compared with native.
std::string ClassTuner::gain_text(std::size_t arm) const {
  if (bandit_->race().contrast_of(arm, 0).count < 1) return "not compared with native yet";
  return ratio_text(bandit_->race().ratio_to_native(arm));
}

// Serves calls natively under a name that says why.
void ClassTuner::settle_natively() {
  const Race& race = bandit_->race();
  const std::size_t guarded =
      is_guard() ? static_cast<std::size_t>(std::ranges::find(plans_, *untuned_->plan) - plans_.begin()) : 0;
  const bool lost = is_guard() && race.loses(guarded);
  const std::string reason =
      lost ? fmt::format("{} lost here: {:.2f}", plans_[guarded].text(), race.ratio_to_native(guarded).middle)
      : bandit_->is_unstable() ? "unstable"
                               : "nothing gains";
  if (lost && lost_) lost_->add(calls_, *untuned_, reason);
  const std::string label = native_label(reason);
  auto found =
      std::find_if(natives_.begin(), natives_.end(), [&](const auto& n) { return n->label == label; });
  if (found == natives_.end())
    found = natives_.insert(found, std::make_unique<Decision>(Decision{unlimited, nullptr, label, {}, {}}));
  settled_native_ = found->get();
}

void ClassTuner::say_what_changed() {
  const std::size_t incumbent = bandit_->incumbent();
  const bool settled = bandit_->state() == Bandit::State::settled;
  if (incumbent == said_incumbent_ && (!settled || said_settled_)) return;
  if (incumbent == 0 && has_native()) settle_natively();
  learning_.log.say(LogLevel::info, "{}: {}{}{} after {:.0f} calls", name(), plans_[incumbent].text(),
                    settled ? "" : " so far",
                    incumbent == 0 ? "" : ", of native's time " + gain_text(incumbent),
                    bandit_->experiments());
  const Race& race = bandit_->race();
  for (std::size_t a = 1; a < plans_.size(); ++a)
    learning_.log.say(LogLevel::debug, "  {}: {:.0f} calls, of native's time {:.3f}{}{}", plans_[a].text(),
                      race.arm(a).calls, race.ratio_to_native(a).middle,
                      race.goes_by_period(a, 0) ? ", from call to call" : "",
                      race.arm(a).hopeless ? ", hopeless" : "");
  said_incumbent_ = incumbent;
  said_settled_ = settled;
}

std::optional<ClassTunerReport> ClassTuner::report() const {
  if (!bandit_) return std::nullopt;
  const std::size_t incumbent = bandit_->incumbent();
  return ClassTunerReport{
      calls_,
      plans_[incumbent].text(),
      bandit_->state() == Bandit::State::settled || bandit_->state() == Bandit::State::checking,
      bandit_->is_unstable(),
      bandit_->experiments(),
      incumbent == 0 ? "" : gain_text(incumbent),
      bandit_->budget().cost()};
}

// Whether a call between neighbours is equally long on all ranks: between two of them it is, and
// where there is a way from each to every other.
bool Learner::neighbors_know_sizes() {
  const Topology* const topology = communicator_.topology();
  if (!neighbors_know_sizes_) neighbors_know_sizes_ = topology && topology->is_mutual_and_connected();
  return *neighbors_know_sizes_;
}

CallClass Learner::class_of(Called called, SizeClass size, OperandOrders operands) const {
  const Topology* topology = traits(called.collective).on_neighbors ? communicator_.topology() : nullptr;
  return {called.collective,
          {communicator_.ranks(), count(communicator_.hosts())},
          size,
          operands,
          topology ? topology->shape : "",
          called.mode};
}

ClassTuner& Learner::make(Called called, SizeClass size, OperandOrders operands, Decision& untuned) {
  auto& all = tuners_[called];
  if (!all) all = std::make_unique<Tuners>();
  const CallClass calls = class_of(called, size, operands);
  return *(*all)[slot_of(calls.size, operands)].emplace_back(
      std::make_unique<ClassTuner>(learning_, communicator_, rules_, start_, calls, untuned));
}

}  // namespace tutti::run
