#pragma once

#include <optional>
#include <vector>

#include "core/algorithms/patterns/workspace.hpp"
#include "core/plan/plan.hpp"
#include "core/schedule/builder.hpp"

namespace tutti::inline core {

/// The ranks of a phase in its own order, and the number of its root among them.
struct Group {
  std::vector<Rank> ranks;
  int root = 0;
};

/// Writes one rank's part of a composition: collectives on groups of its ranks, one after the
/// other, which flow into one schedule. A later phase starts on what has arrived from an earlier
/// one.
class Phases {
 public:
  /// `apart`: a rank begins a phase when all its part in the one before is done, as if they were
  /// separate calls, and not as soon as its data are there.
  explicit Phases(Builder& builder, bool apart = false) : b_(builder), apart_(apart) {}

  /// Room for a copy of the whole vector.
  Vector copy_of_vector() { return copies_of_vector(1); }
  /// Room for several, one after the other.
  Vector copies_of_vector(int copies);
  /// Room for single blocks of any size, where the collective has such scratch (alltoall).
  int room(int blocks);

  /// A phase whose own blocks are given blocks of the vector, by their numbers (in any buffer):
  /// `bundles` by the number of the phase's block. The phase reads them in `from` and leaves its
  /// result in `into`, which may be the same; neither is there where this rank gives or gets
  /// nothing. Numbers from the vector's end on are those of copies that follow each other.
  void run(const Plan& plan, const Group& group, const std::vector<Ranges>& bundles,
           std::optional<Vector> from, std::optional<Vector> into);

  /// A phase for a collective on a vector, which is blocks [share.first, share.first +
  /// share.count).
  void run(const Plan& plan, const Group& group, BlockRange share, std::optional<Vector> from,
           std::optional<Vector> into);

  /// An alltoall: what goes to each of the group, and where what comes from each is put. `even`:
  /// all of them, on all ranks of the group, have equally many blocks.
  void exchange(const Plan& plan, const Group& group, std::vector<Ranges> from, std::vector<Ranges> into,
                bool even);

 private:
  struct Blocks;
  int next_copy() const;
  void take(const Ranges& scratch);
  Rank member(const Group& group) const;
  void carry_out(const Plan& plan, const Group& group, Blocks blocks);
  void carry_out_alone(const Plan& plan, const Blocks& blocks);
  void carry_out_natively(const Plan& plan, const Group& group, Blocks blocks);

  Builder& b_;
  bool apart_;
  int scratch_ = 0;  // blocks taken
};

/// Several blocks together; by their numbers only, or in a buffer.
Ranges bundle(const std::vector<int>& blocks, Buffer buffer = Buffer::output);
/// Bundles of one block each.
std::vector<Ranges> single_bundles(const std::vector<int>& blocks);
/// A range cut into `parts` parts as even as whole blocks allow.
std::vector<Ranges> even_bundles(BlockRange range, int parts);

/// What a phase reads or leaves where only some ranks have it.
inline std::optional<Vector> only_if(bool condition, Vector vector) {
  return condition ? std::optional(vector) : std::nullopt;
}

/// The ranks in the order of their numbers.
std::vector<Rank> own_order(int ranks);
/// The whole collective of a builder, which is not between neighbours, as one phase of a plan on
/// all ranks in an order.
void run_as_phase(Builder& builder, const Plan& plan, const std::vector<Rank>& order);

}  // namespace tutti::inline core
