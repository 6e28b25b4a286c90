#include "run/transport/board.hpp"

#include <algorithm>

namespace tutti::run {

char* Board::place(std::uint32_t readers, std::vector<Outlet>& outlets) {
  Place& here = places_[next_];
  const bool read =
      here.untold == 0 && std::all_of(here.readers.begin(), here.readers.end(), [&](const auto& reader) {
        return outlets[static_cast<std::size_t>(reader.first)].is_taken(reader.second);
      });
  if (!read) return nullptr;
  here.readers.clear();
  here.untold = readers;
  char* const place = memory_ + next_ * place_bytes_;
  next_ = (next_ + 1) % places;
  return place;
}

}  // namespace tutti::run
