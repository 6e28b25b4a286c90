#include "run/calls/kept_tags.hpp"

#include "run/mpi/native.hpp"

namespace tutti::run {

TagsOfRequest::~TagsOfRequest() {
  if (from_) from_->give_back(place_);
}

TagsOfRequest KeptTags::take(const Context& context) {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) {
    free_.push_back(count());
    given_back_.push_back(0);
  }
  const int place = free_.back();
  free_.pop_back();
  return {context.tags_of_call(context.calls() - place), *this, place};
}

void KeptTags::give_back(int place) {
  const std::lock_guard lock(mutex_);
  given_back_[static_cast<std::size_t>(place)] = 1;
}

bool KeptTags::collect(MPI_Comm users) {
  std::vector<std::uint8_t> mine;
  {
    const std::lock_guard lock(mutex_);
    mine = given_back_;
  }
  std::vector<std::uint8_t> all(mine.size());
  if (native().MPI_Allreduce(mine.data(), all.data(), count(), MPI_UINT8_T, MPI_BAND, users) != MPI_SUCCESS)
    return false;
  const std::lock_guard lock(mutex_);
  for (int place = 0; place < count(); ++place)
    if (all[static_cast<std::size_t>(place)]) {
      given_back_[static_cast<std::size_t>(place)] = 0;
      free_.push_back(place);
    }
  return has_free();
}

}  // namespace tutti::run
