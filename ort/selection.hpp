#pragma once

#include <cstdint>
#include <span>

#include "ortho.h"

namespace tutti::ort {

/// A selection as a bit pattern: bit i is set if groups run along dimension i. Groups of selections
/// with one pattern have the same communicators, so it is their index.
using Pattern = std::uint64_t;

inline Pattern pattern_of(std::span<const int> selection) {
  Pattern pattern = 0;
  for (std::size_t i = 0; i < selection.size(); ++i)
    if (selection[i] == ORT_ALL) pattern |= Pattern{1} << i;
  return pattern;
}

inline bool runs_along(Pattern pattern, std::size_t dimension) {
  return pattern >> dimension & 1;
}

/// ORT_SUCCESS if every entry is ORT_ALL, ORT_PARALLEL or a position of a grid of these sizes.
inline int check_selection(std::span<const int> selection, std::span<const int> sizes) {
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (selection[i] != ORT_ALL && selection[i] != ORT_PARALLEL &&
        (selection[i] < 0 || selection[i] >= sizes[i]))
      return ORT_ERR_SELECTION;
  return ORT_SUCCESS;
}

/// Whether the process at these coordinates is in a selected group.
inline bool is_member(std::span<const int> selection, std::span<const int> coordinates) {
  for (std::size_t i = 0; i < coordinates.size(); ++i)
    if (selection[i] >= 0 && selection[i] != coordinates[i]) return false;
  return true;
}

}  // namespace tutti::ort
