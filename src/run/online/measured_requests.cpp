#include "run/online/measured_requests.hpp"

#include <algorithm>

#include "run/online/learner.hpp"

namespace tutti::run {

MeasuredRequests& MeasuredRequests::instance() {
  static auto* const all = new MeasuredRequests;  // calls may come when statics are gone
  return *all;
}

void MeasuredRequests::add(MPI_Request request, ClassTuner& tuner, std::size_t batch) {
  entries_.push_back({request, &tuner, batch});
  measured_requests = static_cast<int>(entries_.size());
}

template <typename Which>
void MeasuredRequests::erase(Which&& which) {
  std::erase_if(entries_, which);
  measured_requests = static_cast<int>(entries_.size());
}

bool MeasuredRequests::has(const ClassTuner& tuner) const {
  return std::ranges::find(entries_, &tuner, &Entry::tuner) != entries_.end();
}

void MeasuredRequests::forget(const ClassTuner& tuner) {
  erase([&](const Entry& one) { return one.tuner == &tuner; });
}

bool MeasuredRequests::look_at(int count, const MPI_Request* requests) {
  bool any = false;
  for (Entry& one : entries_) {
    const auto* const end = requests + std::max(count, 0);
    const auto* const found = std::find(requests, end, one.request);
    one.place = found == end ? nowhere : static_cast<int>(found - requests);
    any |= found != end;
  }
  return any;
}

void MeasuredRequests::took(double seconds, const MPI_Request* requests) {
  for (auto one = entries_.begin(); one != entries_.end(); ++one)
    if (one->place != nowhere && std::none_of(entries_.begin(), one, [&](const Entry& other) {
          return other.place != nowhere && other.tuner == one->tuner && other.batch == one->batch;
        }))
      one->tuner->waited(one->batch, seconds);
  erase([&](const Entry& one) { return one.place != nowhere && requests[one.place] != one.request; });
  for (Entry& one : entries_) one.place = nowhere;
}

}  // namespace tutti::run
