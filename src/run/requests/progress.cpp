#include "run/requests/progress.hpp"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include "run/calls/reported.hpp"
#include "run/mpi/library_progress.hpp"
#include "run/mpi/threads.hpp"
#include "run/requests/constants.hpp"
#include "run/requests/pending.hpp"

namespace tutti::run {
namespace {

// Calls under way, in the order in which they began. While one is driven, operations of the user's
// may run, which may wait for a thread that waits for this lock: it is held for a look at the list
// only.
class UnderWay {
 public:
  static UnderWay& instance() {
    static auto* const all = new UnderWay;  // calls may come when statics are gone
    return *all;
  }

  void add(std::shared_ptr<Pending> one) {
    const std::lock_guard lock(mutex_);
    one->number = ++begun_;
    calls_.push_back(std::move(one));
    count();
  }
  void remove(const std::shared_ptr<Pending>& one) {
    const std::lock_guard lock(mutex_);
    std::erase(calls_, one);
    count();
  }

  std::shared_ptr<Pending> at(std::size_t place) {
    const std::lock_guard lock(mutex_);
    return place < calls_.size() ? calls_[place] : nullptr;
  }
  /// The last call for which `wanted` is true, or null.
  template <typename Wanted>
  std::shared_ptr<Pending> last(Wanted&& wanted) {
    const std::lock_guard lock(mutex_);
    const auto found =
        std::find_if(calls_.rbegin(), calls_.rend(), [&](const auto& one) { return wanted(*one); });
    return found == calls_.rend() ? nullptr : *found;
  }

  void add(Errand errand) {
    const std::lock_guard lock(mutex_);
    errands_.push_back(std::make_shared<const Errand>(std::move(errand)));
    count();
  }
  void remove(const std::shared_ptr<const Errand>& errand) {
    const std::lock_guard lock(mutex_);
    std::erase(errands_, errand);
    count();
  }
  std::shared_ptr<const Errand> errand_at(std::size_t place) {
    const std::lock_guard lock(mutex_);
    return place < errands_.size() ? errands_[place] : nullptr;
  }
  bool has_errand_before(MPI_Comm comm, bool holds_calls_only) {
    const std::lock_guard lock(mutex_);
    return std::ranges::any_of(errands_, [=](const auto& errand) {
      return errand->before == comm && (errand->holds_calls || !holds_calls_only);
    });
  }
  /// Whether messages of an earlier call could be mistaken for its own.
  bool has_tags_of_earlier(const Pending& one) {
    const std::lock_guard lock(mutex_);
    return std::ranges::any_of(calls_, [&](const auto& other) {
      return other->number < one.number && one.shares_tags_with(*other);
    });
  }

 private:
  void count() {
    under_way.store(static_cast<int>(calls_.size() + errands_.size()), std::memory_order_relaxed);
  }

  std::mutex mutex_;
  std::uint64_t begun_ = 0;
  std::vector<std::shared_ptr<Pending>> calls_;
  std::vector<std::shared_ptr<const Errand>> errands_;
};

UnderWay& all() {
  return UnderWay::instance();
}

// Drives on what is under way, beside the program's threads, as long as there is anything.
class DrivingThread {
 public:
  static DrivingThread& instance() {
    static auto* const one = new DrivingThread;  // calls may come when statics are gone
    return *one;
  }

  bool runs() const { return runs_.load(std::memory_order_relaxed); }
  /// False where the system has no thread left.
  bool begin() {
    const std::lock_guard lock(mutex_);
    if (runs_) return true;
    try {
      thread_ = std::jthread([this](const std::stop_token& end) { drive(end); });
    } catch (const std::system_error&) {
      return false;
    }
    return runs_ = true;
  }
  /// Something has been begun.
  void wake() {
    const std::lock_guard lock(mutex_);
    wanted_.notify_one();
  }
  void end() {
    std::jthread ending;
    {
      const std::lock_guard lock(mutex_);
      std::swap(ending, thread_);
      runs_ = false;
    }
    ending.request_stop();
    if (ending.get_id() == std::this_thread::get_id()) ending.detach();  // the program ends here
  }

 private:
  void drive(const std::stop_token& end) {
    while (true) {
      {
        std::unique_lock lock(mutex_);
        if (!wanted_.wait(lock, end, any_under_way) || end.stop_requested()) return;
      }
      progress();
      std::this_thread::sleep_for(requests::between_looks);
    }
  }

  std::mutex mutex_;
  std::condition_variable_any wanted_;
  std::atomic<bool> runs_ = false;
  std::jthread thread_;
};

// Drives a call, which leaves when it is complete; the user may wait for it with any function of
// the MPI library. Returns whether it has left; false where another thread drives it.
bool drive(const std::shared_ptr<Pending>& one, void (Pending::*how)() = &Pending::advance) {
  const Pending::Driving driving(*one);
  if (!driving) return false;
  if (one->is_complete()) return true;  // another thread has seen to that
  // Tags come round again after some calls. Earlier calls do not become more.
  one->has_own_tags = one->has_own_tags || !all().has_tags_of_earlier(*one);
  if (!one->has_own_tags) return false;
  ((*one).*how)();
  if (!one->is_complete()) return false;
  one->complete_request();
  all().remove(one);
  return true;
}

// An errand that can't be seen to is given up.
bool is_done(const Errand& errand) {
  bool done = false;
  const int error = caught([&] {
    done = errand.is_done();
    return MPI_SUCCESS;
  });
  return done || error != MPI_SUCCESS;
}

// Errands may begin calls, and these wait for others, in which errands are come to again.
void see_to_errands() {
  static constinit std::atomic_flag at_it;
  if (at_it.test_and_set(std::memory_order_acquire)) return;
  const auto leave = [](std::atomic_flag* flag) { flag->clear(std::memory_order_release); };
  const std::unique_ptr<std::atomic_flag, decltype(leave)> here(&at_it);
  for (std::size_t place = 0; const auto errand = all().errand_at(place);)
    if ((memo.waits || !errand->where_waited) && is_done(*errand))
      all().remove(errand);
    else
      ++place;
}

void drive_all() {
  see_to_errands();
  for (std::size_t place = 0; const auto one = all().at(place);) place += !drive(one);
}

// Drives calls until none is left for which `wanted` is true.
template <typename Wanted>
void complete_if(Wanted&& wanted) {
  if (!any_under_way()) return;
  const Inside inside;
  while (all().last(wanted)) {
    drive_all();
    sched_yield();
  }
}

void finish_before(MPI_Comm comm, bool holds_calls_only) {
  if (comm == MPI_COMM_NULL) return;
  const Inside inside;
  const InWait waiting;
  for (; all().has_errand_before(comm, holds_calls_only); sched_yield()) drive_all();
}

// How long a thread waits for others before it blocks where it can't drive on. They may come only
// after it has gone on: then it has waited in vain, and waits half as long the next time.
class PatienceBeforeBlocking {
 public:
  bool has(double waited, std::uint64_t last) {
    if (last <= in_vain_up_to_) return false;
    if (waited < longest_) return true;
    in_vain_up_to_ = last;
    longest_ = std::max(longest_ / 2, requests::shortest_patience_s);
    return false;
  }

 private:
  std::atomic<double> longest_ = requests::first_patience_s;
  std::atomic<std::uint64_t> in_vain_up_to_ = 0;
};
constinit PatienceBeforeBlocking patience_before_blocking;

// Called by the MPI library while it waits.
int drive_meanwhile() {
  if (!memo.blocks || !any_under_way()) return 0;
  memo.blocks = false;  // driving calls the library, which would come here again
  const Inside inside;
  const InWait waiting;
  drive_all();
  memo.blocks = true;
  return 0;
}

// Whether the MPI library calls it, found out where that is first asked.
class DrivenByLibrary {
 public:
  bool is() {
    const std::lock_guard lock(mutex_);
    if (!is_) is_ = called_by_library(drive_meanwhile);
    return *is_;
  }
  void end() {
    const std::lock_guard lock(mutex_);
    if (is_.value_or(false)) not_called_by_library(drive_meanwhile);
    is_.reset();
  }

 private:
  std::mutex mutex_;
  std::optional<bool> is_;
};
constinit DrivenByLibrary driven_by_library;

// Completes what this thread has started, as far as there is patience.
void complete_before(MPI_Comm comm) {
  const auto own = [](const Pending& one) { return one.is_of_this_thread(); };
  // Nonblocking calls there: all ranks start them before they come, persistent ones when they like.
  const auto own_there = [&](const Pending& one) {
    return own(one) && one.mode() == Mode::nonblocking && one.communicator().user() == comm;
  };
  const double begin = PMPI_Wtime();
  for (; const auto last = all().last(own); drive_all()) {
    if (!all().last(own_there) && !patience_before_blocking.has(PMPI_Wtime() - begin, last->number)) return;
    sched_yield();
  }
}

bool before_blocking(MPI_Comm comm, bool with_launcher) {
  finish_before(comm, false);
  if (DrivingThread::instance().runs()) return false;
  const bool library_drives = driven_by_library.is();
  const Inside inside;
  drive_all();
  if (!library_drives || (with_launcher && may_wait_for_launcher())) complete_before(comm);
  return library_drives;
}

constexpr Driver driving{drive_all, [](Errand errand) { all().add(std::move(errand)); }, finish_before,
                         before_blocking};

}  // namespace

void begin_driving() {
  calls_driver.store(&driving, std::memory_order_release);
}

int begin(const std::shared_ptr<Pending>& one) {
  begin_driving();
  const bool by_thread = drive_by_thread();
  // Another thread may not have taken a persistent call from the list yet since it was complete.
  if (one->mode() == Mode::persistent) complete_if([&](const Pending& other) { return &other == one.get(); });
  {
    Pending::Driving driving(*one);
    while (!driving.again()) sched_yield();
    if (const int error = one->begin(); error != MPI_SUCCESS) return error;
    one->has_own_tags = false;
    all().add(one);
  }
  // Other threads may have blocked in the library before anything was under way.
  if (by_thread) DrivingThread::instance().wake();
  // The library's own progress is not called here: programs start several things one after the
  // other, and MPI_Comm_idup of Open MPI 4.1 hangs where it is called between.
  drive(one, &Pending::post);
  return MPI_SUCCESS;
}

void complete_all_on(const Communicator& communicator) {
  complete_if([&](const Pending& one) { return &one.communicator() == &communicator; });
}

void complete(const Pending& pending) {
  complete_if([&](const Pending& one) { return &one == &pending; });
}

// Drives nothing where several threads call: others would have to wait meanwhile.
void complete_if_only(MPI_Request request) {
  if (several_threads_call() || under_way.load(std::memory_order_relaxed) != 1) return;
  const Inside inside;
  const auto only = all().at(0);
  if (only && only->request() == request) drive(only, &Pending::finish);
}

bool drive_by_thread() {
  if (DrivingThread::instance().runs()) return true;
  return may_call_from_thread() && DrivingThread::instance().begin();
}

bool goes_on_while_blocked() {
  return simulated || may_be_called_by_library() || may_call_from_thread();
}

namespace {

// Ends the thread of a program that ends without MPI_Finalize.
[[gnu::destructor]] void end_thread_with_process() {
  DrivingThread::instance().end();
}

}  // namespace

void end_driving() {
  DrivingThread::instance().end();
  driven_by_library.end();
}

}  // namespace tutti::run
