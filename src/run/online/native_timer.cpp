#include "run/online/native_timer.hpp"

#include <algorithm>
#include <utility>

#include "choose/online/constants.hpp"
#include "run/online/measured_requests.hpp"

namespace tutti::run {

NativeTimer::~NativeTimer() {
  end_call();
  if (timed_ > 0 && shortest_ >= least_s_)
    learning_.writer.take(calls_, "native", {.calls = static_cast<double>(starts_), .alone = shortest_},
                          PMPI_Wtime());
}

int NativeTimer::start(MPI_Request* request) {
  end_call();
  times_ = timed_ < tutti::online::timed_first || starts_ % tutti::online::timed_every == 0;
  ++starts_;
  if (!times_) return PMPI_Start(request);
  ++timed_;
  const double begin = PMPI_Wtime();
  const int error = PMPI_Start(request);
  took_ = PMPI_Wtime() - begin;
  if (error == MPI_SUCCESS) MeasuredRequests::instance().add_lasting(*request, *this, 0);
  return error;
}

bool NativeTimer::is_in_vain() const {
  return timed_ >= tutti::online::timed_first && shortest_ < least_s_;
}

// The call before is complete where another starts.
void NativeTimer::end_call() {
  if (!std::exchange(times_, false)) return;
  MeasuredRequests::instance().forget(*this);
  shortest_ = std::min(shortest_, took_);
}

}  // namespace tutti::run
