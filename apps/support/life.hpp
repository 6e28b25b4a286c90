#pragma once

namespace tutti::apps {

/// An MPI program's life, for what is compiled once for all MPIs.
/// @{
void begin_mpi(int& argc, char**& argv);
void end_mpi();
/// Whether this is the rank that prints.
bool speaks();
/// Whether it is true on any rank. Collective.
bool is_true_anywhere(bool here);
/// @}

}  // namespace tutti::apps
