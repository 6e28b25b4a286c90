#pragma once

#include <atomic>
#include <cstddef>
#include <limits>
#include <vector>

#include "run/transport/board.hpp"
#include "run/transport/constants.hpp"
#include "run/transport/segment.hpp"
#include "run/transport/stages.hpp"
#include "run/transport/waiting.hpp"

namespace tutti::run {

/// What the ranks of a host show each other in stages: numbers, and two places for each rank.
class StageMemory {
 public:
  StageMemory() = default;
  /// The rows of the ranks begin at `begin`, one after `row` bytes.
  StageMemory(char* begin, std::size_t row, std::size_t place_bytes)
      : begin_(begin), row_(row), place_bytes_(place_bytes) {}

  using Number = std::atomic<std::uint64_t>;
  Number& shown(int rank) const { return *reinterpret_cast<Number*>(row(rank)); }
  /// How many bytes a rank gives to the stages of a call, in the number of its place.
  std::uint64_t& given(int rank, int number) const {
    return *reinterpret_cast<std::uint64_t*>(row(rank) +
                                             sizeof(Number) * static_cast<std::size_t>(1 + number));
  }
  char* place(int rank, int number) const {
    return row(rank) + label_bytes + static_cast<std::size_t>(number) * place_bytes_;
  }
  std::size_t place_bytes() const { return place_bytes_; }
  /// What a label occupies, so that what follows lies on other cache lines.
  static constexpr std::size_t label_bytes = transport::apart_bytes;

 private:
  char* row(int rank) const { return begin_ + static_cast<std::size_t>(rank) * row_; }

  char* begin_ = nullptr;
  std::size_t row_ = 0, place_bytes_ = 0;
};

/// Some ranks of a communicator that share this rank's host, and memory through which they pass
/// messages.
///
/// Every rank has a row of channels from each other one, about a kilobyte each and as many cells as
/// slots, a board, and what it shows in stages. Rows begin on pages of their own, so that they lie
/// with the rank that touches them first; what is not used is not there.
class HostMemory {
 public:
  /// Collective among `host`, whose ranks are known by the numbers `ranks`, in this order: of a
  /// single one it is not used, and it is used by nothing else later. At most `limit` bytes, or
  /// none.
  HostMemory(MPI_Comm host, const std::vector<int>& ranks, std::size_t limit);

  /// Messages that belong here were lost, by that error: whoever waits in this memory ends by an
  /// error of its class, and nobody may begin to use it, on whatever communicator.
  void spoil(int error);
  /// The class of the error by which a rank has spoilt it; MPI_SUCCESS: none has.
  int spoilt_by() const { return trouble_ ? trouble_->load(std::memory_order_relaxed) : MPI_SUCCESS; }

  /// Whether there is any memory.
  explicit operator bool() const { return static_cast<bool>(segment_); }
  std::size_t ranks() const { return ranks_.size(); }
  /// What it occupies when all ranks talk to each other.
  std::size_t bytes() const { return segment_.bytes(); }
  /// Bytes from which on a message is read where it is, if the system lets it be.
  std::size_t lends_from() const { return lends_from_; }
  static constexpr std::size_t never = std::numeric_limits<std::size_t>::max();
  /// Whether there are more ranks on this host than processors.
  bool is_crowded() const { return crowded_; }
  /// How a rank waits in it, while it drives the progress of `comm`.
  Waiting waiting(MPI_Comm comm) const { return {comm, crowded_, trouble_}; }

  /// This rank's number on its host.
  int own_number() const { return own_number_; }
  /// Where the ranks of the host are in stages; all take part in each.
  Stages<std::uint64_t>& stages() { return stages_; }
  StageMemory& stage_memory() { return stage_memory_; }
  /// Whether these are all ranks of the host.
  bool is_host(const std::vector<int>& ranks) const;

  static constexpr int none = -1;
  /// The number of the channel from and to a rank, or none.
  int channel(int rank) const;
  Outlet& outlet(int channel) { return outlets_[static_cast<std::size_t>(channel)]; }
  /// Puts a message that goes to `readers` ranks where all of them can read it; null where it is
  /// too short, or too long, for that to be of use, or there is no place.
  const char* post(const char* from, std::size_t bytes, std::uint32_t readers);
  /// Notes that a posted message was passed on to one of its readers.
  void told(const char* posted, int channel) { board_.told(posted, channel, outlet(channel)); }
  Inlet& inlet(int channel) { return inlets_[static_cast<std::size_t>(channel)]; }

  /// Sends a message, or receives one. Both wait until that is done, and drive the progress of
  /// `comm`. They return MPI's error code.
  int send(int channel, const char* from, std::size_t bytes, MPI_Comm comm);
  int receive(int channel, char* into, std::size_t bytes, MPI_Comm comm);

 private:
  std::vector<int> ranks_;
  std::size_t lends_from_ = never;
  bool crowded_ = false;
  Segment segment_;
  std::atomic<int>* trouble_ = nullptr;  // of all ranks, in the segment
  std::vector<Outlet> outlets_;          // by the number of the channel: of the rank on this host
  std::vector<Inlet> inlets_;
  Board board_;
  int own_number_ = 0;
  Stages<std::uint64_t> stages_;
  StageMemory stage_memory_;
};

}  // namespace tutti::run
