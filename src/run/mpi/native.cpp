#include "run/mpi/native.hpp"

#include <type_traits>

namespace tutti::run {
namespace {

// A member of a call, converted to whatever type the parameter of a function has.
template <typename Member>
class Argument {
 public:
  explicit Argument(const Member& member) : member_(member) {}
  template <typename Parameter>
  operator Parameter() const {
    if constexpr (std::is_same_v<Member, Numbers>)
      return static_cast<Parameter>(member_.values());
    else
      return static_cast<Parameter>(member_);
  }

 private:
  const Member& member_;
};

template <typename Function, auto... members, typename... More>
[[gnu::always_inline]] inline int invoke(Function* function, Signature<members...>, const Call& call,
                                         More... more) {
  return function(Argument(call.*members)..., more...);
}

// Calls a collective's function with the call's arguments and `more` behind them.
template <Mode mode, bool large, typename... More>
int natively(Collective collective, const Call& call, More... more) {
  const NativeCollectives& mpi = native();
  switch (collective) {
#define TUTTI_CASE(name, ...)                                                                           \
  case Collective::name:                                                                                \
    if constexpr (constexpr auto place = native_place<Collective::name, mode, large>; place != nullptr) \
      return invoke((mpi.*place).get(), signature<Collective::name>, call, more...);                    \
    break;
    TUTTI_COLLECTIVES(TUTTI_CASE)
#undef TUTTI_CASE
  }
  return MPI_ERR_INTERN;
}

template <Mode mode, typename... More>
int natively(Collective collective, const Call& call, More... more) {
  if (call.large) return natively<mode, true>(collective, call, more...);
  return natively<mode, false>(collective, call, more...);
}

}  // namespace

int run_natively(Collective collective, MPI_Comm comm, const Call& call) {
  return natively<Mode::blocking>(collective, call, comm);
}

int start_natively(Collective collective, MPI_Comm comm, const Call& call, MPI_Request* request) {
  return natively<Mode::nonblocking>(collective, call, comm, request);
}

int init_natively(Collective collective, MPI_Comm comm, const Call& call, MPI_Info info,
                  MPI_Request* request) {
  return natively<Mode::persistent>(collective, call, comm, info, request);
}
}  // namespace tutti::run
