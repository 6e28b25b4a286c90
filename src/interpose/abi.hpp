#pragma once

namespace tutti::interpose {

/// Whether the program runs on the MPI library that this copy of Tutti was built for. Handles mean different things in
/// different libraries: where the answer is no, everything has to pass through untouched. Says so once on standard
/// error. Makes no call that looks at a handle.
bool right_mpi();

}  // namespace tutti::interpose
