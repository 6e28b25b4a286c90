#pragma once

#include "core/schedule/builder.hpp"

namespace tutti::inline core {

/// A copy of the vector in some buffer: its block i is block first + i there.
struct Vector {
  Buffer buffer;
  int first = 0;

  BlockRange at(int block, int count = 1) const { return {buffer, first + block, count}; }
  /// Blocks by their numbers, whatever their buffer.
  Ranges at(const Ranges& blocks) const;
  /// `count` blocks from `block` on, counted around a circle of `modulus` blocks: one range or two.
  Ranges cyclic(int block, int count, int modulus) const;
};

/// Where a rank reduces: a partial result, and what is to be combined with it.
struct Workspace {
  Vector partial, incoming;
};

/// The partial result in the output where the caller has one for the whole vector, else in scratch.
Workspace workspace(const Builder& builder);

}  // namespace tutti::inline core
