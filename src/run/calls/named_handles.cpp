#include "run/calls/named_handles.hpp"

#include <algorithm>
#include <mutex>
#include <unordered_set>
#include <vector>

#include "run/mpi/reduction.hpp"
#include "run/mpi/type_envelope.hpp"

namespace tutti::run {
namespace {

// What lasting calls name, and of that what the program has freed.
class Named {
 public:
  static Named& instance() {
    static auto* const all = new Named;  // calls may come when statics are gone
    return *all;
  }

  void add(const NamedHandles& one) {
    const std::lock_guard lock(mutex_);
    names_.insert(&one);
    ++lasting_calls;
  }
  // Frees what nobody names any more. Functions of the program's own run then, without the lock.
  void remove(const NamedHandles& one) {
    std::vector<MPI_Datatype> types;
    std::vector<MPI_Op> ops;
    {
      const std::lock_guard lock(mutex_);
      names_.erase(&one);
      --lasting_calls;
      types = taken_from(types_, [this](MPI_Datatype type) { return names_type(type); });
      ops = taken_from(ops_, [this](MPI_Op op) { return names_op(op); });
    }
    const Inside inside;
    for (MPI_Datatype& type : types) PMPI_Type_free(&type);
    for (MPI_Op& op : ops) PMPI_Op_free(&op);
  }

  // To free what is predefined is a mistake, which the MPI library reports.
  bool take_type(MPI_Datatype type) {
    const std::lock_guard lock(mutex_);
    if (!names_type(type) || is_predefined_type(type)) return false;
    types_.push_back(type);
    return true;
  }
  bool take_op(MPI_Op op) {
    const std::lock_guard lock(mutex_);
    if (!names_op(op) || is_predefined(op)) return false;
    ops_.push_back(op);
    return true;
  }

 private:
  bool names_type(MPI_Datatype type) const {
    return std::ranges::any_of(names_, [=](const NamedHandles* one) { return one->names_type(type); });
  }
  bool names_op(MPI_Op op) const {
    return std::ranges::any_of(names_, [=](const NamedHandles* one) { return one->names_op(op); });
  }
  template <typename Handle, typename IsNamed>
  static std::vector<Handle> taken_from(std::vector<Handle>& freed, IsNamed&& is_named) {
    const auto rest = std::partition(freed.begin(), freed.end(), is_named);
    std::vector<Handle> unneeded(rest, freed.end());
    freed.erase(rest, freed.end());
    return unneeded;
  }

  std::mutex mutex_;
  std::unordered_set<const NamedHandles*> names_;
  std::vector<MPI_Datatype> types_;  // that the program has freed
  std::vector<MPI_Op> ops_;
};

}  // namespace

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

// Calls name null handles where they need none.
bool take_type(MPI_Datatype* type) {
  if (*type == MPI_DATATYPE_NULL || !Named::instance().take_type(*type)) return false;
  *type = MPI_DATATYPE_NULL;
  return true;
}

bool take_op(MPI_Op* op) {
  if (*op == MPI_OP_NULL || !Named::instance().take_op(*op)) return false;
  *op = MPI_OP_NULL;
  return true;
}

}  // namespace tutti::run
