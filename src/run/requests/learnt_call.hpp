#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "run/calls/call_size.hpp"
#include "run/calls/kept_arrays.hpp"
#include "run/online/learner.hpp"
#include "run/requests/joint_request.hpp"
#include "run/requests/pending.hpp"
#include "run/requests/persistent_call.hpp"

namespace tutti::run {

/// A persistent request of the MPI library's that is ours, freed with the object unless it has
/// failed.
class NativeRequest {
 public:
  explicit NativeRequest(MPI_Request request) : request_(request) {}
  NativeRequest(const NativeRequest&) = delete;
  NativeRequest& operator=(const NativeRequest&) = delete;
  ~NativeRequest() {
    if (!has_failed_) PMPI_Request_free(&request_);
  }

  int start() { return noted(PMPI_Start(&request_)); }
  /// Returns MPI's error code.
  int test(int* done) { return noted(PMPI_Test(&request_, done, MPI_STATUS_IGNORE)); }

 private:
  int noted(int error) {
    has_failed_ |= error != MPI_SUCCESS;
    return error;
  }

  MPI_Request request_;
  bool has_failed_ = false;
};

/// A persistent collective that is learnt of: at each start its class tuner says which plan carries
/// it out, or whether the MPI library does, and what ranks tell each other of times goes beside it,
/// by messages of ours with the same tags, behind those of the call. A start waits for nobody.
class LearntCall final : public PersistentCall {
 public:
  /// What the call is made of, which outlives it.
  struct Parts {
    Communicator& communicator;
    ClassTuner& tuner;
    Use& natively;  ///< where starts are counted that the tuner's plan can't serve
    void (*release)(const Communicator&, const ClassTuner&);  ///< takes the tuner back
  };
  LearntCall(const Parts& parts, const Call& call, const CallFacts& facts, TagsOfRequest tags,
             std::unique_ptr<UserRequest> own, MPI_Request native);
  ~LearntCall() override;

  MPI_Request request() const override { return request_->handle(); }
  Communicator& communicator() const override { return p_.communicator; }
  int start() override;
  void finish() override;

 private:
  int start_parts(Decision& decision);
  int start_by_plan(Decision& decision);
  int start_natively(Use& use);
  bool is_refused(const Decision& decision) const;
  std::shared_ptr<const KnownNetwork> network_of(const Decision& decision) const;

  Parts p_;
  Call call_;
  KeptArrays arrays_;
  CallFacts facts_;
  TagsOfRequest tags_;
  std::shared_ptr<JointRequest> request_;
  std::shared_ptr<NativeRequest> native_;
  // The networks that all ranks had for the tuner's plans when the request was made.
  std::vector<std::pair<const Decision*, std::shared_ptr<const KnownNetwork>>> networks_;
  const Decision* by_ = nullptr;      // that was asked for last
  bool is_refused_ = false;           // its plan
  std::shared_ptr<Pending> pending_;  // the call by that
  std::shared_ptr<Pending> telling_;
};

}  // namespace tutti::run
