#include "run/process/profiler.hpp"

#include <algorithm>
#include <string_view>

#include "base/quick_hash.hpp"
#include "run/calls/communicator.hpp"
#include "run/mpi/native.hpp"
#include "run/mpi/ranks.hpp"
#include "run/process/constants.hpp"
#include "run/process/program_phases.hpp"

namespace tutti::run {
namespace {

void send(const std::string& text, int to, MPI_Comm comm) {
  PMPI_Send(text.data(), static_cast<int>(text.size()), MPI_BYTE, to, process::profile_tag, comm);
}

std::string receive(int from, MPI_Comm comm) {
  MPI_Status status;
  PMPI_Probe(from, process::profile_tag, comm, &status);
  int size = 0;
  PMPI_Get_count(&status, MPI_BYTE, &size);
  std::string text(static_cast<std::size_t>(size), '\0');
  PMPI_Recv(text.data(), size, MPI_BYTE, from, process::profile_tag, comm, MPI_STATUS_IGNORE);
  return text;
}

// The plan that served most of a class tuner's calls.
std::string most_used(const ClassTuner& tuner) {
  const Decision* most = nullptr;
  tuner.for_each([&](const Decision& decision) {
    if (!most || decision.use.calls > most->use.calls) most = &decision;
  });
  return most ? most->label : "learning";
}

// The name that the program gave it. Open MPI names all others, after those that they come from.
std::string name_of(MPI_Comm comm) {
  char name[MPI_MAX_OBJECT_NAME] = "";
  int length = 0;
  PMPI_Comm_get_name(comm, name, &length);
  const std::string given(name, static_cast<std::size_t>(length));
  return given.starts_with("MPI COMMUNICATOR ") ? "" : given;
}

// What tells the communicator from others with calls of the same kind, on all of its ranks alike;
// nothing where it has ranks that can't be told, or just one. Those of lower ranks go first.
std::optional<std::uint64_t> identity_of(MPI_Comm comm) {
  int inter = 0;
  PMPI_Comm_test_inter(comm, &inter);
  if (inter) return std::nullopt;
  const std::vector<int> in_world = ranks_in_world(comm);
  if (in_world.size() < 2 || std::ranges::min(in_world) < 0) return std::nullopt;
  const std::string_view bytes(reinterpret_cast<const char*>(in_world.data()), sizeof(int) * in_world.size());
  return static_cast<std::uint64_t>(in_world.front()) << 32 | (quick_hash(bytes) & 0xffffffff);
}

}  // namespace

CallRecord& CommunicatorProfile::record(Collective collective, std::ptrdiff_t size, const Decision* decision,
                                        const ClassTuner* tuner) {
  const int phase = current_phase;
  if (phase == phase_left_out) return left_out_;
  auto& records = records_[static_cast<std::size_t>(collective)];
  const SizeClass of_size = SizeClass::of(static_cast<std::size_t>(size));
  for (CallRecord& known : records)
    if (known.size == of_size && known.decision == decision && known.tuner == tuner && known.phase == phase)
      return known;
  if (records.size() >= process::most_kinds_of_operation) return records.back();
  return records.emplace_back(CallRecord{of_size, decision, tuner, phase});
}

void CommunicatorProfile::add_to(Profile& profile, const Communicator& communicator,
                                 double seconds_a_tick) const {
  const Placement placement{communicator.ranks(), count(communicator.hosts())};
  const std::string name = name_of(communicator.user());
  const auto identity = identity_of(communicator.user());
  for (const CollectiveTraits& collective : collectives)
    for (const CallRecord& record : records_[static_cast<std::size_t>(collective.collective)]) {
      if (record.calls == 0) continue;
      const bool named = profile.calls.size() < process::most_kinds_named;
      const bool sampled = identity && profile.calls.size() < process::most_kinds_sampled &&
                           surely_waits_for_all(collective.collective);
      ProfiledCalls& spent = profile.calls[{collective.collective, placement, record.size, named ? name : "",
                                            record.tuner ? most_used(*record.tuner) : record.decision->label,
                                            named ? name_of_phase(record.phase) : ""}];
      spent.add(record.calls, static_cast<double>(record.bytes),
                seconds_a_tick * static_cast<double>(record.ticks),
                seconds_a_tick * static_cast<double>(record.shortest));
      const auto times = record.sample.times();
      if (sampled && times.size() >= profile::least_sampled)
        spent.sampled.prefer(
            SampledCalls::of_rank(*identity, communicator.rank(), record.calls, times, seconds_a_tick));
    }
}

std::optional<Profile> collected(Profile own, MPI_Comm comm) {
  const std::vector<int> in_world = ranks_in_world(comm);
  const int rank = rank_in_world(), ranks = static_cast<int>(in_world.size());
  const auto rank_there = [&](int of_world) {
    return static_cast<int>(std::ranges::find(in_world, of_world) - in_world.begin());
  };
  for (int distance = 1; distance < ranks; distance *= 2) {
    if (rank & distance) {
      own.bound_samples(process::most_kinds_sampled);
      send(to_text(own), rank_there(rank - distance), comm);
      return std::nullopt;
    }
    if (rank + distance < ranks)
      if (const auto others = parse_profile(receive(rank_there(rank + distance), comm), "of other ranks"))
        own.merge(*others);
  }
  return own;
}

}  // namespace tutti::run
