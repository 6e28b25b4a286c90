#pragma once

#include "run/calls/communicator.hpp"

namespace tutti::run {

/// A collective that is started again and again, of which the user's request is ours.
class PersistentCall {
 public:
  PersistentCall() = default;
  PersistentCall(const PersistentCall&) = delete;
  PersistentCall& operator=(const PersistentCall&) = delete;
  virtual ~PersistentCall() = default;

  virtual MPI_Request request() const = 0;
  virtual Communicator& communicator() const = 0;
  /// MPI_Start of the request. Returns MPI's error code.
  virtual int start() = 0;
  /// Drives it until it is not active.
  virtual void finish() = 0;
};

}  // namespace tutti::run
