#pragma once

namespace tutti::inline choose {

/// What is known of nonblocking calls of programs: nothing, that there are some, or that some of
/// them are between neighbours.
enum class KnownNonblocking : unsigned char { none, some, between_neighbors };

}  // namespace tutti::inline choose
