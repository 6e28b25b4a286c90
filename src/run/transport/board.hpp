#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "run/transport/channel.hpp"
#include "run/transport/constants.hpp"

namespace tutti::run {

/// Where a rank puts what it sends to several others: written once, and read by all of them. It
/// lies with the writer, who alone knows which of its places are still to be read.
class Board {
 public:
  static constexpr std::size_t places = transport::board_places;

  Board() = default;
  /// Has room for `readers` readers of each place.
  Board(char* memory, std::size_t place_bytes, std::size_t readers)
      : memory_(memory), place_bytes_(place_bytes) {
    for (Place& place : places_) place.readers.reserve(readers);
  }

  /// The next place, for what `readers` ranks will read, when all that was put there last has been
  /// taken by all; null before. `outlets` are those that were told of it.
  char* place(std::uint32_t readers, std::vector<Outlet>& outlets);
  std::size_t place_bytes() const { return place_bytes_; }
  /// What was put there was passed on as the last piece of a channel.
  void told(const char* place, int channel, const Outlet& outlet) {
    Place& here = places_[number_of(place)];
    --here.untold;
    here.readers.emplace_back(channel, outlet.passed());
  }

 private:
  std::size_t number_of(const char* place) const {
    return static_cast<std::size_t>(place - memory_) / place_bytes_;
  }

  char* memory_ = nullptr;
  std::size_t place_bytes_ = 1;
  std::size_t next_ = 0;
  struct Place {
    std::uint32_t untold = 0;                            // readers that were not told of it yet
    std::vector<std::pair<int, std::uint32_t>> readers;  // the others: channels and their pieces
  };
  std::array<Place, places> places_;
};

}  // namespace tutti::run
