#include "run/calls/mistakes.hpp"

#include <array>
#include <atomic>
#include <optional>

#include "run/mpi/datatype.hpp"
#include "run/mpi/errors_returned.hpp"
#include "run/mpi/self_comm.hpp"

namespace tutti::run {
namespace {

enum class Mistake { output_in_place, no_output, same_buffer, count };

// The library's answer, from a call of this process by itself.
bool is_reported(Collective collective, Mistake mistake) {
  enum : char { unknown, reported, passed };
  static std::array<std::array<std::atomic<char>, static_cast<std::size_t>(Mistake::count)>,
                    collectives.size()>
      known{};
  auto& answer = known[static_cast<std::size_t>(collective)][static_cast<std::size_t>(mistake)];
  if (answer == unknown) {
    constexpr int count = 2;  // Open MPI does not look at single elements
    int in[count] = {}, out[count] = {};
    Call call{.sendbuf = in,
              .sendcount = count,
              .sendtype = MPI_INT,
              .recvbuf = out,
              .recvcount = count,
              .recvtype = MPI_INT,
              .op = MPI_SUM};
    if (mistake == Mistake::output_in_place) call.recvbuf = MPI_IN_PLACE;
    if (mistake == Mistake::no_output) call.recvbuf = nullptr;
    if (mistake == Mistake::same_buffer) call.recvbuf = in;
    const NobodysErrorsReturned asking;  // Open MPI tells MPI_COMM_WORLD's handler of some
    answer = run_natively(collective, self_comm::get(), call) == MPI_SUCCESS ? passed : reported;
  }
  return answer == reported;
}

std::optional<Mistake> mistake_of(Collective collective, const Communicator& communicator, const Call& call) {
  const bool scatters = collective == Collective::scatter;
  // Elsewhere buffers mean nothing, or nothing follows for what the calls of all ranks have in
  // common.
  if (call.recvcount <= 0 || is_irregular(collective) || traits(collective).on_neighbors) return std::nullopt;
  if (traits(collective).rooted && collective != Collective::bcast && !scatters &&
      communicator.rank() != call.root)
    return std::nullopt;
  if (call.recvbuf == MPI_IN_PLACE) return scatters ? std::nullopt : std::optional(Mistake::output_in_place);
  if (!call.recvbuf)
    return type_info(call.recvtype)->predefined ? std::optional(Mistake::no_output) : std::nullopt;
  // Elements of different types may lie between each other.
  const bool like_output =
      traits(collective).reduces || (call.sendtype == call.recvtype && call.sendcount == call.recvcount);
  if (call.recvbuf == call.sendbuf && like_output && (!scatters || communicator.rank() == call.root))
    return Mistake::same_buffer;
  return std::nullopt;
}

}  // namespace

bool is_reported(Collective collective, const Communicator& communicator, const Call& call) {
  const auto mistake = mistake_of(collective, communicator, call);
  return mistake && is_reported(collective, *mistake);
}

}  // namespace tutti::run
