#pragma once

#include <algorithm>
#include <memory>
#include <utility>

#include "run/requests/user_request.hpp"

namespace tutti::run {

/// The user's request of a call, beside which ranks may tell each other something: complete when
/// both are, on this rank. What is under way refers to it, whatever becomes of who started that.
class JointRequest {
 public:
  explicit JointRequest(std::unique_ptr<UserRequest> own) : own_(std::move(own)) {}

  MPI_Request handle() const { return own_->handle(); }
  bool is_active() const { return left_ > 0 && error_ == MPI_SUCCESS; }
  /// What has failed of a call so far; no other starts then.
  int error() const { return error_; }

  /// Begins with a start, and whether something is told beside it: what is complete before the
  /// start ends completes no request that is not active yet.
  void begin(bool tells) {
    left_ = 2 + tells;
    tells_ = tells;
    call_ended_ = telling_ended_ = 0;
  }
  void call_is_done(int error) {
    if (tells_) call_ended_ = PMPI_Wtime();
    part_is_done(error);
  }
  void telling_is_done(int error) {
    telling_ended_ = PMPI_Wtime();
    part_is_done(error);
  }
  /// The start ends, of which everything began, or what did not failed with an error. Returns MPI's
  /// error code.
  int end_start(int error) {
    if (error == MPI_SUCCESS) error = own_->start();
    if (error != MPI_SUCCESS)
      error_ = error;
    else
      part_is_done(MPI_SUCCESS);
    return error;
  }

  /// How long the telling lasted beyond the call, in seconds.
  double told_beyond_s() const { return std::max(0.0, telling_ended_ - call_ended_); }

 private:
  void part_is_done(int error) {
    if (error != MPI_SUCCESS) error_of_part_ = error;
    if (--left_ > 0 || error_ != MPI_SUCCESS) return;
    error_ = error_of_part_;
    own_->complete(error_);
  }

  std::unique_ptr<UserRequest> own_;
  int left_ = 0;  // parts that are not done
  int error_ = MPI_SUCCESS, error_of_part_ = MPI_SUCCESS;
  bool tells_ = false;
  double call_ended_ = 0, telling_ended_ = 0;
};

}  // namespace tutti::run
