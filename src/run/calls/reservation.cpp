#include "run/calls/reservation.hpp"

#include <utility>

namespace tutti::run {

// More than are wanted: other ranks may have given these to communicators that this one is not in.
Reservation::Reservation(MPI_Comm users, int wanted)
    : wanted_(wanted), held_(Contexts::instance().hold(2 * wanted)) {
  reserved_.reserve(static_cast<std::size_t>(wanted));
  for (const ContextNumber& number : held_) mine_.add(number.value());
  telling_.begin([&](MPI_Request* request) {
    return PMPI_Iallreduce(mine_.words.data(), all_.words.data(), static_cast<int>(mine_.words.size()),
                           MPI_UINT64_T, MPI_BAND, users, request);
  });
  telling_.drive(users, true);
}

std::optional<ContextNumber> Reservation::take(int place) {
  settle();
  if (place >= static_cast<int>(reserved_.size())) return std::nullopt;
  return std::move(reserved_[static_cast<std::size_t>(place)]);
}

// What not all hold is given back. Where MPI failed nothing is reserved.
void Reservation::settle() {
  if (!telling_.is_under_way()) return;
  const bool well = telling_.finish() == MPI_SUCCESS;
  for (ContextNumber& number : std::exchange(held_, {}))
    if (well && all_.has(number.value()) && static_cast<int>(reserved_.size()) < wanted_)
      reserved_.push_back(std::move(number));
}

}  // namespace tutti::run
