#include "run/mpi/datatype.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "run/mpi/native.hpp"
#include "run/mpi/self_comm.hpp"
#include "run/mpi/type_envelope.hpp"

namespace tutti::run {
namespace {

std::atomic<std::uint64_t> next_id{1};

// Whether the type map lists the bytes of an element in ascending order without gaps. Only the ways
// to make a type that surely do are recognised; all others are packed, which is right for all
// types.
bool lists_bytes_in_order(MPI_Datatype type) {
  TypeEnvelope envelope;
  if (envelope.read(type) != MPI_SUCCESS) return false;
  if (envelope.is_predefined()) return true;
  if ((envelope.combiner != MPI_COMBINER_CONTIGUOUS && envelope.combiner != MPI_COMBINER_DUP) ||
      envelope.types != 1)
    return false;
  TypeContents contents;
  return contents.read(type, envelope) == MPI_SUCCESS && lists_bytes_in_order(contents.types[0]);
}

// The bytes of one element, which may exceed 2^31. Libraries of MPI 3 have but the older function,
// and those of a later standard need not have it.
int get_size(MPI_Datatype type, MPI_Count* size) {
  using GetSize = int(MPI_Datatype, MPI_Count*);
  static GetSize* const large = reinterpret_cast<GetSize*>(native_function("PMPI_Type_size_c"));
  return large ? large(type, size) : PMPI_Type_size_x(type, size);
}

bool describe(MPI_Datatype type, TypeInfo& info) {
  MPI_Count size = 0;
  MPI_Aint lb = 0, extent = 0, true_lb = 0, true_extent = 0;
  if (get_size(type, &size) != MPI_SUCCESS || size < 0 ||
      PMPI_Type_get_extent(type, &lb, &extent) != MPI_SUCCESS ||
      PMPI_Type_get_true_extent(type, &true_lb, &true_extent) != MPI_SUCCESS)
    return false;
  info = {next_id++, static_cast<std::size_t>(size), extent, true_lb, true_extent,
          false,     is_predefined_type(type)};
  info.contiguous = size == extent && size == true_extent && true_lb == 0 && lists_bytes_in_order(type);
  return true;
}

// MPI tells nobody whether a type is committed, or its handle one, but sends no element of one that
// is not, even to nobody. Where it does so errors are returned: other functions would tell the
// program's handler.
bool is_committed(MPI_Datatype type) {
  char nothing = 0;
  const MPI_Comm self = self_comm::get();
  return self != MPI_COMM_NULL && PMPI_Send(&nothing, 1, type, MPI_PROC_NULL, 0, self) == MPI_SUCCESS;
}

int delete_info(MPI_Datatype, int, void* info, void*) {
  delete static_cast<TypeInfo*>(info);
  return MPI_SUCCESS;
}

// The key of attributes, as long as MPI runs: a program may begin and end it several times.
struct AttributeKey {
  std::mutex making;
  std::atomic<int> key = MPI_KEYVAL_INVALID;

  int get() {
    const int known = key.load(std::memory_order_acquire);
    return known != MPI_KEYVAL_INVALID ? known : make();
  }
  int make() {
    const std::lock_guard lock(making);
    int made = key;
    if (made == MPI_KEYVAL_INVALID)
      PMPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, delete_info, &made, nullptr);
    return key = made;
  }
  void release() {
    int known = key.exchange(MPI_KEYVAL_INVALID);
    if (known != MPI_KEYVAL_INVALID) PMPI_Type_free_keyval(&known);
  }
};
constinit AttributeKey attribute_key;

const TypeInfo* attribute_of(MPI_Datatype type) {
  void* attribute = nullptr;
  int found = 0;
  const int error = PMPI_Type_get_attr(type, attribute_key.get(), &attribute, &found);
  return error == MPI_SUCCESS && found ? static_cast<const TypeInfo*>(attribute) : nullptr;
}

// Predefined types go away with MPI only: until then their handles are safe to remember.
struct PredefinedTypes {
  std::mutex mutex;
  std::unordered_map<MPI_Datatype, const TypeInfo*> infos;
  std::vector<std::unique_ptr<const TypeInfo>> kept;  // also beyond MPI's end, for threads remember them
};
PredefinedTypes& predefined_types() {
  static PredefinedTypes& types = *new PredefinedTypes;  // never destroyed: MPI may end after our statics
  return types;
}

}  // namespace

const TypeInfo* find_type(MPI_Datatype type) {
  if (type == MPI_DATATYPE_NULL) return nullptr;
  PredefinedTypes& predefined = predefined_types();
  {
    const std::lock_guard lock(predefined.mutex);
    if (const auto known = predefined.infos.find(type); known != predefined.infos.end()) {
      last_type = {type, known->second};
      return last_type.info;
    }
  }
  if (!is_committed(type)) return nullptr;
  if (is_predefined_type(type)) {
    auto info = std::make_unique<TypeInfo>();
    if (!describe(type, *info)) return nullptr;
    const std::lock_guard lock(predefined.mutex);
    const auto [known, added] = predefined.infos.try_emplace(type, info.get());
    last_type = {type, known->second};
    if (added) predefined.kept.push_back(std::move(info));
    return last_type.info;
  }
  if (const TypeInfo* info = attribute_of(type)) return info;
  // The attribute is set once: what another thread has got would be freed.
  static constinit std::mutex describing;
  const std::lock_guard lock(describing);
  if (const TypeInfo* info = attribute_of(type)) return info;
  auto info = std::make_unique<TypeInfo>();
  if (!describe(type, *info) || PMPI_Type_set_attr(type, attribute_key.get(), info.get()) != MPI_SUCCESS)
    return nullptr;
  return info.release();
}

void forget_types() {
  attribute_key.release();
  last_type = {};
  PredefinedTypes& predefined = predefined_types();
  const std::lock_guard lock(predefined.mutex);
  predefined.infos.clear();
}

}  // namespace tutti::run
