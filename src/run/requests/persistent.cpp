#include "run/requests/persistent.hpp"

#include <map>
#include <mutex>
#include <utility>

#include "run/calls/inside.hpp"
#include "run/calls/reported.hpp"
#include "run/requests/progress.hpp"

namespace tutti::run {
namespace {

// A call, and what releases its communicator, which may outlive the user's; or what times a request
// of the MPI library's.
struct Entry {
  std::shared_ptr<PersistentCall> call;
  void (*release)(Communicator&) = nullptr;
  std::shared_ptr<NativeTimer> timer = nullptr;
};

class ByOnePlan final : public PersistentCall {
 public:
  ByOnePlan(std::shared_ptr<Pending> pending, TagsOfRequest tags)
      : pending_(std::move(pending)), tags_(std::move(tags)) {}
  ~ByOnePlan() override {
    if (pending_->has_failed()) tags_.spoil();
  }

  MPI_Request request() const override { return pending_->request(); }
  Communicator& communicator() const override { return pending_->communicator(); }
  int start() override { return begin(pending_); }
  void finish() override { complete(*pending_); }

 private:
  std::shared_ptr<Pending> pending_;
  TagsOfRequest tags_;
};

// Entries by their requests.
class Entries {
 public:
  static Entries& instance() {
    static auto* const all = new Entries;  // calls may come when statics are gone
    return *all;
  }

  // MPI libraries may free a request that has failed, and give its handle to another.
  void add(MPI_Request request, Entry entry) {
    const std::lock_guard lock(mutex_);
    made_.insert_or_assign(request, std::move(entry));
  }
  // A request's entry, an empty one where it has none.
  Entry find(MPI_Request request) {
    const std::lock_guard lock(mutex_);
    const auto known = made_.find(request);
    return known == made_.end() ? Entry{} : known->second;
  }
  void remove(MPI_Request request) {
    const std::lock_guard lock(mutex_);
    made_.erase(request);
  }
  std::map<MPI_Request, Entry> take_all() {
    const std::lock_guard lock(mutex_);
    return std::exchange(made_, {});
  }

 private:
  std::mutex mutex_;
  std::map<MPI_Request, Entry> made_;
};

}  // namespace

std::shared_ptr<PersistentCall> by_one_plan(std::shared_ptr<Pending> pending, TagsOfRequest tags) {
  return std::make_shared<ByOnePlan>(std::move(pending), std::move(tags));
}

void keep_persistent(const std::shared_ptr<PersistentCall>& call, void (*release)(Communicator&)) {
  call->communicator().add_persistent_request();
  persistent_requests.fetch_add(1, std::memory_order_relaxed);
  Entries::instance().add(call->request(), {call, release});
}

void time_persistent(MPI_Request request, std::unique_ptr<NativeTimer> timer) {
  persistent_requests.fetch_add(1, std::memory_order_relaxed);
  Entries::instance().add(request, {.call = nullptr, .timer = std::move(timer)});
}

namespace {

// What is known of a request goes, and is never asked for again.
void forget_persistent(MPI_Request request) {
  Entries::instance().remove(request);
  persistent_requests.fetch_sub(1, std::memory_order_relaxed);
}

int start_timed(MPI_Request* request, NativeTimer& timer) {
  const int error = timer.start(request);
  if (timer.is_in_vain()) forget_persistent(*request);
  return error;
}

}  // namespace

int start_persistent(MPI_Request* request) {
  const Inside inside;
  const Entry own = Entries::instance().find(*request);
  if (own.timer) return start_timed(request, *own.timer);
  if (!own.call) return PMPI_Start(request);
  Communicator& communicator = own.call->communicator();
  return reported(communicator.reports_to(), communicator, [&] { return own.call->start(); });
}

int start_all_persistent(int count, MPI_Request* requests) {
  for (int i = 0; i < count; ++i)
    if (const int error = start_persistent(requests + i); error != MPI_SUCCESS) return error;
  return MPI_SUCCESS;
}

int free_persistent(MPI_Request* request) {
  const Inside inside;
  Entry own = Entries::instance().find(*request);
  if (own.timer) forget_persistent(*request);
  if (!own.call) return PMPI_Request_free(request);
  own.call->finish();
  forget_persistent(std::exchange(*request, MPI_REQUEST_NULL));
  Communicator& communicator = own.call->communicator();
  own.call.reset();  // the MPI library's request with it
  if (communicator.drop_persistent_request()) own.release(communicator);
  return MPI_SUCCESS;
}

void free_all_persistent() {
  for (const auto& [request, entry] : Entries::instance().take_all())
    if (entry.call) entry.call->communicator().drop_persistent_request();
  persistent_requests.store(0, std::memory_order_relaxed);
}

}  // namespace tutti::run
