#include "run/calls/named_handles.hpp"

#include <algorithm>
#include <mutex>
#include <new>
#include <optional>
#include <vector>

#include "run/mpi/reduction.hpp"
#include "run/mpi/type_envelope.hpp"

namespace tutti::run {
namespace {

// Handles of types and of operations may have one type.
constexpr auto as_type = &NamedHandles::names_type;
constexpr auto as_op = &NamedHandles::names_op;

}  // namespace

/// What lasting calls name, and of that what the program has freed.
class Named {
 public:
  static Named& instance() {
    static auto* const all = new Named;  // calls may come when statics are gone
    return *all;
  }

  void add(NamedHandles& one) {
    const std::lock_guard lock(mutex_);
    one.place_ = names_.size();
    names_.push_back(&one);
    count();
  }
  // Frees what nobody names any more, which is what that call names, if anything: functions of the
  // program's own run then, without the lock.
  void remove(const NamedHandles& one) {
    {
      const std::lock_guard lock(mutex_);
      names_[one.place_] = names_.back();
      names_[one.place_]->place_ = one.place_;
      names_.pop_back();
      count();
      if (types_.empty() && ops_.empty()) return;
    }
    const Inside inside;
    while (auto type = unneeded<as_type>(types_, one)) PMPI_Type_free(&*type);
    while (auto op = unneeded<as_op>(ops_, one)) PMPI_Op_free(&*op);
  }

  template <auto names, typename Handle>
  bool is_named(Handle handle) {
    const std::lock_guard lock(mutex_);
    return is_named_here<names>(handle);
  }
  bool take_type(MPI_Datatype type) { return take<as_type>(types_, type); }
  bool take_op(MPI_Op op) { return take<as_op>(ops_, op); }

 private:
  template <auto names, typename Handle>
  bool is_named_here(Handle handle) const {
    return std::ranges::any_of(names_, [=](const NamedHandles* one) { return (one->*names)(handle); });
  }
  // Where no memory is left it is never freed.
  template <auto names, typename Handle>
  bool take(std::vector<Handle>& freed, Handle handle) {
    const std::lock_guard lock(mutex_);
    if (!is_named_here<names>(handle)) return false;
    try {
      freed.push_back(handle);
    } catch (const std::bad_alloc&) {
    }
    return true;
  }
  template <auto names, typename Handle>
  std::optional<Handle> unneeded(std::vector<Handle>& freed, const NamedHandles& one) {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find_if(
        freed, [&](Handle handle) { return (one.*names)(handle) && !is_named_here<names>(handle); });
    if (found == freed.end()) return std::nullopt;
    const Handle handle = *found;
    freed.erase(found);
    return handle;
  }
  void count() { lasting_calls.store(static_cast<int>(names_.size()), std::memory_order_relaxed); }

  std::mutex mutex_;
  std::vector<NamedHandles*> names_;
  std::vector<MPI_Datatype> types_;  // that the program has freed
  std::vector<MPI_Op> ops_;
};

NamedHandles::NamedHandles(MPI_Datatype sendtype, MPI_Datatype recvtype,
                           std::span<const MPI_Datatype> sendtypes, std::span<const MPI_Datatype> recvtypes,
                           MPI_Op op)
    : sendtype_(sendtype), recvtype_(recvtype), sendtypes_(sendtypes), recvtypes_(recvtypes), op_(op) {
  Named::instance().add(*this);
}

NamedHandles::~NamedHandles() {
  Named::instance().remove(*this);
}

bool NamedHandles::names_type(MPI_Datatype type) const {
  return type == sendtype_ || type == recvtype_ || std::ranges::find(sendtypes_, type) != sendtypes_.end() ||
         std::ranges::find(recvtypes_, type) != recvtypes_.end();
}

// Calls name null handles where they need none. To free what is predefined is a mistake, which the
// MPI library reports; it is asked without the lock.
bool take_type(MPI_Datatype* type) {
  Named& named = Named::instance();
  if (*type == MPI_DATATYPE_NULL || !named.is_named<as_type>(*type) || is_predefined_type(*type) ||
      !named.take_type(*type))
    return false;
  *type = MPI_DATATYPE_NULL;
  return true;
}

bool take_op(MPI_Op* op) {
  Named& named = Named::instance();
  if (*op == MPI_OP_NULL || !named.is_named<as_op>(*op) || is_predefined(*op) || !named.take_op(*op))
    return false;
  *op = MPI_OP_NULL;
  return true;
}

}  // namespace tutti::run
