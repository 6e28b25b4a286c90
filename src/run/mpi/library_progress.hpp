#pragma once

namespace tutti::run {

/// Lets the MPI library call `drive` again and again wherever it waits, in any thread, from now on;
/// it returns how much has happened, or 0, and the library may then let the processor go. False
/// where the library has no occasion for that, as all but Open MPI.
bool called_by_library(int (*drive)());

/// Whether the MPI library does so.
bool may_be_called_by_library();

/// Ends that, before MPI ends: a library that begins again has forgotten whom it called.
void not_called_by_library(int (*drive)());

}  // namespace tutti::run
