#pragma once

#include <string>

namespace tutti::run {

/// What the MPI library that runs says of itself (MPI_Get_library_version), which stays the same.
const std::string& library_text();

/// Whether that is Open MPI, by whichever handles.
bool is_open_mpi();

}  // namespace tutti::run
