#include "run/requests/learnt_call.hpp"

#include <algorithm>

#include "run/calls/refusal.hpp"
#include "run/calls/under_way.hpp"
#include "run/online/measured_requests.hpp"
#include "run/requests/progress.hpp"

namespace tutti::run {
namespace {

// The request of a part of a call, that of the whole for who looks which one it is.
class PartRequest final : public UserRequest {
 public:
  PartRequest(std::shared_ptr<JointRequest> whole, void (JointRequest::*done)(int))
      : whole_(std::move(whole)), done_(done) {
    handle_ = whole_->handle();
  }
  int start() override { return MPI_SUCCESS; }
  void complete(int error) override { ((*whole_).*done_)(error); }

 private:
  std::shared_ptr<JointRequest> whole_;
  void (JointRequest::*done_)(int);
};

// How ranks tell each other times: few bytes, in few steps.
Decision& telling_decision() {
  static const auto& plan = *new Plan(Plan::of(Collective::allreduce, "recursive_doubling"));
  static auto& decision =
      *new Decision{.size_max = unlimited, .plan = &plan, .label = plan.text(), .use = {}, .refusals = {}};
  return decision;  // calls may come when statics are gone
}

std::shared_ptr<Pending> make_telling(Communicator& communicator, std::span<SharedTime> times, Tags tags,
                                      const std::shared_ptr<JointRequest>& whole) {
  const auto [type, operation] = combination_of_times();
  Call call;
  call.sendbuf = MPI_IN_PLACE;
  call.recvbuf = times.data();
  call.recvcount = static_cast<std::int64_t>(times.size());
  call.recvtype = type;
  call.op = operation;
  return std::make_shared<Pending>(communicator, telling_decision(), call, true,
                                   static_cast<std::ptrdiff_t>(times.size_bytes()), tags, Mode::persistent,
                                   std::make_unique<PartRequest>(whole, &JointRequest::telling_is_done));
}

}  // namespace

LearntCall::LearntCall(const Parts& parts, const Call& call, const CallFacts& facts, TagsOfRequest tags,
                       std::unique_ptr<UserRequest> own, MPI_Request native)
    : p_(parts),
      call_(call),
      arrays_(parts.tuner.calls().collective, parts.communicator, call_),
      facts_(facts),
      tags_(std::move(tags)),
      request_(std::make_shared<JointRequest>(std::move(own))),
      native_(std::make_shared<NativeRequest>(native)),
      telling_(make_telling(parts.communicator, parts.tuner.told_times(), tags_.tags(), request_)) {
  const auto keep_network = [&](const Decision& decision) {
    if (decision.plan) networks_.emplace_back(&decision, p_.communicator.network_for(*decision.plan));
  };
  p_.tuner.for_each(keep_network);
  keep_network(p_.tuner.untuned());
}

// What is under way still needs the tuner, which then goes with its communicator; something may be
// where a call has failed.
LearntCall::~LearntCall() {
  MeasuredRequests::instance().forget(p_.tuner);
  if (request_->is_active() || request_->error() != MPI_SUCCESS) {
    tags_.spoil();
    return;
  }
  pending_.reset();
  telling_.reset();
  p_.release(p_.communicator, p_.tuner);
}

int LearntCall::start() {
  if (request_->error() != MPI_SUCCESS) return request_->error();
  MeasuredRequests::instance().forget(p_.tuner);  // the call before is complete
  if (p_.tuner.tells()) p_.tuner.heard(request_->told_beyond_s());
  p_.communicator.starts(tags_.tags());
  Decision& decision = p_.tuner.next();
  if (!p_.tuner.is_measured()) return start_parts(decision);
  const double begin = PMPI_Wtime();
  const int error = start_parts(decision);
  p_.tuner.took(PMPI_Wtime() - begin);
  if (error == MPI_SUCCESS) MeasuredRequests::instance().add_lasting(request(), p_.tuner, p_.tuner.batch());
  return error;
}

// The call begins before what is told, which has its tags: it waits for the call on this rank.
int LearntCall::start_parts(Decision& decision) {
  if (&decision != std::exchange(by_, &decision)) {
    pending_.reset();
    is_refused_ = decision.plan && is_refused(decision);
  }
  request_->begin(p_.tuner.tells());
  decision.fell_back |= is_refused_;
  int error = decision.plan && !is_refused_ ? start_by_plan(decision)
                                            : start_natively(is_refused_ ? p_.natively : decision.use);
  if (error == MPI_SUCCESS && p_.tuner.tells()) error = begin(telling_);
  return request_->end_start(error);
}

int LearntCall::start_by_plan(Decision& decision) {
  if (!pending_)
    pending_ = std::make_shared<Pending>(
        p_.communicator, decision, call_, facts_.commutative, facts_.size, tags_.tags(), Mode::persistent,
        std::make_unique<PartRequest>(request_, &JointRequest::call_is_done), network_of(decision));
  return begin(pending_);
}

int LearntCall::start_natively(Use& use) {
  ++use.calls;
  if (const int error = native_->start(); error != MPI_SUCCESS) return error;
  see_to_end([native = native_](int* done) { return native->test(done); },
             [request = request_](int error) { request->call_is_done(error); });
  return MPI_SUCCESS;
}

bool LearntCall::is_refused(const Decision& decision) const {
  return !refusal_of(p_.tuner.calls().called(), p_.communicator, decision, call_, facts_).empty();
}

std::shared_ptr<const KnownNetwork> LearntCall::network_of(const Decision& decision) const {
  const auto found = std::ranges::find(networks_, &decision, [](const auto& one) { return one.first; });
  return found == networks_.end() ? nullptr : found->second;
}

void LearntCall::finish() {
  drive_until([&](int* done) {
    *done = !request_->is_active();
    return MPI_SUCCESS;
  });
}

}  // namespace tutti::run
