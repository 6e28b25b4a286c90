#pragma once

#include "plan/plan.hpp"
#include "runtime/communicator.hpp"

namespace tutti::runtime {

/// The arguments of one call, as MPI defines them.
struct BcastCall {
  void* buffer;
  int count;
  MPI_Datatype type;
  Rank root;
};
struct AllgatherCall {
  const void* sendbuf;  ///< or MPI_IN_PLACE
  int sendcount;
  MPI_Datatype sendtype;
  void* recvbuf;
  int recvcount;
  MPI_Datatype recvtype;
};
struct AllreduceCall {
  const void* sendbuf;  ///< or MPI_IN_PLACE
  void* recvbuf;
  int count;
  MPI_Datatype type;
  MPI_Op op;
};

/// Carries a call out by a plan that is not native, on a communicator whose hidden one exists. Collective;
/// all ranks have to come with the same plan. Counts, types and the root have to be valid. Returns MPI's
/// error code.
int carry_out(Communicator& communicator, const Plan& plan, const BcastCall& call);
int carry_out(Communicator& communicator, const Plan& plan, const AllgatherCall& call);
int carry_out(Communicator& communicator, const Plan& plan, const AllreduceCall& call);

}  // namespace tutti::runtime
