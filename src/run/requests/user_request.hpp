#pragma once

#include <mpi.h>

#include <memory>

namespace tutti::run {

/// A request that the user gets for a call that a plan carries out: one of the MPI library's, so
/// that its functions take it beside others.
class UserRequest {
 public:
  UserRequest() = default;
  UserRequest(const UserRequest&) = delete;
  UserRequest& operator=(const UserRequest&) = delete;
  virtual ~UserRequest() = default;

  MPI_Request handle() const { return handle_; }
  /// The call begins. Returns MPI's error code.
  virtual int start() = 0;
  /// The call has ended so: whoever waits for the request goes on.
  virtual void complete(int error) = 0;

 protected:
  MPI_Request handle_ = MPI_REQUEST_NULL;
};

/// A request for a single call: a generalized request, made when it starts.
std::unique_ptr<UserRequest> make_generalized_request();

/// A request that is started any number of times, inactive between: a persistent receive of an
/// empty message, which this process sends itself when the call is complete. Null if the MPI
/// library makes none.
std::unique_ptr<UserRequest> make_restartable_request();

}  // namespace tutti::run
