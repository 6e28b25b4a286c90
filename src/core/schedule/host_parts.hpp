#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tutti::inline core {

/// What processors of a host share, so that a process may be bound to one of it.
enum class HostPart : std::uint8_t { socket, numa, cache };

/// What parts of a host are called: in plans and files, and by people.
struct HostPartWords {
  HostPart part;
  std::string_view name, noun, nouns;
};

/// The parts in the order in which most hosts have them within each other, the outermost first. A
/// cache is one of the last level.
inline constexpr std::array<HostPartWords, 3> host_parts{{
    {HostPart::socket, "socket", "socket", "sockets"},
    {HostPart::numa, "numa", "NUMA domain", "NUMA domains"},
    {HostPart::cache, "cache", "cache", "caches"},
}};

constexpr const HostPartWords& words_of(HostPart part) {
  return host_parts[static_cast<std::size_t>(part)];
}

/// Something of each kind of parts.
template <typename T>
class ByHostPart {
 public:
  T& operator[](HostPart part) { return values_[static_cast<std::size_t>(part)]; }
  const T& operator[](HostPart part) const { return values_[static_cast<std::size_t>(part)]; }
  friend bool operator==(const ByHostPart&, const ByHostPart&) = default;

 private:
  std::array<T, host_parts.size()> values_{};
};

}  // namespace tutti::inline core
