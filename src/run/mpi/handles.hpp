#pragma once

#include <mpi.h>

#include <utility>

#include "run/mpi/native.hpp"

namespace tutti::run {

/// A communicator of our own, freed with the object.
class OwnComm {
 public:
  OwnComm() = default;
  explicit OwnComm(MPI_Comm comm) : comm_(comm) {}
  OwnComm(OwnComm&& other) noexcept : comm_(std::exchange(other.comm_, MPI_COMM_NULL)) {}
  OwnComm& operator=(OwnComm&& other) noexcept {
    std::swap(comm_, other.comm_);
    return *this;
  }
  ~OwnComm() { reset(); }

  MPI_Comm get() const { return comm_; }
  explicit operator bool() const { return comm_ != MPI_COMM_NULL; }
  void reset() {
    if (comm_ != MPI_COMM_NULL) PMPI_Comm_free(&comm_);
  }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

/// A datatype of our own, freed with the object.
class OwnType {
 public:
  OwnType() = default;
  explicit OwnType(MPI_Datatype type) : type_(type) {}
  OwnType(OwnType&& other) noexcept : type_(std::exchange(other.type_, MPI_DATATYPE_NULL)) {}
  OwnType& operator=(OwnType&& other) noexcept {
    std::swap(type_, other.type_);
    return *this;
  }
  ~OwnType() {
    if (type_ != MPI_DATATYPE_NULL) PMPI_Type_free(&type_);
  }
  MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

}  // namespace tutti::run
