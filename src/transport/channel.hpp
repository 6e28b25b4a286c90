#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "mpi/handles.hpp"
#include "transport/ring.hpp"

namespace tutti::runtime {

/// What becomes of what arrives: it is put there, or combined with what is there.
struct Sink {
  char* into = nullptr;
  MPI_Op op = MPI_OP_NULL;  ///< none: it is put there
  MPI_Datatype type = MPI_BYTE;
  std::size_t element = 1;  ///< bytes of one of `type`, which lies without gaps
  char* room = nullptr;     ///< as long as the message, for what has to be copied before it can be combined
};

/// A message that leaves through memory, or arrives.
struct Outgoing {
  const char* from = nullptr;
  std::size_t bytes = 0;
  std::size_t unit = 1;       ///< pieces hold whole ones, where they can
  bool may_lend = true;       ///< it may be read where it is until it has been taken
  std::size_t passed_on = 0;  ///< bytes
  bool lent = false;
};
struct Incoming {
  Sink sink;
  std::size_t bytes = 0;
  const Outgoing* behind = nullptr;  ///< no more may be taken in than that has passed on
  std::size_t taken = 0;             ///< bytes
  bool refused = false;              ///< it could not be read where it is
};

/// The memory of one direction between two ranks: labels and short pieces in slots, long pieces in cells that
/// are touched only when some come. It lies with the reader.
class ChannelMemory {
 public:
  static constexpr std::uint32_t slots = 8;
  /// Two cache lines, which processors fetch together.
  static constexpr std::size_t slot_bytes = 128;
  static constexpr std::size_t bytes = (slots + 1) * slot_bytes;
  /// What fits into a slot beside its label, aligned for any type.
  static constexpr std::size_t short_bytes = slot_bytes - 16;

  ChannelMemory() = default;
  ChannelMemory(char* begin, char* cells, std::size_t cell_bytes)
      : begin_(begin), cells_(cells), cell_bytes_(cell_bytes) {}

  using Number = std::atomic<std::uint64_t>;
  Number& label(std::uint32_t slot) const { return *reinterpret_cast<Number*>(begin_ + slot * slot_bytes); }
  Number& taken() const { return *reinterpret_cast<Number*>(begin_ + slots * slot_bytes); }
  /// The last piece that could not be read where it is, as Ring::label of its number, and from which byte on.
  Number& refused() const { return *(&taken() + 1); }
  Number& refused_from() const { return *(&taken() + 2); }
  char* short_piece(std::uint32_t slot) const { return begin_ + slot * slot_bytes + 16; }
  char* cell(std::uint32_t slot) const { return cells_ + slot * cell_bytes_; }
  std::size_t cell_bytes() const { return cell_bytes_; }

 private:
  char* begin_ = nullptr;
  char* cells_ = nullptr;
  std::size_t cell_bytes_ = 0;
};

using PieceRing = Ring<std::uint32_t, ChannelMemory::slots>;

/// Where messages to one rank of the host leave. They arrive in the order in which they were begun, so that
/// one has to be passed on whole before the next begins.
class Outlet {
 public:
  /// `lends_from`: messages of so many bytes are read where they are.
  Outlet(const ChannelMemory& memory, std::size_t lends_from) : memory_(memory), lends_from_(lends_from) {}

  /// Passes on as much as there is room for. Whether that was all, so that its memory may be used again.
  bool advance(Outgoing& message);

 private:
  bool lend(Outgoing& message);

  ChannelMemory memory_;
  std::size_t lends_from_;
  PieceRing::Writer writer_;
};

/// Where messages from one rank of the host arrive.
class Inlet {
 public:
  Inlet(const ChannelMemory& memory, pid_t peer) : memory_(memory), peer_(peer) {}

  /// Takes in what has arrived, and says whether that was all. Returns MPI's error code.
  int advance(Incoming& message, bool& done);

 private:
  int take_in(const char* piece, std::size_t bytes, Incoming& message) const;
  int borrow(Incoming& message);

  ChannelMemory memory_;
  pid_t peer_;
  PieceRing::Reader reader_;
};

}  // namespace tutti::runtime
