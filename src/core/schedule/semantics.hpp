#pragma once

#include "core/schedule/values.hpp"

namespace tutti::inline core {

/// Whether the caller has that block of `input` or `output` on that rank: no other may be touched.
bool is_present(const Shape& shape, Rank rank, Buffer buffer, int block);

/// What block `block` of `buffer` holds on `rank` before the collective: its own contribution, or
/// undefined_value.
ValueId initial_value(const Shape& shape, Rank rank, Buffer buffer, int block, ValueTable& values);

/// What block `block` of the output has to hold on `rank` in the end; undefined_value where nothing
/// is asked.
ValueId required_value(const Shape& shape, Rank rank, int block, ValueTable& values);

}  // namespace tutti::inline core
