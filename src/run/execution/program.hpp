#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/schedule/schedule.hpp"
#include "run/execution/layout.hpp"
#include "run/mpi/datatype.hpp"
#include "run/mpi/library_switch.hpp"
#include "run/transport/host_memory.hpp"

namespace tutti::run {

/// What one unit of a layout is in memory: a byte where data are only moved, an element where they
/// are reduced.
struct Unit {
  MPI_Datatype type;
  std::ptrdiff_t extent;
  bool contiguous;
  std::size_t size;         ///< bytes of data
  bool commutative = true;  ///< reductions: operands may change places
  bool whole = false;       ///< reductions: vectors are combined whole, however they arrive
};

/// An operation of a part with everything bound that is known before the call: offsets, counts,
/// message types.
struct Instruction {
  OperationKind kind;
  OperandOrder order;
  Buffer into_buffer, from_buffer;  ///< of a message: `into_buffer`
  std::int32_t peer;                ///< by its number on the messages' communicator
  std::int32_t tag;
  std::int32_t count;  ///< of `type` in a message, of elements in a reduction
  MPI_Datatype type;
  std::ptrdiff_t into, from;  ///< bytes from the buffer's beginning; of a message: `into`
  std::size_t bytes;          ///< of a message, or of a contiguous copy
  std::int32_t channel;       ///< of a message that goes through memory, or HostMemory::none
  bool paired;  ///< of a receive in a straight program: the next instruction is the send to go with it
  // What holds for a message that goes through memory.
  bool combines;         ///< received, with what is at `into`, `from` being room; or sent, and so not lent
  bool has_time;         ///< nothing is received in its wave
  std::uint32_t first;   ///< the first send in the same wave of just the same, itself or another; or none
  std::uint32_t alike;   ///< number of sends in the same wave of just the same
  std::uint32_t behind;  ///< the send in the same wave of what it is combined with, or none

  static constexpr std::uint32_t none = UINT32_MAX;
  static Instruction nothing_to_do() {
    Instruction nothing{};
    nothing.kind = OperationKind::copy;
    nothing.into_buffer = nothing.from_buffer = Buffer::output;
    nothing.channel = HostMemory::none;
    nothing.first = none;
    return nothing;
  }
};

/// What a rank gives to a native phase, or gets from it: blocks one after another, in units.
struct PhaseBlocks {
  Buffer buffer = Buffer::output;
  std::ptrdiff_t begin = 0;         ///< bytes from the buffer's beginning
  std::vector<int> counts, displs;  ///< by the phase's block
  bool nothing = true;              ///< no block has units
  int count() const;                ///< of a block that there is
};

/// A phase left to the MPI library, on a communicator of its group, or carried out in memory that
/// all of the group share.
struct BoundPhase {
  Collective collective;  ///< an irregular one where blocks may differ
  int root, rank;         ///< in the group
  bool in_memory;
  MPI_Comm comm;
  MPI_Datatype type;
  std::ptrdiff_t extent;
  PhaseBlocks into, from;
  LibrarySwitch* by = nullptr;          ///< where the library is told at each call which algorithm to use
  LibrarySwitch::Setting setting = {};  ///< of that
};

/// Gives a communicator for a phase of its group; called by all of it alike.
using PhaseComm = std::function<MPI_Comm(const NativePhase& phase)>;

/// The means by which a part reaches the other ranks.
struct Surroundings {
  Rank rank;                      ///< its own
  std::span<const Rank> numbers;  ///< by rank: that on the messages' communicator; empty: the same
  PhaseComm phase_comm;
  const HostMemory* memory;  ///< which knows ranks by these numbers; null where there is none

  Rank number_of(Rank of) const { return numbers.empty() ? of : numbers[static_cast<std::size_t>(of)]; }
};

/// The instructions that can be issued together, and what may be done instead of issuing and
/// waiting where there is at most one message each way: libraries have faster ways for one blocking
/// call.
struct Wave {
  static constexpr std::uint32_t none = Instruction::none;
  std::uint32_t end = 0;         ///< in the program's instructions; the wave begins where the one before ends
  std::uint32_t receive = none;  ///< the only receive
  std::uint32_t send = none;     ///< the only send
  bool simple = true;            ///< at most one receive and one send, both by the same transport
  bool through_memory = false;   ///< of simple ones: by memory
};

/// A rank's part bound to a layout: ready to run any number of times on any buffers so laid out. A
/// message of blocks in several buffers is packed: it goes by way of scratch.
///
/// Instructions come in waves: all of a wave can be issued before the first wait. If every message
/// of a wave needs all messages of the wave before, the program is `in_step`: one wait for all a
/// wave loses nothing. Otherwise instructions have to be started as soon as what they wait for has
/// completed. Messages through memory keep the order of the part's operations between two ranks, in
/// which its proof lets each wait for the one before (Conditions::one_at_a_time).
class Program : public std::enable_shared_from_this<Program> {
 public:
  Program(const Part& part, const Surroundings& surroundings, const Layout& layout, const Unit& unit);

  const std::vector<Instruction>& instructions() const { return instructions_; }
  const std::vector<Wave>& waves() const { return waves_; }
  const std::vector<BoundPhase>& phases() const { return phases_; }
  /// Whether a reduction is not in the order that MPI_Reduce_local has, so that commutativity
  /// matters.
  bool reorders() const { return reorders_; }
  /// Whether elements lie without gaps, so that they can be copied as bytes.
  bool contiguous() const { return contiguous_; }
  std::size_t unit_size() const { return unit_size_; }
  bool in_step() const { return in_step_; }
  /// Whether it is in step and never has more than one message each way under way, none through
  /// memory. Then its instructions are in an order in which each can be finished before the next,
  /// pairs of messages in one: every wave has its local work first, then its receive, then its
  /// send.
  bool is_straight() const { return is_straight_; }
  /// Bytes of its messages, in the mean, where it does nothing but send and receive single
  /// stretches of bytes by MPI and copy; else 0.
  std::size_t bytes_of_plain_messages() const;
  /// The most messages under way at once, of either transport.
  std::size_t max_messages() const { return max_messages_; }
  std::size_t scratch_units() const { return scratch_units_; }
  /// The blocks of scratch that the part knows of.
  int scratch_blocks() const { return scratch_blocks_; }
  /// How many others each instruction waits for, and which wait for it.
  const std::vector<std::uint32_t>& waiting_for() const { return waiting_for_; }
  const std::vector<std::vector<std::uint32_t>>& successors() const { return successors_; }
  /// About what it occupies, for the cache's bookkeeping.
  std::size_t bytes() const;

 private:
  friend class Ordering;
  std::vector<Instruction> instructions_;
  std::vector<Wave> waves_;
  std::vector<std::uint32_t> waiting_for_;
  std::vector<std::vector<std::uint32_t>> successors_;
  std::vector<BoundPhase> phases_;
  std::vector<OwnType> types_;  // of messages that one count of a given type can't say
  bool contiguous_ = true;
  std::size_t unit_size_ = 1;  // bytes of data
  bool reorders_ = false;
  bool in_step_ = true;
  bool is_straight_ = false;
  std::size_t max_messages_ = 0;
  std::size_t scratch_units_ = 0;
  int scratch_blocks_ = 0;
};

}  // namespace tutti::run
