#pragma once

#include <cstddef>

/// Kinds of values that mean the same by another number.
enum class Kind {
  handle,
  message,
  keyval,
  rank,
  tag,
  thread,
  topology,
  comparison,
  order,
  distribution,
  split,
  lock,
  combiner,
  error,
  mode,
  plain
};

/// The values of names.inc by the standard ABI, and by MPICH, in its order.
extern const long standard_values[], mpich_values[];
extern const Kind kinds[];
extern const std::size_t number_of_values;
