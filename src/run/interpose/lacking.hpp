#pragma once

#include <string_view>

namespace tutti::interpose {

/// What a call does of a function that this library has an entry point for, but the MPI library
/// that runs has not: a line says so, and it fails as MPI calls do. Returns MPI's error code.
int lacking(std::string_view name);

}  // namespace tutti::interpose
