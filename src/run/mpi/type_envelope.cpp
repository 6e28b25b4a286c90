#include "run/mpi/type_envelope.hpp"

#include "run/mpi/native.hpp"

namespace tutti::run {
namespace {

// From MPI 4 on only the large-count functions tell of every type how it was made.
struct LargeFunctions {
  int (*get_envelope)(MPI_Datatype, MPI_Count*, MPI_Count*, MPI_Count*, MPI_Count*, int*);
  int (*get_contents)(MPI_Datatype, MPI_Count, MPI_Count, MPI_Count, MPI_Count, int*, MPI_Aint*, MPI_Count*,
                      MPI_Datatype*);
};
const LargeFunctions& large_functions() {
  static const LargeFunctions all{
      reinterpret_cast<decltype(LargeFunctions::get_envelope)>(native_function("PMPI_Type_get_envelope_c")),
      reinterpret_cast<decltype(LargeFunctions::get_contents)>(native_function("PMPI_Type_get_contents_c"))};
  return all;
}

// Room for so many values, at an address that is one even where there are none.
template <typename Value>
void make_room(std::vector<Value>& values, MPI_Count number) {
  values.reserve(static_cast<std::size_t>(number) + 1);
  values.resize(static_cast<std::size_t>(number));
}

}  // namespace

int TypeEnvelope::read(MPI_Datatype type) {
  if (const auto get = large_functions().get_envelope)
    return get(type, &integers, &addresses, &counts, &types, &combiner);
  int small_integers = 0, small_addresses = 0, small_types = 0;
  const int error = PMPI_Type_get_envelope(type, &small_integers, &small_addresses, &small_types, &combiner);
  integers = small_integers;
  addresses = small_addresses;
  types = small_types;
  return error;
}

bool is_predefined_type(MPI_Datatype type) {
  TypeEnvelope envelope;
  return envelope.read(type) == MPI_SUCCESS && envelope.is_predefined();
}

int TypeContents::read(MPI_Datatype type, const TypeEnvelope& envelope) {
  make_room(integers, envelope.integers);
  make_room(addresses, envelope.addresses);
  make_room(counts, envelope.counts);
  std::vector<MPI_Datatype> inner(static_cast<std::size_t>(envelope.types) + 1, MPI_DATATYPE_NULL);
  const auto get = large_functions().get_contents;
  const int error =
      get ? get(type, envelope.integers, envelope.addresses, envelope.counts, envelope.types, integers.data(),
                addresses.data(), counts.data(), inner.data())
          : PMPI_Type_get_contents(type, static_cast<int>(envelope.integers),
                                   static_cast<int>(envelope.addresses), static_cast<int>(envelope.types),
                                   integers.data(), addresses.data(), inner.data());
  if (error != MPI_SUCCESS) return error;
  inner.pop_back();
  types = std::move(inner);
  return MPI_SUCCESS;
}

TypeContents::~TypeContents() {
  for (MPI_Datatype& type : types)
    if (!is_predefined_type(type)) PMPI_Type_free(&type);
}

}  // namespace tutti::run
