#pragma once

namespace tutti::run {

/// Bytes of this host that programs can have without others being swapped out; 0 where the system
/// does not say.
double available_memory();

}  // namespace tutti::run
