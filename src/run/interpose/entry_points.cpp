// The entry points of the collectives that Tutti serves, from the table of signatures, and
// MPI_Finalize.

#include <array>
#include <tuple>
#include <utility>

#include "run/interpose/any_points.hpp"
#include "run/mpi/datatype.hpp"
#include "run/process/collectives.hpp"
#include "run/process/init_persistent.hpp"
#include "run/process/process.hpp"
#include "run/process/start_nonblocking.hpp"

using tutti::Collective;
using tutti::Mode;
using tutti::run::Word;
using namespace tutti::run;

namespace {

// Takes a member of a call from an argument. How wide its numbers are the parameter's type tells.
template <typename Parameter, typename Member>
void take(Member& member, Word word) {
  if constexpr (std::is_same_v<Member, Numbers>)
    member = Numbers(static_cast<const void*>(word), !std::is_same_v<Parameter, const int*>);
  else
    member = static_cast<Parameter>(word);
}

template <bool large, typename... Parameters, auto... members, std::size_t... i, typename Words>
Call call_from(NextNative<int (*)(Parameters...)> NativeCollectives::*, Signature<members...>,
               std::index_sequence<i...>, const Words& words) {
  Call call;  // With braces GCC would clear it as a whole first.
  call.large = large;
  (take<std::tuple_element_t<i, std::tuple<Parameters...>>>(call.*members, words[i]), ...);
  return call;
}

// Starts a nonblocking call, which in the library for profiling is counted.
template <Collective collective>
int counted_start(MPI_Comm comm, const Call& call, MPI_Request* request) {
#ifdef TUTTI_COUNTS
  static const std::size_t number =
      number_of_function(tutti::Called{collective, Mode::nonblocking}.mpi_name());
  return counted_function(
      number,
      [&]() -> std::uint64_t {
        const bool is_vector = traits(collective).size_means == tutti::SizeMeans::vector;
        const TypeInfo* type = is_vector ? type_info(call.recvtype) : nullptr;
        return type ? static_cast<std::uint64_t>(call.recvcount) * type->size : 0;
      },
      [&] { return start<collective>(comm, call, request); });
#else
  return start<collective>(comm, call, request);
#endif
}

// Serves what comes in at an entry point; in a program that is on another MPI it goes on as it
// came.
template <Collective collective, Mode mode, bool large, typename... Words>
[[gnu::always_inline]] inline int enter(const char* name, Words... words) {
  constexpr auto place = native_place<collective, mode, large>;
  if constexpr (large || mode == Mode::persistent)  // of MPI 4
    if (__builtin_expect(!(native().*place).get(), 0)) return tutti::interpose::lacking(name);
  if (__builtin_expect(!tutti::interpose::is_ours(), 0))
    return tutti::run::pass_on((native().*place).get(), words...);
  constexpr auto& arguments = signature<collective>;
  constexpr std::size_t size = arguments.size;
  const std::array all{words...};
  const Call call = call_from<large>(place, arguments, std::make_index_sequence<size>{}, all);
  const MPI_Comm comm = all[size];
  if constexpr (mode == Mode::blocking)
    return run<collective>(comm, call);
  else if constexpr (mode == Mode::nonblocking)
    return counted_start<collective>(comm, call, all[size + 1]);
  else
    return init<collective>(comm, call, all[size + 1], all[size + 2]);
}

}  // namespace

// What stands behind the arguments of the blocking function.
#define TUTTI_MORE_blocking(type)
#define TUTTI_MORE_nonblocking(type) , type request
#define TUTTI_MORE_persistent(type) , type info, type request

#define TUTTI_ENTRY(collective, mode, large, mpi_name, arguments)                       \
  TUTTI_DEFINE(mpi_name, (TUTTI_ARGUMENTS_##arguments(Word) TUTTI_MORE_##mode(Word))) { \
    return enter<Collective::collective, Mode::mode, large>(                            \
        #mpi_name, TUTTI_ARGUMENTS_##arguments() TUTTI_MORE_##mode());                  \
  }
TUTTI_COLLECTIVES_OF_MPI_3
#ifdef TUTTI_DEFINES_MPI_4
TUTTI_COLLECTIVES_OF_MPI_4
#endif

TUTTI_POINT(MPI_Finalize, 0, 0, tutti::interpose::is_ours(), (Process::before(Ending::world), pass()))
