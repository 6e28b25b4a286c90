// UCX' progress function, in whose place ours is called: where the MPI library waits by it, what is
// under way is driven on. A process may have several copies of UCX, and UCX calls this function
// itself, in the middle of other things; so what comes behind depends on who calls.

#include <dlfcn.h>

#include <atomic>
#include <cstring>

#include "run/mpi/library_progress.hpp"
#include "run/mpi/loaded_mpi.hpp"
#include "run/mpi/loaded_objects.hpp"

namespace {

using Progress = unsigned(void* worker);
constexpr const char* name = "ucp_worker_progress";

// The file that an address is in.
struct Place {
  const char* path = "";

  explicit Place(const void* address) {
    Dl_info info{};
    if (address && dladdr(address, &info) != 0) path = info.dli_fname;
  }
  bool is_ucx() const {
    const char* const slash = std::strrchr(path, '/');
    return std::strncmp(slash ? slash + 1 : path, "libucp", std::strlen("libucp")) == 0;
  }
};

// The function behind ours; a program may have opened UCX for itself alone.
void* next_function() {
  if (void* const next = tutti::run::next_function(name)) return next;
  void* const library = tutti::run::loaded_library({"libucp.so.0"});
  return library ? dlsym(library, name) : nullptr;
}

// A place in a program from which the function is called.
struct Caller {
  const void* from;
  Progress* next = nullptr;
  bool is_ucx;  // itself
  Caller* other = nullptr;

  // Its own copy, unless another library stands in for that one, or is the caller.
  explicit Caller(const void* address) : from(address), is_ucx(Place(address).is_ucx()) {
    void* const first = next_function();
    void* const handle = dlopen(Place(address).path, RTLD_LAZY | RTLD_NOLOAD);
    void* const own = handle ? dlsym(handle, name) : nullptr;
    const bool is_own = Place(own).is_ucx() && (!first || Place(first).is_ucx());
    next = reinterpret_cast<Progress*>(is_own ? own : first);
  }
};

std::atomic<Caller*> callers{nullptr};

// They are few, and stay.
const Caller& caller_at(const void* address) {
  Caller* first = callers.load(std::memory_order_acquire);
  for (const Caller* one = first; one; one = one->other)
    if (one->from == address) return *one;
  auto* const added = new Caller(address);
  do added->other = first;
  while (!callers.compare_exchange_weak(first, added, std::memory_order_acq_rel));
  return *added;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) unsigned ucp_worker_progress(void* worker) {
  const Caller& caller = caller_at(__builtin_return_address(0));
  if (!caller.is_ucx) tutti::run::ucx_progress.pass();
  return caller.next ? caller.next(worker) : 0;
}
