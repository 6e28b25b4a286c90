#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include "core/schedule/block_lengths.hpp"
#include "core/schedule/collective.hpp"
#include "core/schedule/host_parts.hpp"
#include "core/schedule/symmetry.hpp"

namespace tutti::inline core {

/// A process of the communicator, 0 … ranks − 1.
using Rank = int;

/// Where blocks live. The caller owns `input` (never written) and `output`; `scratch` is private to
/// one call. With MPI_IN_PLACE a rank's input is its output: the same block of both is then the
/// same memory.
enum class Buffer : std::uint8_t { input, output, scratch };

/// Consecutive blocks [first, first + count) of one buffer.
///
/// Blocks are the unit in which a collective's data are cut; their sizes are bound late, when a
/// call is made. `input` and `output` hold blocks 0 … Shape::blocks − 1; block i of `scratch` is as
/// large as block i mod Shape::blocks, so scratch may hold several copies of the vector. (alltoall,
/// and between neighbours: as large as what is put there, which is only one block in all.)
struct BlockRange {
  Buffer buffer;
  int first;
  int count;
  friend bool operator==(const BlockRange&, const BlockRange&) = default;
};

constexpr BlockRange input(int first, int count = 1) {
  return {Buffer::input, first, count};
}
constexpr BlockRange output(int first, int count = 1) {
  return {Buffer::output, first, count};
}
constexpr BlockRange scratch(int first, int count = 1) {
  return {Buffer::scratch, first, count};
}

/// Ranges in order, as of one message. Empty ranges are dropped, neighbours joined.
class Ranges {
 public:
  Ranges() = default;
  Ranges(BlockRange range) { add(range); }
  Ranges(std::initializer_list<BlockRange> ranges) {
    for (const BlockRange& range : ranges) add(range);
  }
  void add(BlockRange range) {
    if (range.count == 0) return;
    if (size_ > 0) {
      BlockRange& last = size_ <= few_.size() ? few_[size_ - 1] : all_.back();
      if (last.buffer == range.buffer && last.first + last.count == range.first) {
        last.count += range.count;
        return;
      }
    }
    if (size_ == few_.size()) all_.assign(few_.begin(), few_.end());
    if (size_ >= few_.size())
      all_.push_back(range);
    else
      few_[size_] = range;
    ++size_;
  }
  void add(const Ranges& more) {
    for (const BlockRange& range : more) add(range);
  }
  bool empty() const { return size_ == 0; }
  /// Blocks in all.
  int count() const {
    int blocks = 0;
    for (const BlockRange& range : *this) blocks += range.count;
    return blocks;
  }
  operator std::span<const BlockRange>() const { return {begin(), size_}; }
  const BlockRange* begin() const { return size_ <= few_.size() ? few_.data() : all_.data(); }
  const BlockRange* end() const { return begin() + size_; }
  friend bool operator==(const Ranges&, const Ranges&) = default;

 private:
  // Most messages have one range or two, which need no memory of their own.
  std::size_t size_ = 0;
  std::array<BlockRange, 2> few_{};  // the first ones
  std::vector<BlockRange> all_;      // where they are more
};

/// The host of each rank; hosts are numbered from 0 on in the order of their first ranks.
using Hosts = std::vector<int>;
inline int count(const Hosts& hosts) {
  return hosts.empty() ? 0 : *std::max_element(hosts.begin(), hosts.end()) + 1;
}
/// In which part of its host each rank is, numbered as hosts are, those of different hosts apart;
/// empty: not known.
using PlacesInHosts = ByHostPart<Hosts>;

struct GroupLevels;
struct KnownNetwork;
struct Topology;

/// What a schedule depends on: never on bytes, so that it serves every message size, unless it is
/// computed for one network.
///
/// Blocks by collective. bcast, reduce, allreduce, scan and exscan cut their vector into `blocks`
/// even parts (the first ones one element longer where it does not divide). The others have one
/// block a rank, `blocks` = `ranks`: gather and allgather collect rank r's input as block r;
/// scatter and reduce_scatter_block leave block r with rank r; in alltoall, input block i goes to
/// rank i and output block i comes from there. A barrier has one block, a token that says nothing.
/// Where a collective has one block a rank, `blocks` may be a multiple of `ranks`: each is cut into
/// as many pieces, those of block r being r·pieces, r·pieces + 1, …. Between neighbours the
/// caller's own numbers of blocks count: an allgather has input block 0, all else is as Topology
/// says, and `blocks` is its greatest number. The caller has no other blocks than these: see
/// `is_present`.
struct Shape {
  Collective collective;  ///< a regular one (CollectiveTraits::regular)
  int ranks;
  Rank root;  ///< 0 where the collective has none
  int blocks;
  bool commutative = true;                     ///< reductions: may operands change places
  const Hosts* hosts = nullptr;                ///< null: every rank on a host of its own
  const PlacesInHosts* in_hosts = nullptr;     ///< null: not known
  const GroupLevels* levels = nullptr;         ///< as groups were told; null: they were not
  const KnownNetwork* network = nullptr;       ///< of schedules that are computed for one
  std::size_t bytes = 0;                       ///< of those: about how long the vector is
  const Topology* topology = nullptr;          ///< of collectives between neighbours
  BlockLengths lengths = BlockLengths::equal;  ///< for which it is priced
  friend bool operator==(const Shape&, const Shape&) = default;
};

/// Into how many pieces the shape cuts each rank's block, where the collective has one a rank.
inline int pieces(const Shape& shape) {
  return traits(shape.collective).on_neighbors ? 1 : shape.blocks / shape.ranks;
}

enum class OperationKind : std::uint8_t { send, recv, reduce, copy, clear, native };
constexpr bool is_message(OperationKind kind) {
  return kind == OperationKind::send || kind == OperationKind::recv;
}

/// The operand that `from` is in `into = … ∘ …`. It matters for operations that do not commute.
/// `into_first` may destroy `from`, which therefore has to lie in scratch.
enum class OperandOrder : std::uint8_t { from_first, into_first };

/// Index of an operation in its rank's part.
using OperationId = int;

/// One thing a rank does. The meaning of the ranges by kind:
///   send, recv    what is sent to `peer`, or where what `peer` sends is put: one message, ranges in order
///   reduce, copy  two ranges of equal length: into, from
///   clear         one range, which becomes what changes nothing in a reduction
///   native        what this rank gets, then what it gives; `peer` numbers the native phase
struct Operation {
  OperationKind kind;
  OperandOrder order = OperandOrder::from_first;
  Rank peer = -1;
  int tag = 0;  ///< counts the messages between two ranks in one direction
  /// Messages: between ranks of one host it goes through memory that they share. Native phases:
  /// NativePhase::in_memory.
  bool memory = false;
  std::uint8_t phase = 0;  ///< of a composition: in which of this rank's own it is, at most 255
  std::uint32_t ranges_begin = 0, ranges_count = 0;
  std::uint32_t after_begin = 0, after_count = 0;
  friend bool operator==(const Operation&, const Operation&) = default;
};

/// A phase left to the MPI library: a collective of its own on the ranks of `group`, in that order,
/// with the group's `root`-th as root.
///
/// It has blocks of its own as Shape says for its collective, a vector being one block. Each is
/// where `into` and `from` say: what this rank gets and gives, nothing where it has no such block.
/// In a broadcast the root gives, the others get.
struct NativePhase {
  Collective collective;
  std::vector<Rank> group;
  int root = 0;
  /// All blocks of the phase, on all ranks, are equally many blocks of the schedule.
  bool even = true;
  /// A barrier, reduce or allreduce: where the group are the ranks of one host they carry it out in
  /// memory that they share.
  bool in_memory = false;
  /// The algorithm by which the library is to carry it out, by its name there; empty: it chooses.
  std::string algorithm = {};
  std::vector<Ranges> into, from;
  friend bool operator==(const NativePhase&, const NativePhase&) = default;
};

/// The ranges of all blocks of a phase, one after another.
inline std::vector<BlockRange> all_ranges(const std::vector<Ranges>& blocks) {
  std::vector<BlockRange> all;
  for (const Ranges& block : blocks) all.insert(all.end(), block.begin(), block.end());
  return all;
}

/// One rank's share of a schedule: operations, each with the earlier ones it has to wait for.
class Part {
 public:
  Part() = default;
  /// A part from its pieces, to which the operations' indices refer. Nothing is checked: that is
  /// for
  /// `verify`.
  Part(std::vector<Operation> operations, std::vector<BlockRange> ranges, std::vector<OperationId> after,
       int scratch_blocks = 0)
      : operations_(std::move(operations)),
        ranges_(std::move(ranges)),
        after_(std::move(after)),
        scratch_blocks_(scratch_blocks) {}

  std::span<const Operation> operations() const { return operations_; }
  const Operation& operator[](OperationId id) const { return operations_[static_cast<std::size_t>(id)]; }
  std::span<const BlockRange> ranges(const Operation& op) const {
    return std::span(ranges_).subspan(op.ranges_begin, op.ranges_count);
  }
  std::span<const OperationId> after(const Operation& op) const {
    return std::span(after_).subspan(op.after_begin, op.after_count);
  }
  std::span<const NativePhase> native_phases() const { return native_phases_; }
  const NativePhase& native_phase(const Operation& op) const {
    return native_phases_[static_cast<std::size_t>(op.peer)];
  }
  /// Blocks of scratch used: one more than the highest index.
  int scratch_blocks() const { return scratch_blocks_; }

  friend bool operator==(const Part&, const Part&) = default;

 private:
  friend class Builder;
  std::vector<Operation> operations_;
  std::vector<BlockRange> ranges_;
  std::vector<OperationId> after_;
  std::vector<NativePhase> native_phases_;
  int scratch_blocks_ = 0;
};

/// An operation of a schedule.
struct OperationRef {
  Rank rank;
  OperationId id;
};

/// A whole collective: every rank's part, or those of the ranks that stand for all. Needed to
/// prove, price and draw; running needs one part only.
struct Schedule {
  Shape shape;
  std::vector<Part> parts;
  Symmetry symmetry = {};
};

}  // namespace tutti::inline core
