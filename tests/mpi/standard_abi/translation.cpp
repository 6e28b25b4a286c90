// The standard ABI of MPI on top of MPICH, for tests of what is built for it where no MPI has it: a
// library that has all functions of the ABI and calls MPICH's, with handles and constants
// translated. MPICH's own handles are kept but for predefined ones, which are small numbers in the
// standard ABI. It serves what Tutti and its tests call, from one thread; it is no MPI for users.

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "run/mpi/words.hpp"
#include "values.hpp"

namespace standard {

#define HANDLE_TYPE(name) \
  struct name##_ {};      \
  using name = name##_*;
HANDLE_TYPE(MPI_Comm)
HANDLE_TYPE(MPI_Datatype)
HANDLE_TYPE(MPI_Errhandler)
HANDLE_TYPE(MPI_File)
HANDLE_TYPE(MPI_Group)
HANDLE_TYPE(MPI_Info)
HANDLE_TYPE(MPI_Message)
HANDLE_TYPE(MPI_Op)
HANDLE_TYPE(MPI_Request)
HANDLE_TYPE(MPI_Session)
HANDLE_TYPE(MPI_Win)

struct MPI_Status {
  int source, tag, error, counts[2], unused[3];
};
using MPI_F08_Status = MPI_Status;
using MPI_Aint = std::intptr_t;
using MPI_Count = std::int64_t;
using MPI_Offset = std::int64_t;
using MPI_Fint = int;

// Functions of the program come through as they are, but for those below.
using Callback = void;
struct MPI_User_function {};
struct MPI_Grequest_query_function {};
#define CALLBACK(name) using name = Callback;
CALLBACK(MPI_User_function_c)
CALLBACK(MPI_Grequest_free_function)
CALLBACK(MPI_Grequest_cancel_function)
CALLBACK(MPI_Copy_function)
CALLBACK(MPI_Delete_function)
CALLBACK(MPI_Comm_copy_attr_function)
CALLBACK(MPI_Comm_delete_attr_function)
CALLBACK(MPI_Type_copy_attr_function)
CALLBACK(MPI_Type_delete_attr_function)
CALLBACK(MPI_Win_copy_attr_function)
CALLBACK(MPI_Win_delete_attr_function)
CALLBACK(MPI_Datarep_extent_function)
CALLBACK(MPI_Datarep_conversion_function)
CALLBACK(MPI_Datarep_conversion_function_c)
CALLBACK(MPI_Comm_errhandler_function)
CALLBACK(MPI_File_errhandler_function)
CALLBACK(MPI_Win_errhandler_function)
CALLBACK(MPI_Session_errhandler_function)
using MPI_T_event_cb_function = void*;
using MPI_T_event_free_cb_function = void*;
using MPI_T_event_dropped_cb_function = void*;
using MPI_T_enum = void*;
using MPI_T_cvar_handle = void*;
using MPI_T_pvar_handle = void*;
using MPI_T_pvar_session = void*;
using MPI_T_event_registration = void*;
using MPI_T_event_instance = void*;
using MPI_T_cb_safety = int;
using MPI_T_source_order = int;

template <typename T>
constexpr bool is_handle =
    std::is_same_v<T, MPI_Comm> || std::is_same_v<T, MPI_Datatype> || std::is_same_v<T, MPI_Errhandler> ||
    std::is_same_v<T, MPI_File> || std::is_same_v<T, MPI_Group> || std::is_same_v<T, MPI_Info> ||
    std::is_same_v<T, MPI_Message> || std::is_same_v<T, MPI_Op> || std::is_same_v<T, MPI_Request> ||
    std::is_same_v<T, MPI_Session> || std::is_same_v<T, MPI_Win>;

}  // namespace standard

namespace {

using tutti::run::Word;

struct MpichStatus {
  int counts[2], source, tag, error;
};

// Lets a library call the first function of a name that the process has.
void bind_to_first(void* library, std::string_view name) {
  link_map* map = nullptr;
  void* const first = dlsym(RTLD_DEFAULT, name.data());
  if (!first || dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) return;
  const auto entry = [map](auto tag) -> ElfW(Addr) {
    for (const auto* dynamic = map->l_ld; dynamic->d_tag != DT_NULL; ++dynamic)
      if (dynamic->d_tag == tag) return dynamic->d_un.d_ptr;
    return 0;
  };
  const auto* const symbols = reinterpret_cast<const ElfW(Sym)*>(entry(DT_SYMTAB));
  const auto* const names = reinterpret_cast<const char*>(entry(DT_STRTAB));
  const auto* const calls = reinterpret_cast<const ElfW(Rela)*>(entry(DT_JMPREL));
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  for (std::size_t i = 0; i < entry(DT_PLTRELSZ) / sizeof *calls; ++i) {
    if (names + symbols[ELF64_R_SYM(calls[i].r_info)].st_name != name) continue;
    // The linker may have closed the table to writers when it was filled.
    const std::size_t at = map->l_addr + calls[i].r_offset;
    mprotect(reinterpret_cast<void*>(at & ~(page - 1)), page, PROT_READ | PROT_WRITE);
    *reinterpret_cast<void**>(at) = first;
  }
}

// Opened so that it finds its own functions before these, but for one of UCX', which it calls as an
// MPI of the standard's ABI does. What it needs sees the C library's own environment then, which a
// program that has a copy of the variable leaves empty.
void* open_mpich() {
  void* const c_library = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
  if (c_library) *static_cast<char***>(dlsym(c_library, "environ")) = environ;
  void* const library = dlopen("libmpich.so.12", RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  if (library && !std::getenv("STAND_IN_CALLS_UCX_BY_ITSELF")) bind_to_first(library, "ucp_worker_progress");
  return library;
}

void* mpich(const char* name) {
  static void* const library = open_mpich();
  if (!library) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::abort();
  }
  return dlsym(library, name);
}

// A variable of MPICH's.
template <typename T>
T symbol(const char* name) {
  return *static_cast<T*>(mpich(name));
}

long translated(Kind kind, long value, const long* from, const long* to) {
  for (std::size_t i = 0; i < number_of_values; ++i)
    if (kinds[i] == kind && from[i] == value) return to[i];
  return value;
}
long to_mpich(Kind kind, long value) {
  return translated(kind, value, standard_values, mpich_values);
}
long to_standard(Kind kind, long value) {
  return translated(kind, value, mpich_values, standard_values);
}

// One number of MPICH's is both the null request and the null message.
template <typename Handle>
constexpr Kind kind_of_handle = std::is_same_v<Handle, standard::MPI_Message> ? Kind::message : Kind::handle;
template <typename Handle>
int handle_to_mpich(Handle handle) {
  return static_cast<int>(
      to_mpich(kind_of_handle<Handle>, static_cast<long>(reinterpret_cast<std::uintptr_t>(handle))));
}
template <typename Handle>
Handle handle_to_standard(int handle) {
  return reinterpret_cast<Handle>(to_standard(kind_of_handle<Handle>, handle) & 0xffffffffL);
}
int error_to_standard(int error) {
  using Class = int(int, int*);
  int of_class = error;
  if (error != 0) reinterpret_cast<Class*>(mpich("PMPI_Error_class"))(error, &of_class);
  return static_cast<int>(to_standard(Kind::error, of_class));
}

MpichStatus to_mpich(const standard::MPI_Status& s) {
  return {{s.counts[0], s.counts[1]},
          static_cast<int>(to_mpich(Kind::rank, s.source)),
          static_cast<int>(to_mpich(Kind::tag, s.tag)),
          static_cast<int>(to_mpich(Kind::error, s.error))};
}
standard::MPI_Status to_standard(const MpichStatus& s) {
  return {static_cast<int>(to_standard(Kind::rank, s.source)),
          static_cast<int>(to_standard(Kind::tag, s.tag)),
          error_to_standard(s.error),
          {s.counts[0], s.counts[1]},
          {}};
}

// What a program's operation sees is its own type.
constexpr int most_functions = 256;
void* functions[most_functions];
template <int n>
void call_function(void* in, void* inout, int* length, int* type) {
  void* own_type = handle_to_standard<standard::MPI_Datatype>(*type);
  reinterpret_cast<void (*)(void*, void*, int*, void**)>(functions[n])(in, inout, length, &own_type);
}
template <int... n>
void* wrapped_function(void* function, std::integer_sequence<int, n...>) {
  static void* const wrappers[] = {reinterpret_cast<void*>(&call_function<n>)...};
  for (int i = 0; i < most_functions; ++i) {
    if (functions[i] && functions[i] != function) continue;
    functions[i] = function;
    return wrappers[i];
  }
  std::abort();
}

// Queries of generalized requests, which fill a status.
struct Query {
  using Fill = int(void*, standard::MPI_Status*);
  using Free = int(void*);
  using Cancel = int(void*, int);
  Fill* function;
  Free* free;
  Cancel* cancel;
  void* state;
};
int call_query(void* query, MpichStatus* status) {
  const auto* q = static_cast<Query*>(query);
  standard::MPI_Status own{};
  const int error = q->function(q->state, &own);
  *status = to_mpich(own);
  return error;
}
int call_free(void* query) {
  auto* q = static_cast<Query*>(query);
  const int error = q->free(q->state);
  delete q;
  return error;
}
int call_cancel(void* query, int complete) {
  const auto* q = static_cast<Query*>(query);
  return q->cancel(q->state, complete);
}

constexpr bool has(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

// What an int argument means, or an int that a pointer points to, by the function and its position.
constexpr Kind kind_of(std::string_view name, std::size_t at) {
  struct Place {
    std::string_view name;
    std::size_t at;
    Kind kind;
  };
  constexpr Place places[] = {
      {"Init_thread", 2, Kind::thread},
      {"Init_thread", 3, Kind::thread},
      {"Query_thread", 0, Kind::thread},
      {"T_init_thread", 0, Kind::thread},
      {"T_init_thread", 1, Kind::thread},
      {"Topo_test", 1, Kind::topology},
      {"Comm_compare", 2, Kind::comparison},
      {"Group_compare", 2, Kind::comparison},
      {"Type_create_subarray", 4, Kind::order},
      {"Type_create_subarray_c", 4, Kind::order},
      {"Type_create_darray", 7, Kind::order},
      {"Type_create_darray_c", 7, Kind::order},
      {"Type_get_envelope", 4, Kind::combiner},
      {"Type_get_envelope_c", 5, Kind::combiner},
      {"Comm_split_type", 1, Kind::split},
      {"Comm_get_attr", 1, Kind::keyval},
      {"Comm_set_attr", 1, Kind::keyval},
      {"Comm_free_keyval", 0, Kind::keyval},
      {"Type_free_keyval", 0, Kind::keyval},
      {"Comm_create_keyval", 2, Kind::keyval},
      {"Type_create_keyval", 2, Kind::keyval},
      {"Cart_shift", 3, Kind::rank},
      {"Cart_shift", 4, Kind::rank},
      {"Comm_call_errhandler", 1, Kind::error},
      {"Win_lock", 0, Kind::lock},
      {"Comm_split", 1, Kind::rank},
      {"Group_rank", 1, Kind::rank},
      {"Error_class", 1, Kind::error},
      {"Type_create_darray", 4, Kind::distribution},
      {"Type_create_darray", 5, Kind::distribution},
      {"Type_create_darray_c", 4, Kind::distribution},
      {"Type_create_darray_c", 5, Kind::distribution},
  };
  for (const Place& place : places)
    if (place.name == name && place.at == at) return place.kind;
  return Kind::plain;
}

template <typename T>
constexpr bool precedes_rank =
    std::is_same_v<T, standard::MPI_Datatype> || std::is_same_v<T, standard::MPI_Op>;

// Ranks and tags follow in turn behind a type or an operation, and come first where nothing is
// sent.
template <typename Types>
constexpr Kind rank_or_tag(std::string_view name, std::size_t at) {
  constexpr std::size_t size = std::tuple_size_v<Types>;
  bool ints[size + 1] = {}, before[size + 1] = {};
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    ((ints[i] = std::is_same_v<std::tuple_element_t<i, Types>, int>,
      before[i] = precedes_rank<std::tuple_element_t<i, Types>>),
     ...);
  }
  (std::make_index_sequence<size>{});
  std::size_t first = at;
  while (first > 0 && ints[first - 1]) --first;
  if (first == 0 ? !has(name, "robe") && name != "Intercomm_create" : !before[first - 1]) return Kind::plain;
  if (has(name, "Type_") || has(name, "Grequest")) return Kind::plain;
  return (at - first) % 2 == 0 ? Kind::rank : Kind::tag;
}

// How many handles, or statuses, a pointer of the function points to.
template <typename... Words>
std::size_t elements(std::string_view name, bool statuses, bool ints, bool requests, Words... words) {
  const Word all[] = {words...};
  const auto number = [&](std::size_t at) { return static_cast<std::size_t>(static_cast<int>(all[at])); };
  const bool several = has(name, "all") && !has(name, "to") && !has(name, "_all") && !has(name, "call");
  if ((name.starts_with("Wait") || name.starts_with("Test") || name == "Startall") &&
      (several || has(name, "some") || (has(name, "any") && !statuses)))
    return number(0);
  if (name.starts_with("Type_create_struct")) return number(0);
  if (name.starts_with("Type_create_darray")) return ints ? number(2) : 1;
  if (name == "Type_get_contents") return number(3);
  if (name == "Type_get_contents_c") return number(4);
  if (has(name, "lltoallw") && !requests) {
    const int comm = handle_to_mpich<standard::MPI_Comm>(all[8]);
    int ranks = 0, in = 0, out = 0, weighted = 0, kind = 0;
    reinterpret_cast<int (*)(int, int*)>(mpich("PMPI_Comm_size"))(comm, &ranks);
    if (!has(name, "eighbor")) return static_cast<std::size_t>(ranks);
    reinterpret_cast<int (*)(int, int*)>(mpich("PMPI_Topo_test"))(comm, &kind);
    if (to_standard(Kind::topology, kind) == 213) {
      reinterpret_cast<int (*)(int, int*, int*, int*)>(mpich("PMPI_Dist_graph_neighbors_count"))(
          comm, &in, &out, &weighted);
      return static_cast<std::size_t>(in > out ? in : out);
    }
    int rank = 0;
    reinterpret_cast<int (*)(int, int*)>(mpich("PMPI_Comm_rank"))(comm, &rank);
    if (to_standard(Kind::topology, kind) == 212)
      reinterpret_cast<int (*)(int, int, int*)>(mpich("PMPI_Graph_neighbors_count"))(comm, rank, &in);
    else if (reinterpret_cast<int (*)(int, int*)>(mpich("PMPI_Cartdim_get"))(comm, &in) == 0)
      in *= 2;
    return static_cast<std::size_t>(in);
  }
  return 1;
}

// An argument on its way to MPICH, and back.
template <typename T>
struct Argument {
  T value;
  Argument(std::string_view, Kind, std::size_t, Word word) : value(static_cast<T>(word)) {}
};
template <>
struct Argument<int> {
  int value;
  Argument(std::string_view, Kind kind, std::size_t, Word word)
      : value(static_cast<int>(to_mpich(kind, static_cast<int>(word)))) {}
};
template <>
struct Argument<int*> {
  int *value, before = 0;
  Kind kind;
  Argument(std::string_view, Kind kind_, std::size_t, Word word) : value(word), kind(kind_) {
    if (value && kind == Kind::keyval) *value = static_cast<int>(to_mpich(kind, *value));
  }
  ~Argument() {
    if (value && kind != Kind::plain) *value = static_cast<int>(to_standard(kind, *value));
  }
};
template <>
struct Argument<const int*> {
  const int* value;
  std::vector<int> own;
  Argument(std::string_view, Kind kind, std::size_t elements, Word word) : value(word) {
    if (value == reinterpret_cast<int*>(10)) value = symbol<int*>("MPI_UNWEIGHTED");
    if (value == reinterpret_cast<int*>(11)) value = symbol<int*>("MPI_WEIGHTS_EMPTY");
    if (kind == Kind::plain) return;
    for (std::size_t i = 0; i < elements; ++i) own.push_back(static_cast<int>(to_mpich(kind, value[i])));
    value = own.data();
  }
};
template <typename T>
struct BufferArgument {
  T value;
  BufferArgument(std::string_view name, Kind, std::size_t, Word word) : value(static_cast<T>(word)) {
    if (has(name, "eyval") && value == reinterpret_cast<T>(1)) value = mpich("MPIR_Dup_fn");
    if (!has(name, "eyval") && !has(name, "attr") && !has(name, "request") && value == reinterpret_cast<T>(1))
      value = reinterpret_cast<T>(-1L);
  }
};
template <>
struct Argument<void*> : BufferArgument<void*> {
  using BufferArgument::BufferArgument;
};
template <>
struct Argument<const void*> {
  const void* value;
  Argument(std::string_view name, Kind kind, std::size_t elements, Word word)
      : value(Argument<void*>(name, kind, elements, word).value) {}
};
template <>
struct Argument<standard::MPI_User_function*> {
  void* value;
  Argument(std::string_view, Kind, std::size_t, Word word)
      : value(wrapped_function(static_cast<void*>(word), std::make_integer_sequence<int, most_functions>{})) {
  }
};
template <typename T>
requires standard::is_handle<T>
struct Argument<T> {
  int value;
  Argument(std::string_view, Kind, std::size_t, Word word) : value(handle_to_mpich(static_cast<T>(word))) {}
};
// Handles that the program keeps in memory: those that the call may change come back. Nonblocking
// calls may read the others until they are complete; these are never freed.
template <typename T>
requires standard::is_handle<std::remove_const_t<T>>
struct Argument<T*> {
  T* own;
  std::size_t number;
  int* value;
  Argument(std::string_view, Kind, std::size_t elements, Word word)
      : own(word), number(own ? elements : 0), value(own ? new int[number + 1] : nullptr) {
    for (std::size_t i = 0; i < number; ++i) value[i] = handle_to_mpich(own[i]);
  }
  ~Argument() {
    if constexpr (!std::is_const_v<T>) {
      for (std::size_t i = 0; i < number; ++i) own[i] = handle_to_standard<T>(value[i]);
      delete[] value;
    }
  }
};
template <typename T>
requires std::is_same_v<std::remove_const_t<T>, standard::MPI_Status>
struct Argument<T*> {
  T* own;
  std::vector<MpichStatus> statuses;
  MpichStatus* value = reinterpret_cast<MpichStatus*>(1);  // ignored
  Argument(std::string_view, Kind, std::size_t elements, Word word) : own(word) {
    if (!own) return;
    for (std::size_t i = 0; i < elements; ++i) statuses.push_back(to_mpich(own[i]));
    statuses.emplace_back();
    value = statuses.data();
  }
  ~Argument() {
    if constexpr (!std::is_const_v<T>)
      if (own)
        for (std::size_t i = 0; i + 1 < statuses.size(); ++i) {
          const int before = own[i].error;  // which the call may leave as it is
          const bool same = statuses[i].error == to_mpich(own[i]).error;
          own[i] = to_standard(statuses[i]);
          if (same) own[i].error = before;
        }
  }
};

template <typename Result, typename... Types, typename... Words, std::size_t... i>
Result call(std::string_view text, void* function, std::index_sequence<i...>, Words... words) {
  using All = std::tuple<Types...>;
  [[maybe_unused]] const auto kind = [&]<std::size_t at>(std::integral_constant<std::size_t, at>) {
    const Kind known = kind_of(text, at);
    return known == Kind::plain && std::is_same_v<std::tuple_element_t<at, All>, int>
               ? rank_or_tag<All>(text, at)
               : known;
  };
  constexpr auto points_to = []<typename Pointer, typename T>(std::type_identity<Pointer>,
                                                              std::type_identity<T>) {
    return std::is_same_v<std::remove_const_t<std::remove_pointer_t<Pointer>>, T>;
  };
  [[maybe_unused]] constexpr auto number = [points_to]<typename T>(std::string_view name,
                                                                   std::type_identity<T> type, auto... all) {
    return elements(name, points_to(type, std::type_identity<standard::MPI_Status>{}),
                    points_to(type, std::type_identity<int>{}),
                    points_to(type, std::type_identity<standard::MPI_Request>{}), all...);
  };
  // They live until the call has returned, and give back then.
  const auto pass = [&](auto&&... passed) {
    return reinterpret_cast<Result (*)(decltype(Argument<Types>::value)...)>(function)(passed.value...);
  };
  return pass(Argument<Types>(text, kind(std::integral_constant<std::size_t, i>{}),
                              number(text, std::type_identity<Types>{}, words...), words)...);
}

// Functions that MPICH does not have, or that take functions of the program.
int special(std::string_view name, const std::vector<Word>& words) {
  if (name == "Abi_get_version") {
    *static_cast<int*>(words[0]) = 1;
    *static_cast<int*>(words[1]) = 0;
    return 0;
  }
  auto* query = new Query{static_cast<Query::Fill*>(words[0]), static_cast<Query::Free*>(words[1]),
                          static_cast<Query::Cancel*>(words[2]), words[3]};
  int request = 0;
  using Start = int(int (*)(void*, MpichStatus*), int (*)(void*), int (*)(void*, int), void*, int*);
  const int error = reinterpret_cast<Start*>(mpich("PMPI_Grequest_start"))(&call_query, &call_free,
                                                                           &call_cancel, query, &request);
  *static_cast<void**>(words[4]) = handle_to_standard<standard::MPI_Request>(request);
  return error_to_standard(error);
}

template <typename>
struct Translated;
template <typename Result, typename... Types>
struct Translated<Result(Types...)> {
  template <typename... Words>
  static Result call_mpich(std::string_view name, void* function, Words... words) {
    if constexpr (std::is_same_v<Result, int>) {
      if (name == "Abi_get_version" || name == "Grequest_start") return special(name, {words...});
      if (!function) return 17;
    }
    using Native = std::conditional_t<standard::is_handle<Result>, int, Result>;
    const Native result =
        call<Native, Types...>(name, function, std::index_sequence_for<Types...>{}, words...);
    if constexpr (standard::is_handle<Result>)
      return handle_to_standard<Result>(result);
    else if constexpr (std::is_same_v<Result, int>)
      return error_to_standard(result);
    else
      return result;
  }
};
template <typename Result, typename... Types>
struct Translated<Result(Types..., ...)> : Translated<Result(Types...)> {
  template <typename... Words>
  static Result call_mpich(std::string_view name, void* function, Words... words) {
    return [&]<std::size_t... i>(std::index_sequence<i...>) {
      const Word all[] = {words...};
      return Translated<Result(Types...)>::call_mpich(name, function, all[i]...);
    }
    (std::index_sequence_for<Types...>{});
  }
};
template <typename Function, typename... Words>
auto enter(std::string_view name, void* function, Words... words) {
  return Translated<Function>::call_mpich(name, function, words...);
}

}  // namespace

#define WORDS(...) __VA_OPT__(, ) __VA_ARGS__
#define TUTTI_MPI(result, name, arguments, parameters)                                     \
  extern "C" result mpi_##name(TUTTI_ARGUMENTS_##arguments(Word)) __asm__("MPI_" #name);   \
  extern "C" result pmpi_##name(TUTTI_ARGUMENTS_##arguments(Word)) __asm__("PMPI_" #name)  \
      __attribute__((alias("MPI_" #name)));                                                \
  result mpi_##name(TUTTI_ARGUMENTS_##arguments(Word)) {                                   \
    static void* const function = mpich("PMPI_" #name);                                    \
    return enter<result parameters>(#name, function WORDS(TUTTI_ARGUMENTS_##arguments())); \
  }
namespace standard {
#include "run/mpi/standard_abi/prototypes.inc"
}
