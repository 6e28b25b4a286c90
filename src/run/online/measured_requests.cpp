#include "run/online/measured_requests.hpp"

#include <algorithm>

#include "run/mpi/native.hpp"

namespace tutti::run {

MeasuredRequests& MeasuredRequests::instance() {
  static auto* const all = new MeasuredRequests;  // calls may come when statics are gone
  return *all;
}

void MeasuredRequests::add(MPI_Request request, HearsWaiting& who, std::size_t batch) {
  entries_.push_back({request, &who, batch});
  measured_requests = static_cast<int>(entries_.size());
}

void MeasuredRequests::add_lasting(MPI_Request request, HearsWaiting& who, std::size_t batch) {
  entries_.push_back({request, &who, batch, true});
  measured_requests = static_cast<int>(entries_.size());
}

// Only the MPI library knows whether a request is active that stays when its call is complete.
bool MeasuredRequests::Entry::is_complete(const MPI_Request* requests) const {
  if (requests[place] != request) return true;
  int complete = 0;
  return lasts && PMPI_Request_get_status(request, &complete, MPI_STATUS_IGNORE) == MPI_SUCCESS &&
         complete != 0;
}

template <typename Which>
void MeasuredRequests::erase(Which&& which) {
  std::erase_if(entries_, which);
  measured_requests = static_cast<int>(entries_.size());
}

bool MeasuredRequests::has(const HearsWaiting& who) const {
  return std::ranges::find(entries_, &who, &Entry::who) != entries_.end();
}

void MeasuredRequests::forget(const HearsWaiting& who) {
  erase([&](const Entry& one) { return one.who == &who; });
}

bool MeasuredRequests::look_at(int count, const MPI_Request* requests) {
  if (std::ranges::any_of(entries_, [](const Entry& one) { return one.place != nowhere; })) return false;
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
  const auto together = [](const Entry& one) { return one.place != nowhere; };
  const auto all = static_cast<double>(std::ranges::count_if(entries_, together));
  for (auto one = entries_.begin(); one != entries_.end(); ++one) {
    const auto is_alike = [&](const Entry& other) {
      return together(other) && other.who == one->who && other.batch == one->batch;
    };
    if (together(*one) && std::none_of(entries_.begin(), one, is_alike))
      one->who->waited(one->batch, seconds,
                       static_cast<double>(std::ranges::count_if(entries_, is_alike)) / all);
  }
  const Inside inside;
  erase([&](const Entry& one) { return one.place != nowhere && one.is_complete(requests); });
  for (Entry& one : entries_) one.place = nowhere;
}

}  // namespace tutti::run
