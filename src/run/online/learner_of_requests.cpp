// Class tuners of persistent requests. Ranks start different requests in different orders, so that
// nothing may be agreed on beside several of them. But all ranks make a request together, where
// they may wait for each other, and a start of it comes when the one before is complete: what ranks
// tell each other of its times goes beside a call, and is heard before the next one.

#include <algorithm>
#include <array>

#include "run/calls/communicator.hpp"
#include "run/mpi/agreed.hpp"
#include "run/mpi/self_comm.hpp"
#include "run/online/constants.hpp"
#include "run/online/learner.hpp"

namespace tutti::run {

// A table's plan is held against native whatever its calls take: it serves them anyway. Where it
// has lost before a rank may not have heard of that yet.
bool ClassTuner::open_for_request(ChosenTexts& chosen, LostPlans& lost) {
  const double begin = PMPI_Wtime();
  const bool decides = communicator_.rank() == 0;
  const bool can = self_comm::get() != MPI_COMM_NULL;
  const bool worth = can && rules_.learn && (!decides || start_.is_worth_tuning(calls_));
  // Waiting for ranks that come late is no cost of learning: they would be waited for later.
  if (decides) learning_.budget.charge(PMPI_Wtime() - begin);
  const std::array<int, 3> mine{can, worth, lost.find(calls_, *untuned_) != nullptr};
  const auto [all_can, learns, knows_lost] = all_say_each(mine, communicator_.user());
  gives_up_ = knows_lost && !learns;
  if (!all_can || gives_up_ || !(learns || is_guard())) return false;
  chosen_ = &chosen;
  lost_ = &lost;
  open(learns != 0);
  told_times_.resize(first_batch + tutti::online::most_measured);
  return bandit_.has_value();
}

// The text that others of the class were told, as long as choosing anew is not paid for.
std::string ClassTuner::chosen_text() {
  return chosen_->find(calls_, PMPI_Wtime(), rules_.learning.run_share, [&](double& took) {
    std::string text = text_of_candidates();
    took = choosing_s_;
    return text;
  });
}

void ClassTuner::turn_over_of_request() {
  const double now = PMPI_Wtime();
  if (stage_ == Stage::beginning) {
    stage_ = Stage::batches;
    return begin_batch(now);
  }
  if (stage_ == Stage::batches) {
    finish_batch(now);
    if (++batch_ < bandit_->batches().size()) return begin_batch(now);
    if (tells_) return enter(Stage::hears_times, 1);
  }
  if (!times_.empty() && is_guard() && !starts_in_one_order()) {
    learning_.log.say(LogLevel::info, "{}: ranks start requests in different orders; {} serves alone", name(),
                      untuned_->plan->text());
    return give_up();
  }
  conclude(std::span<const SharedTime>(told_times_).first(times_.size()));
  stage_ = Stage::batches;
  begin_batch(now);
}

// Plans serve requests that each rank starts in an order of its own, as MPI wants it; MPI libraries
// may not. So native is tried beside a plan as long as all ranks have started requests of the
// communicator in one order: the least number that was told is the largest, too.
bool ClassTuner::starts_in_one_order() const {
  return told_times_[0].earliest == -told_times_[1].earliest;
}

// The list of batches has no more of them that are measured than there is room for.
void ClassTuner::tell_with_call() {
  const auto order = static_cast<std::int64_t>(communicator_.order_of_starts() >> 1);
  times_[0].earliest = order;
  times_[1].earliest = -order;
  std::ranges::fill(told_times_, SharedTime{});
  std::ranges::copy(times_, told_times_.begin());
  tells_ = true;
}

void ClassTuner::heard(double seconds) {
  tells_ = false;
  agreeing_s_ = seconds;
}

Learner::OfRequest Learner::tuner_of_request(Collective collective, SizeClass size, OperandOrders operands,
                                             Decision& untuned) {
  auto tuner =
      std::make_unique<ClassTuner>(learning_, communicator_, rules_, start_,
                                   class_of({collective, Mode::persistent}, size, operands), untuned);
  if (tuner->open_for_request(chosen_, lost_))
    return {.tuner = of_requests_.emplace_back(std::move(tuner)).get()};
  return {.native_because = tuner->gives_up() ? lost_.find(tuner->calls(), untuned) : nullptr};
}

std::unique_ptr<ClassTuner> Learner::take(const ClassTuner& of_request) {
  const auto found = std::ranges::find(of_requests_, &of_request, &std::unique_ptr<ClassTuner>::get);
  if (found == of_requests_.end()) return nullptr;
  std::unique_ptr<ClassTuner> taken = std::move(*found);
  of_requests_.erase(found);
  return taken;
}

// One rank's times say enough, and only rank 0 has the knowledge.
std::unique_ptr<NativeTimer> Learner::native_timer(Collective collective, SizeClass size,
                                                   OperandOrders operands) const {
  if (communicator_.rank() != 0) return nullptr;
  return std::make_unique<NativeTimer>(learning_, class_of({collective, Mode::persistent}, size, operands),
                                       start_.least_of_request_s());
}

}  // namespace tutti::run
