#pragma once

#include "run/mpi/tags.hpp"

/// A communicator of this process alone, where nobody else's messages are. It ends with MPI.
namespace tutti::run::self_comm {

/// This communicator; MPI_COMM_NULL where MPI has none left. It returns its errors.
MPI_Comm get();

/// The tags of two kinds of messages, by their numbers: those that are under way together have
/// different ones.
/// @{
inline int tag_of_signal(unsigned number) {
  return static_cast<int>(number % (static_cast<unsigned>(highest_tag()) / 2));
}
inline int tag_of_copy(unsigned number) {
  return highest_tag() - tag_of_signal(number);
}
/// @}

}  // namespace tutti::run::self_comm
