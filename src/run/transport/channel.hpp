#pragma once

#include <sys/types.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "run/mpi/handles.hpp"
#include "run/transport/constants.hpp"
#include "run/transport/loan.hpp"
#include "run/transport/ring.hpp"

namespace tutti::run {

/// What becomes of what arrives: it is put there, or combined with what is there.
struct Sink {
  char* into = nullptr;
  MPI_Op op = MPI_OP_NULL;  ///< none: it is put there
  MPI_Datatype type = MPI_BYTE;
  std::size_t element = 1;  ///< bytes of one of `type`, which lies without gaps
  char* room = nullptr;     ///< as long as the message, for what has to be copied before it can be combined
};

/// The chunks that a long message is lent in: whole units, 64 at most.
struct Chunks {
  std::size_t bytes = 0, each = 1;  ///< of the message, and of a chunk but the last

  std::uint32_t count() const { return static_cast<std::uint32_t>((bytes + each - 1) / each); }
  std::size_t begin(std::uint32_t chunk) const { return chunk * each; }
  std::size_t end(std::uint32_t chunk) const { return std::min(begin(chunk) + each, bytes); }
};

/// A message that leaves through memory.
struct Outgoing {
  const char* from = nullptr;
  std::size_t bytes = 0;
  std::size_t unit = 1;          ///< pieces hold whole ones, where they can
  bool may_lend = true;          ///< it may be read where it is until it has been taken
  const char* posted = nullptr;  ///< a copy of it in memory that its reader sees, too
  bool has_time = false;         ///< who sends it has nothing else to do meanwhile, and may help to copy it
  std::size_t passed_on = 0;     ///< bytes

  enum class Lent : std::uint8_t { no, yes, returned } lent = Lent::no;
  Chunks chunks;              ///< of a loan
  std::uint64_t refused = 0;  ///< those that have to come in pieces, as bits
};

/// A message that arrives.
struct Incoming {
  Sink sink;
  std::size_t bytes = 0;             ///< at most, as in MPI_Recv; then those of the message itself
  const Outgoing* behind = nullptr;  ///< no more may be taken in than that has passed on
  std::size_t taken = 0;             ///< bytes
  bool is_too_long = false;          ///< a message that ends in MPI_ERR_TRUNCATE

  std::optional<Loan::Borrower> loan;  ///< while it is read where it is
  std::uintptr_t address = 0;          ///< there
  Chunks chunks;
  std::uint64_t refused = 0;  ///< chunks that come in pieces, as bits
};

/// The memory of one direction between two ranks: labels and short pieces in slots, long pieces in
/// cells that are touched only when some come. It lies with the reader.
class ChannelMemory {
 public:
  static constexpr std::uint32_t slots = transport::slots;
  /// Two cache lines, which processors fetch together.
  static constexpr std::size_t slot_bytes = transport::apart_bytes;
  static constexpr std::size_t bytes = (slots + 1) * slot_bytes;
  /// What fits into a slot beside its label, aligned for any type.
  static constexpr std::size_t short_bytes = slot_bytes - alignof(std::max_align_t);

  ChannelMemory() = default;
  /// `segment` is where the memory begins that both see.
  ChannelMemory(char* segment, char* begin, char* cells, std::size_t cell_bytes)
      : segment_(segment), begin_(begin), cells_(cells), cell_bytes_(cell_bytes) {}

  using Number = std::atomic<std::uint64_t>;
  Number& label(std::uint32_t slot) const { return *reinterpret_cast<Number*>(begin_ + slot * slot_bytes); }
  Number& taken() const { return *reinterpret_cast<Number*>(begin_ + slots * slot_bytes); }
  /// Numbers of a loan: where the borrower wants it, or 0; what Loan counts; and which chunks the
  /// borrower could not read.
  Number& wanted_at() const { return loan_number(0); }
  Number& claimed() const { return loan_number(1); }
  Number& written() const { return loan_number(2); }
  Number& unwritten() const { return loan_number(3); }
  Number& refused() const { return loan_number(4); }
  char* short_piece(std::uint32_t slot) const { return begin_ + (slot + 1) * slot_bytes - short_bytes; }
  /// Where the memory begins that both see, in which posted pieces lie.
  char* segment() const { return segment_; }
  char* cell(std::uint32_t slot) const { return cells_ + slot * cell_bytes_; }
  std::size_t cell_bytes() const { return cell_bytes_; }

 private:
  Number& loan_number(std::size_t number) const {
    return *(reinterpret_cast<Number*>(begin_ + slots * slot_bytes + 64) + number);
  }

  char* segment_ = nullptr;
  char* begin_ = nullptr;
  char* cells_ = nullptr;
  std::size_t cell_bytes_ = 0;
};

using PieceRing = Ring<std::uint32_t, ChannelMemory::slots>;

/// Where messages to one rank of the host leave. They arrive in the order in which they were begun,
/// so that one has to be passed on whole before the next begins.
class Outlet {
 public:
  /// Messages of `lends_from` bytes and more are read where they are.
  Outlet(const ChannelMemory& memory, pid_t peer, std::size_t lends_from)
      : memory_(memory), peer_(peer), lends_from_(lends_from) {}

  /// Passes on as much as there is room for. Returns whether that was all, so that its memory may
  /// be used again.
  bool advance(Outgoing& message);

  /// The number of the last piece passed on, and whether the one of a number has been taken.
  std::uint32_t passed() const { return writer_.passed(); }
  bool is_taken(std::uint32_t number) { return writer_.is_taken(memory_, number); }

 private:
  bool pass_on(Outgoing& message, std::size_t end);
  bool tell(Outgoing& message);
  bool lend(Outgoing& message);
  void help(const Outgoing& message);

  ChannelMemory memory_;
  pid_t peer_;
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
  const char* found(std::uint32_t what, std::size_t bytes) const;
  int begin_loan(Incoming& message);
  int borrow(Incoming& message);
  int borrow(Incoming& message, std::uint32_t chunk, bool is_there);

  ChannelMemory memory_;
  pid_t peer_;
  PieceRing::Reader reader_;
};

}  // namespace tutti::run
