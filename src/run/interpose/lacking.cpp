#include "run/interpose/lacking.hpp"

#include <mpi.h>

#include <cstdio>

#include "run/interpose/abi.hpp"

namespace tutti::interpose {

int lacking(std::string_view name) {
  std::fprintf(stderr, "tutti: the program calls %.*s, which its MPI library does not have\n",
               static_cast<int>(name.size()), name.data());
  int running = 0;
  if (is_ours()) PMPI_Initialized(&running);
  if (running) PMPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_UNSUPPORTED_OPERATION);
  return MPI_ERR_UNSUPPORTED_OPERATION;
}

}  // namespace tutti::interpose
