#include "run/transport/host_memory.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "run/mpi/launcher.hpp"
#include "run/transport/constants.hpp"
#include "run/transport/process_memory.hpp"

namespace tutti::run {
namespace {

std::size_t whole_pages(std::size_t bytes) {
  return (bytes + transport::page_bytes - 1) / transport::page_bytes * transport::page_bytes;
}

// Where the channels of `ranks` ranks are, and what they show in stages.
struct Places {
  std::size_t ranks;
  std::size_t cell = transport::longest_cell, stage_place = transport::longest_stage_place;

  // Makes everything as large as keeps within a limit, if possible.
  void fit(std::size_t limit) {
    while (bytes() > limit && stage_place > transport::shortest_stage_place) stage_place /= 2;
    while (bytes() > limit && cell > transport::shortest_cell) cell /= 2;
  }

  std::size_t labels() const { return whole_pages(ranks * ChannelMemory::bytes); }
  std::size_t cells() const { return ChannelMemory::slots * cell; }
  std::size_t before_stages() const {
    return labels() + whole_pages(ranks * cells()) + whole_pages(Board::places * cell);
  }
  std::size_t row() const {
    return before_stages() + whole_pages(StageMemory::label_bytes + 2 * stage_place);
  }
  std::size_t trouble() const { return ranks * row(); }
  std::size_t bytes() const { return trouble() + transport::apart_bytes; }
  ChannelMemory channel(char* memory, std::size_t reader, std::size_t writer) const {
    char* const begin = memory + reader * row();
    return {memory, begin + writer * ChannelMemory::bytes, begin + labels() + writer * cells(), cell};
  }
  Board board(char* memory, std::size_t writer) const {
    return {memory + writer * row() + labels() + whole_pages(ranks * cells()), cell, ranks};
  }
};

// What a rank tells the others of its host.
struct Facts {
  std::size_t limit;
  pid_t process;
  const std::uint64_t* secret;
  std::uint64_t secret_is;
  cpu_set_t processors;  // that it may use
};

// Ranks that are bound leave others the other processors. Ranks of other communicators count too,
// where the launcher tells of them.
bool are_crowded(const std::vector<Facts>& all) {
  cpu_set_t processors;
  CPU_ZERO(&processors);
  for (const Facts& facts : all) CPU_OR(&processors, &processors, &facts.processors);
  const int known = static_cast<int>(all.size());
  return known > CPU_COUNT(&processors) ||
         std::max(known, launcher::ranks_of_host().value_or(known)) > sysconf(_SC_NPROCESSORS_ONLN);
}

}  // namespace

HostMemory::HostMemory(MPI_Comm host, const std::vector<int>& ranks, std::size_t limit) : ranks_(ranks) {
  if (ranks.size() < 2 || host == MPI_COMM_NULL) return;
  int me = 0;
  PMPI_Comm_rank(host, &me);
  const std::size_t size = ranks.size(), own = static_cast<std::size_t>(me);
  const std::uint64_t secret =
      reinterpret_cast<std::uintptr_t>(this) * 0x9e3779b97f4a7c15ULL ^ static_cast<std::uint64_t>(getpid());
  Facts mine{limit, getpid(), &secret, secret, {}};
  CPU_ZERO(&mine.processors);
  sched_getaffinity(0, sizeof mine.processors, &mine.processors);
  std::vector<Facts> all(size);
  native().MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, host);
  for (const Facts& facts : all) limit = std::min(limit, facts.limit);

  Places places{size};
  places.fit(limit);
  if (places.bytes() > limit) return;
  segment_ = Segment(host, places.bytes());
  if (!segment_) return;

  const Facts& next = all[(own + 1) % size];
  std::uint64_t read = 0;
  int well = read_memory_of(next.process, reinterpret_cast<std::uintptr_t>(next.secret), sizeof read,
                            reinterpret_cast<char*>(&read)) &&
             read == next.secret_is;
  int all_well = 0;
  native().MPI_Allreduce(&well, &all_well, 1, MPI_INT, MPI_MIN, host);
  if (all_well) lends_from_ = transport::lent_from;
  crowded_ = are_crowded(all);
  trouble_ = reinterpret_cast<std::atomic<int>*>(segment_.memory() + places.trouble());
  board_ = places.board(segment_.memory(), own);
  own_number_ = me;
  stage_memory_ = {segment_.memory() + places.before_stages(), places.row(), places.stage_place};
  for (std::size_t peer = 0; peer < size; ++peer) {
    outlets_.emplace_back(places.channel(segment_.memory(), peer, own), all[peer].process, lends_from_);
    inlets_.emplace_back(places.channel(segment_.memory(), own, peer), all[peer].process);
  }
}

// The first error stays. Codes are a process' own; their classes are everybody's.
void HostMemory::spoil(int error) {
  int well = MPI_SUCCESS, what = MPI_ERR_OTHER;
  PMPI_Error_class(error, &what);
  if (trouble_) trouble_->compare_exchange_strong(well, what, std::memory_order_relaxed);
}

const char* HostMemory::post(const char* from, std::size_t bytes, std::uint32_t readers) {
  if (bytes <= ChannelMemory::short_bytes || bytes > board_.place_bytes()) return nullptr;
  char* const place = board_.place(readers, outlets_);
  if (place) std::memcpy(place, from, bytes);
  return place;
}

bool HostMemory::is_host(const std::vector<int>& ranks) const {
  return segment_ && ranks.size() == ranks_.size() &&
         std::all_of(ranks.begin(), ranks.end(), [this](int rank) { return channel(rank) != none; });
}

int HostMemory::channel(int rank) const {
  if (!segment_) return none;
  const auto found = std::find(ranks_.begin(), ranks_.end(), rank);
  return found == ranks_.end() ? none : static_cast<int>(found - ranks_.begin());
}

int HostMemory::send(int channel, const char* from, std::size_t bytes, MPI_Comm comm) {
  Outgoing message{.from = from, .bytes = bytes};
  for (Waiting waiting = this->waiting(comm); !outlet(channel).advance(message);)
    if (const int error = waiting.pause(); error != MPI_SUCCESS) return error;
  return MPI_SUCCESS;
}

int HostMemory::receive(int channel, char* into, std::size_t bytes, MPI_Comm comm) {
  Incoming message{.sink = {.into = into}, .bytes = bytes};
  bool done = false;
  for (Waiting waiting = this->waiting(comm);;) {
    if (const int error = inlet(channel).advance(message, done); error != MPI_SUCCESS || done) return error;
    if (const int error = waiting.pause(); error != MPI_SUCCESS) return error;
  }
}

}  // namespace tutti::run
