// Class tuners of calls that return at once. In these ranks wait for nobody, and what they have to
// agree on they tell each other by collectives of ours, which begin before a call of one number on
// all ranks, go on while the program does, and are heard before a call of another number. A rank
// that comes there before it has heard begins that call later (run/process/held_back.hpp).

#include "run/calls/communicator.hpp"
#include "run/online/constants.hpp"
#include "run/online/learner.hpp"
#include "run/online/measured_requests.hpp"

namespace tutti::run {

// Whether what was asked is heard, if anything was.
bool ClassTuner::has_answer() const {
  return telling_.is_complete() && agreement_.is_complete();
}

void ClassTuner::waited(std::size_t batch, double seconds, double share) {
  waited_s_ += seconds;
  waited_alone_s_ += share * seconds;
  if (batch == this->batch()) return took(seconds);
  if (batch < known_times_ + first_batch || batch - known_times_ >= times_.size()) return;
  SharedTime& time = times_[batch - known_times_];
  time.in_call += to_nanoseconds(std::max(0.0, seconds));
  time.latest = time.earliest = time.in_call;
}

void ClassTuner::turn_over_alone() {
  switch (stage_) {
    case Stage::beginning:
      return begin_alone();
    case Stage::hears_plans:
      return hear_plans();
    case Stage::times_calls:
      return enter(Stage::ends_calls, online::calls_of_an_agreement);
    case Stage::ends_calls:
      return ask_when_to_start();
    case Stage::hears_start:
      return hear_when_to_start();
    case Stage::passes:
      in_call_ = 0;
      return enter(Stage::times_calls, tutti::online::timed_first);
    case Stage::batches:
      return next_batch_alone();
    case Stage::ends_batches:
      return ask_for_times();
    case Stage::hears_times:
      return hear_times();
  }
}

// Something goes on for some calls, the one at hand among them. A presumed plan of which nothing
// was seen yet serves none of them: its first call is to be judged at once.
void ClassTuner::enter(Stage stage, int calls) {
  stage_ = stage;
  left_ = calls - 1;
  measured_ = stage == Stage::times_calls;
  if (bandit_ && bandit_->is_first_of_presumed())
    serving_ = untuned_;
  else if (bandit_)
    bandit_->serve(calls);
  else if (start_delay_)
    start_delay_->passed(calls);
}

void ClassTuner::begin_alone() {
  if (communicator_.has_met()) return rules_.learn ? ask_for_plans() : open_alone({});
  await_others();
  enter(Stage::beginning, online::calls_unprepared);
}

// What is missing on a communicator is made where all ranks meet in a call that blocks. Where none
// comes the next program knows of such calls, and is ready for them from its beginning on.
void ClassTuner::await_others() {
  communicator_.await_preparation();
  unprepared_calls_ += online::calls_unprepared;
}

void ClassTuner::open_alone(OnlineCandidates agreed) {
  postponed_ = 0;
  MeasuredRequests::instance().forget(*this);
  open_with(with_untuned(std::move(agreed)));
  if (closed_) return;
  stage_ = Stage::batches;
  begin_batch(PMPI_Wtime());
}

// Rank 0 says nothing where it does not know yet whether plans are worth trying, or lacks the
// network.
void ClassTuner::ask_for_plans() {
  const bool tells = communicator_.rank() == 0 && !start_.lacks_network() &&
                     (!start_delay_ || due_ || start_.enough(calls_, start_delay_->taken()) == 0 ||
                      start_.untried_calls_pay(calls_));
  told_ = tells ? text_of_candidates() : "";
  told_.resize(online::told_bytes, ' ');
  telling_.begin([&](MPI_Request* request) {
    return PMPI_Ibcast(told_.data(), online::told_bytes, MPI_CHAR, 0, communicator_.user(), request);
  });
  telling_.drive(communicator_.user());
  enter(Stage::hears_plans, online::calls_of_an_agreement);
}

void ClassTuner::hear_plans() {
  if (telling_.finish() != MPI_SUCCESS) return give_up();
  if (told_.front() == ' ') {
    if (start_delay_ && !due_) {
      in_call_ = 0;
      return enter(Stage::times_calls, tutti::online::timed_first);
    }
    start_.await_probe();
    await_others();
    return is_guard() ? open_alone({}) : postpone(Stage::beginning);
  }
  auto candidates = candidates_of(told_);
  if (!candidates) return give_up();
  const double paid_s = candidates->paid_s;
  open_alone(std::move(*candidates));
  if (bandit_) learning_.budget.earn(paid_s);
}

void ClassTuner::ask_when_to_start() {
  const double enough = communicator_.rank() == 0 ? start_.enough(calls_, start_delay_->taken()) : 0;
  const std::int64_t took = to_nanoseconds(in_call_);
  agreement_.begin({{to_nanoseconds(enough), MeasuredRequests::instance().has(*this), took, took}},
                   communicator_.user());
  agreement_.drive(communicator_.user());
  enter(Stage::hears_start, online::calls_of_an_agreement);
}

void ClassTuner::hear_when_to_start() {
  const auto told = agreement_.finish();
  if (told.empty()) return give_up();
  const auto [enough, waiting, longest, shortest] = told.front();
  if (waiting > 0) return postpone(Stage::ends_calls);
  postponed_ = 0;
  const int calls = start_delay_->hear(tutti::online::timed_first, to_seconds(longest), to_seconds(shortest),
                                       to_seconds(enough));
  due_ = calls == 0;
  if (due_) return ask_for_plans();
  enter(Stage::passes, calls);
}

void ClassTuner::next_batch_alone() {
  const double now = PMPI_Wtime();
  finish_batch(now);
  if (++batch_ < bandit_->batches().size()) return begin_batch(now);
  if (!times_.empty()) return enter(Stage::ends_batches, online::calls_of_an_agreement);
  conclude({});
  begin_batch(now);
}

void ClassTuner::ask_for_times() {
  tell_others();
  agreement_.drive(communicator_.user());
  enter(Stage::hears_times, online::calls_of_an_agreement);
}

void ClassTuner::hear_times() {
  const auto told = agreement_.finish();
  if (told.empty()) return give_up();
  if (told.front().period > 0) return postpone(Stage::ends_batches);
  postponed_ = 0;
  conclude(told);
  stage_ = Stage::batches;
  begin_batch(PMPI_Wtime());
}

// Twice as many calls pass each time, and after some times nothing is learnt of such calls.
void ClassTuner::postpone(Stage stage) {
  if (++postponed_ > online::most_postponed) return give_up();
  enter(stage, online::calls_of_an_agreement << postponed_);
}

}  // namespace tutti::run
