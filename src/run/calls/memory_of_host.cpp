#include "run/calls/memory_of_host.hpp"

#include <algorithm>
#include <mutex>

#include "run/calls/constants.hpp"
#include "run/mpi/agreed.hpp"

namespace tutti::run {
namespace {

// Memory that was made, the last one behind.
class Shelf {
 public:
  // The memory made last of those ranks, which is the same on all of them, unless it is spoilt.
  std::shared_ptr<HostMemory> find(const std::vector<Rank>& numbers) {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(made_.rbegin(), made_.rend(),
                                    [&](const auto& memory) { return memory->is_host(numbers); });
    return found == made_.rend() || (*found)->spoilt_by() != MPI_SUCCESS ? nullptr : *found;
  }

  void keep(const std::shared_ptr<HostMemory>& memory) {
    const std::lock_guard lock(mutex_);
    made_.push_back(memory);
    const auto is_unused = [](const auto& one) { return one.use_count() == 1; };
    auto too_many = std::count_if(made_.begin(), made_.end(), is_unused) - calls::most_unused_memories;
    std::erase_if(made_, [&](const auto& one) { return is_unused(one) && too_many-- > 0; });
  }

  void clear() {
    const std::lock_guard lock(mutex_);
    made_.clear();
  }

 private:
  std::mutex mutex_;  // never held in a collective
  std::vector<std::shared_ptr<HostMemory>> made_;
};

Shelf& shelf() {
  static auto* const all = new Shelf;  // calls may come when statics are gone
  return *all;
}

}  // namespace

std::unique_ptr<HostMemory> new_memory_of_host(const Context& context, const std::vector<Rank>& here,
                                               std::size_t limit) {
  std::vector<Rank> numbers = context.numbers_of(here);
  std::sort(numbers.begin(), numbers.end());
  const OwnComm host = here.size() > 1 ? context.among(numbers) : OwnComm();
  return std::make_unique<HostMemory>(host.get(), numbers, limit);
}

std::shared_ptr<HostMemory> memory_of_host(MPI_Comm users, const Context& context,
                                           const std::vector<Rank>& here) {
  // A single rank has nothing to know of: it says what the others do, and has memory that is none.
  const bool alone = here.size() == 1;
  auto memory = context.is_in_order() ? shelf().find(context.numbers_of(here)) : nullptr;
  if (context.is_in_order() && all_say(memory || alone, users) && !alone) return memory;
  memory = new_memory_of_host(context, here, host_memory_limit);
  if (context.is_in_order() && *memory) shelf().keep(memory);
  return memory;
}

void release_memory_of_host() {
  shelf().clear();
}

}  // namespace tutti::run
