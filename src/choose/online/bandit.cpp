#include "choose/online/bandit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "choose/evidence/contrast.hpp"
#include "choose/online/constants.hpp"

namespace tutti::inline choose {
namespace {

// Number of calls in a batch, by the calls that arms made. A plan can set ranks, connections and
// buffers in a state that lasts some calls, and shows what it gains only when it serves many in a
// row: what can't be told apart by short batches has to be by long ones.
int batch_length(double known) {
  return known < 4                        ? 1
         : known < online::first_look     ? 4
         : known < 4 * online::first_look ? online::long_batch
                                          : 2 * online::long_batch;
}

}  // namespace

Bandit::Bandit(const LearningRules& rules, std::size_t arms, std::size_t presumed, std::uint64_t seed,
               std::span<const Comparison> known, double earlier_calls, std::span<const double> prices)
    : rules_(rules),
      race_(rules, arms),
      budget_(rules, presumed),
      presumed_(presumed),
      incumbent_(presumed),
      prices_(prices.begin(), prices.end()),
      served_(earlier_calls),
      turns_(seed) {
  prices_.resize(arms);
  for (const Comparison& comparison : known) race_.assume(comparison);
  double least = 0;
  for (std::size_t a = 1; a < arms && presumed == native_arm; ++a)
    if (const double mean = race_.contrast_of(a, native_arm).mean;
        mean < least && race_.surely_less(a, native_arm, rules.elimination)) {
      incumbent_ = a;
      least = mean;
    }
  if (arms == 1) {
    batches_ = {{native_arm, online::endless, false}};
    state_ = State::settled;
  } else if (forecast().is_promised(presumed_)) {
    batches_ = {{presumed_, 1}};
    experiment_size_ = 1;
  } else {
    // The first call connects.
    carry_out({State::opening, {{incumbent_, 1, false}, {incumbent_, 1}, {incumbent_, 1}, {incumbent_, 1}}},
              0);
  }
}

// Lists an experiment's batches, behind `calls_before` calls of the incumbent and before some more.
void Bandit::carry_out(const Experiment& experiment, double calls_before) {
  batches_.clear();
  if (calls_before > 0) batches_.push_back({incumbent_, static_cast<int>(calls_before)});
  experiment_at_ = batches_.size();
  experiment_size_ = experiment.batches.size();
  batches_.insert(batches_.end(), experiment.batches.begin(), experiment.batches.end());
  const double overlapped = incumbent_call_.in_call > 0
                                ? std::clamp(online::overlapped_s / incumbent_call_.in_call,
                                             online::fewest_overlapped, online::most_overlapped)
                                : online::fewest_overlapped;
  batches_.push_back({incumbent_, static_cast<int>(overlapped), false});
  a_cycle_ = experiment.a_cycle;
  state_ = experiment.kind;
  budget_.reserve(experiment.price.worst);
}

// An agreement disturbs what goes on beside it, more than the waiting tells.
void Bandit::charge_agreement(double seconds) {
  seconds = std::max(seconds, online::disturbing * incumbent_call_.latest);
  budget_.charge(seconds);
  agreement_s_ = agreement_s_ > 0 ? (agreement_s_ + seconds) / 2 : seconds;
}

void Bandit::conclude(std::span<const BatchTime> times, const Allowance& allowance) {
  budget_.set_allowance(allowance);
  budget_.reserve(0);
  account(times);
  times = times.subspan(std::min(experiment_at_, times.size()));  // of the experiment
  switch (state_) {
    case State::opening:
      open(times);
      return next();
    case State::waiting:
      return next();
    case State::introducing:
      meet(times);
      return next();
    case State::comparing:
      compare(times);
      return next();
    case State::settled:
      return check();
    case State::checking:
      return judge_check(times);
  }
}

void Bandit::serve(int calls) {
  race_.count(incumbent_, calls);
  served_ += calls;
  budget_.spend(calls * incumbent_call_.latest);
}

// Adds the time of what has run, and finds what a call of the incumbent takes now.
void Bandit::account(std::span<const BatchTime> times) {
  BatchTime sum{0, 0, 0};
  double calls = 0;
  auto time = times.begin();
  for (const Batch& batch : batches_) {
    race_.count(batch.arm, batch.calls);
    served_ += batch.calls;
    const BatchTime took = batch.measured ? *time++ : incumbent_call_;
    budget_.spend(batch.calls * took.latest);
    if (batch.arm != incumbent_ || !batch.measured) continue;
    sum.in_call += batch.calls * took.in_call;
    sum.latest += batch.calls * took.latest;
    sum.period += batch.calls * took.period;
    calls += batch.calls;
  }
  if (calls > 0) incumbent_call_ = {sum.in_call / calls, sum.latest / calls, sum.period / calls};
}

// Nobody knows what the calls before took: no less than the shortest that was measured.
void Bandit::open(std::span<const BatchTime> times) {
  race_.open(experiment().last(times.size()), times);
  // Ranks that came late are not the plan's fault.
  const BatchTime& first = times.front();
  const double took = first.alone > 0 ? std::min(first.in_call, first.alone) : first.in_call;
  if (const double more = took - prices_[native_arm]; more > 0 && forecast().is_promised(presumed_)) {
    budget_.charge(more);
    prices_[presumed_] = 0;
    presumed_ = incumbent_ = native_arm;
  }
  const auto least = std::min_element(
      times.begin(), times.end(), [](const BatchTime& a, const BatchTime& b) { return a.latest < b.latest; });
  budget_.spend((served_ - static_cast<double>(times.size())) * least->latest);
  const auto by_alone = [](const BatchTime& a, const BatchTime& b) { return a.alone < b.alone; };
  if (incumbent_ == native_arm)
    prices_[native_arm] = std::min_element(times.begin(), times.end(), by_alone)->alone;
}

// Takes in first calls, each behind one of the incumbent. What some took longer than it is offset
// by what others took less: calls take longer or shorter for many reasons.
void Bandit::meet(std::span<const BatchTime> times) {
  double more = 0;
  for (std::size_t i = 0; i < times.size(); i += 2, ++experiments_)
    more += race_.introduce(experiment().subspan(i, 2), times.subspan(i, 2), incumbent_call_.in_call);
  budget_.charge(std::max(0.0, more));
}

// Where some ranks leave a call early, and begin the next, a plan's call ends in that of the plan
// that follows: behind another's its first call is not measured.
std::vector<Batch> Bandit::turns(const std::vector<std::size_t>& arms, int count, int calls) {
  return turns_.cycles(arms, count, calls, rules_.run_ahead ? online::cycles_in_a_row : 1);
}

// The race counts what calls cost that are measured.
void Bandit::charge_unmeasured() {
  for (const Batch& batch : experiment())
    if (!batch.measured) budget_.charge(batch.calls * forecast().excess(batch.arm));
}

Bandit::Cycles Bandit::in_cycles(std::span<const BatchTime> times) const {
  std::vector<std::pair<Batch, BatchTime>> measured;
  auto time = times.begin();
  for (const Batch& batch : experiment())
    if (batch.measured) measured.emplace_back(batch, *time++);
  std::ranges::stable_sort(measured, {}, [](const auto& one) { return one.first.cycle; });
  Cycles cycles;
  for (const auto& [batch, took] : measured) {
    cycles.batches.push_back(batch);
    cycles.times.push_back(took);
  }
  return cycles;
}

void Bandit::compare(std::span<const BatchTime> times) {
  const Cycles cycles = in_cycles(times);
  race_.compare(cycles.batches, cycles.times, a_cycle_);
  compared_ += static_cast<int>(cycles.batches.size() / a_cycle_);
  charge_unmeasured();
  for (const Batch& batch : experiment()) experiments_ += batch.calls;
  race_.eliminate(incumbent_, cycles.batches.front().calls < online::long_batch ? online::nearly_equal : 0);
  choose_incumbent();
}

// Chooses what serves calls from now on where no experiment is made: more is risked here than for
// good.
void Bandit::choose_incumbent() {
  const std::size_t leader = race_.best(incumbent_);
  if (leader != native_arm && race_.is_ahead(leader))
    incumbent_ = leader;
  else if (race_.loses(incumbent_) ||
           (incumbent_ != presumed_ && race_.contrast_of(incumbent_, native_arm).mean > 0))
    incumbent_ = native_arm;
  budget_.estimate(race_, leader, presumed_);
}

void Bandit::next() {
  const bool waiting = !race_.strangers().empty();
  if (!waiting && is_decided()) return;
  const std::size_t in_race = racing().size();
  if (in_race < 2 && !waiting) return settle_on_what_is_known();
  if (!waiting || in_race >= online::field) return wait_for(round());
  const Experiment first_calls = introduction();
  if (in_race < 2) return wait_for(first_calls);
  const Experiment cycles = round();
  wait_for(calls_until(first_calls.price) <= calls_until(cycles.price) ? first_calls : cycles);
}

// The incumbent serves calls until an experiment is paid for.
void Bandit::wait_for(const Experiment& experiment) {
  const double calls = std::ceil(calls_until(experiment.price));
  const double most = std::clamp(served_, online::shortest_wait, online::longest_wait);
  if (calls > most)
    carry_out({State::waiting, {}}, most);
  else
    carry_out(experiment, calls);
}

// First calls of as many arms as there is room for in the field, and budget, were each as slow as
// is tolerated; of one at least.
Bandit::Experiment Bandit::introduction() const {
  const auto waiting = race_.strangers();
  const std::size_t room = online::field - racing().size();
  const Excess has = left();
  const Forecast thought = forecast();
  Experiment experiment{State::introducing, {}, 2, {agreement_s_, agreement_s_}};
  for (const std::size_t a : waiting) {
    const Excess with = experiment.price + thought.of_first_call(a, presumed_);
    const std::size_t count = experiment.batches.size() / 2;
    const bool paid = with.worst <= has.worst && with.expected <= has.expected;
    if (count > 0 && (count == room || !paid)) break;
    experiment.price = with;
    experiment.batches.push_back({incumbent_, 1});
    experiment.batches.push_back({a, 1});
  }
  return experiment;
}

// The leader, native, and those that are expected to cost least, as many as race at a time. While
// others wait for their first call, or a first look, those step back that did not gain at once.
std::vector<std::size_t> Bandit::racing() const {
  auto arms = race_.active();
  const std::size_t leader = race_.best(incumbent_);
  const auto needed = [&](std::size_t a) { return a == leader || a == native_arm; };
  const auto is_looked_at = [&](std::size_t a) { return race_.arm(a).seconds.weight >= online::first_look; };
  const bool no_strangers = race_.strangers().empty();
  if (no_strangers && !race_.is_compared_with_native(leader) && !race_.arm(native_arm).active)
    arms.push_back(native_arm);
  if (!no_strangers || !std::all_of(arms.begin(), arms.end(), is_looked_at))
    std::erase_if(arms, [&](std::size_t a) {
      return !needed(a) && is_looked_at(a) && race_.contrast_of(a, native_arm).mean > -online::nearly_equal;
    });
  const Forecast thought = forecast();
  std::sort(arms.begin(), arms.end(), [&](std::size_t a, std::size_t b) {
    return std::tuple(!needed(a), thought.excess(a), a) < std::tuple(!needed(b), thought.excess(b), b);
  });
  if (arms.size() > online::field) arms.resize(online::field);
  return arms;
}

// Cycles of those arms of which a few can be paid for, and of two at least; more and longer ones
// later.
Bandit::Experiment Bandit::round() {
  const Excess has = left();
  const Forecast thought = forecast();
  std::vector<std::size_t> arms;
  Excess cycle;
  double known = std::numeric_limits<double>::infinity();
  for (const std::size_t a : racing()) {
    const Excess with = cycle + thought.of_call(a, presumed_);
    if (arms.size() >= 2 && agreement_s_ + online::fewest_cycles * with.expected > has.expected) break;
    cycle = with;
    arms.push_back(a);
    known = std::min(known, race_.arm(a).seconds.weight);
  }
  int calls = batch_length(known);
  int count = known == 0 ? online::fewest_cycles
                         : online::cycles_a_round << std::clamp(compared_ / 24, 0, online::most_doublings);
  if (incumbent_call_.in_call > 0) {
    // An agreement should not take longer than what it is about.
    const double worth = agreement_s_ / (incumbent_call_.in_call * count * static_cast<double>(arms.size()));
    calls = std::max(calls, static_cast<int>(std::min<double>(worth, online::longest_cheap_batch)));
    calls = std::clamp(static_cast<int>(std::min(online::longest_batch_s / incumbent_call_.in_call, 1e6)), 1,
                       calls);
  }
  // What is known grows by steps, for it may be wrong.
  double paid = known == 0 ? count : std::min<double>(count * calls, online::growth * known);
  if (cycle.expected > 0) paid = std::min(paid, (has.expected - agreement_s_) / cycle.expected);
  if (cycle.worst > 0) paid = std::min(paid, (has.worst - agreement_s_) / cycle.worst);
  calls = std::clamp(static_cast<int>(paid / online::fewest_cycles), 1, calls);
  count = std::clamp(static_cast<int>(paid / calls), online::fewest_cycles, count);
  auto batches = turns(arms, count, calls);
  double served = 0;
  for (const Batch& batch : batches) served += batch.calls;
  return {State::comparing, std::move(batches), arms.size(),
          served / static_cast<double>(arms.size()) * cycle + Excess{agreement_s_, agreement_s_}};
}

// Settles where nothing is left to find out, or where finding it out takes too long.
bool Bandit::is_decided() {
  if (compared_ == 0) return false;
  const std::size_t leader = race_.best(incumbent_);
  const auto arms = race_.active();
  const bool leads = std::none_of(arms.begin(), arms.end(), [&](std::size_t a) {
    return a != leader && race_.contrast_of(a, leader).interval(rules_.elimination).low < -rules_.worthwhile;
  });
  if (leads && (leader == native_arm || (race_.gains(leader) && race_.is_compared_with_native(leader))))
    return settle_where_stable(leader);
  if (compared_ < online::longest_race) return false;
  settle_on_what_is_known();
  return true;
}

// A plan is not settled on where its times, or native's, have two modes: they are measured again,
// and if they have two modes then, native stays.
bool Bandit::settle_where_stable(std::size_t arm) {
  unstable_ = arm != native_arm && (race_.has_two_modes(arm) || race_.has_two_modes(native_arm));
  if (unstable_ && !looked_again_) {
    looked_again_ = true;
    race_.forget_recent();
    race_.bring_back(native_arm);
    return false;
  }
  settle(unstable_ ? native_arm : arm);
  return true;
}

// Settles on the best arm that surely gains, else on what was presumed, if it does not surely lose.
void Bandit::settle_on_what_is_known() {
  const std::size_t leader = race_.best(incumbent_);
  looked_again_ = true;
  settle_where_stable(race_.gains(leader)       ? leader
                      : race_.gains(incumbent_) ? incumbent_
                      : race_.loses(presumed_)  ? native_arm
                                                : presumed_);
}

void Bandit::settle(std::size_t arm) {
  incumbent_ = presumed_ = arm;
  race_.bring_back(arm);
  runner_up_ = arm;
  double least = 2;
  for (std::size_t a = 0; a < race_.size(); ++a)
    if (const double behind = race_.contrast_of(a, arm).mean;
        a != arm && a != native_arm && !race_.arm(a).hopeless && race_.is_known(a) && behind < least) {
      least = behind;
      runner_up_ = a;
    }
  rest();
}

// Serves calls until the next check, so long that it costs its share at most.
void Bandit::rest() {
  const double calls_of_an_arm = rules_.run_ahead ? 2 : 1;  // one of them is not measured
  const double off =
      agreement_s_ + calls_of_an_arm * (forecast().excess(native_arm) + forecast().excess(runner_up_));
  double calls = rules_.check_every;
  if (incumbent_call_.in_call > 0)
    calls = std::max(std::min(calls, rules_.check_every_s / incumbent_call_.in_call),
                     off / (rules_.check_share * incumbent_call_.in_call));
  const bool alone = incumbent_ == native_arm && runner_up_ == native_arm;
  batches_ = {{incumbent_,
               alone ? online::endless : static_cast<int>(std::clamp<double>(calls, 1, online::endless)),
               false}};
  experiment_at_ = experiment_size_ = 0;
  state_ = State::settled;
  doubted_ = false;
}

void Bandit::check() {
  std::vector<std::size_t> arms{native_arm, incumbent_, runner_up_};
  std::sort(arms.begin(), arms.end());
  arms.erase(std::unique(arms.begin(), arms.end()), arms.end());
  carry_out({State::checking, turns(arms, doubted_ ? online::doubting_cycles : 1, 1), arms.size()}, 0);
}

// A check that finds another arm faster, by the time that the race went by, or native, by all that
// the race has seen, is made once more, longer; if it finds that again, all begins anew.
void Bandit::judge_check(std::span<const BatchTime> times) {
  const Cycles cycles = in_cycles(times);
  Race seen(rules_, race_.size());
  seen.compare(cycles.batches, cycles.times, a_cycle_);
  const double noticed = contrast_of_ratio(rules_.noticed);
  Race after = race_;
  after.compare(cycles.batches, cycles.times, a_cycle_);
  bool doubtful = after.loses(incumbent_);
  for (std::size_t a = 0; a < race_.size(); ++a)
    doubtful |= a != incumbent_ &&
                seen.contrast_of(incumbent_, a, race_.goes_by_period(incumbent_, a)).mean > noticed;
  if (doubtful && doubted_) return reopen(cycles);
  race_.fade(online::fading);
  race_.compare(cycles.batches, cycles.times, a_cycle_);
  charge_unmeasured();
  budget_.estimate(race_, incumbent_, presumed_);
  if (!doubtful) return rest();
  doubted_ = true;
  check();
}

// Forgets what was known but for what the check has seen; native serves if nothing else proves
// better.
void Bandit::reopen(const Cycles& cycles) {
  ++reopened_;
  doubted_ = looked_again_ = unstable_ = false;
  compared_ = 0;
  budget_.begin_anew();
  race_.begin_anew();
  presumed_ = native_arm;
  race_.compare(cycles.batches, cycles.times, a_cycle_);
  choose_incumbent();
  next();
}

}  // namespace tutti::inline choose
