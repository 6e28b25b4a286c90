#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <vector>

#include "core/network/network.hpp"
#include "core/plan/plan.hpp"

namespace tutti::inline core {

/// How many operations the whole schedule has, estimated from some ranks' parts. Those on many
/// ranges of blocks count for more.
std::size_t estimated_operations(const Plan& plan, const Shape& shape);

/// The symmetry of plan and network both that takes the fewest ranks; none if there is none. Where
/// a plan looks so to some ranks it is taken to be, if every message then has two ends; the network
/// is as all of its links say. The plan is not native and serves such calls.
Symmetry find_symmetry(const Plan& plan, const Shape& shape, const Network& network);

/// What of a part takes time: its operations but copies, each with those it waits for, by way of
/// copies or not.
class Skeleton {
 public:
  explicit Skeleton(const Part& part);
  /// Whether it is another after that move, which takes its rank to the other's: the same
  /// operations on equally many blocks, waiting for the same, with partners moved. What is left to
  /// the MPI library is never alike.
  bool is_moved(const Skeleton& moved, const std::function<Rank(Rank)>& move) const;

 private:
  struct Step {
    OperationKind kind;
    Rank peer;  // of messages
    int tag;
    bool memory;
    int blocks;
    std::vector<int> after;
  };
  std::vector<Step> steps_;
};

/// Ranks' parts of a plan, each generated when it is first asked for.
class Parts {
 public:
  Parts(const Plan& plan, const Shape& shape) : plan_(plan), shape_(shape) {}
  const Part& operator[](Rank rank) const;
  const Skeleton& skeleton(Rank rank) const;
  const Plan& plan() const { return plan_; }
  const Shape& shape() const { return shape_; }

 private:
  const Plan& plan_;
  const Shape& shape_;
  mutable std::map<Rank, Part> parts_;
  mutable std::map<Rank, Skeleton> skeletons_;
};

/// Operations of schedules that are priced as they are, at most, unless time is short.
inline constexpr std::size_t few_operations = 20'000;

/// What has to be generated and simulated to price a plan. Plan, shape and network have to stay
/// as long.
class Outline {
 public:
  /// A symmetry that leaves more than `most` operations is not looked for, nor one where there are
  /// no more than `few`.
  Outline(const Plan& plan, const Shape& shape, std::size_t bytes, const Network& network,
          std::size_t most = std::numeric_limits<std::size_t>::max(), std::size_t few = few_operations);

  /// Number of operations of the ranks that stand for all, about.
  std::size_t operations() const { return operations_; }
  /// The symmetry, looked for where there are many operations; where a vector is not cut into
  /// nearly equal blocks, very many.
  const Symmetry& symmetry() const { return symmetry_; }
  /// Forgets the symmetry: all ranks are to be simulated.
  void unfold() { symmetry_ = {}; }
  /// The parts of the ranks that stand for all.
  Schedule schedule() const;

 private:
  Parts parts_;
  Symmetry symmetry_;
  std::size_t operations_;
};

/// The parts of the ranks that stand for all.
Schedule generate(const Plan& plan, const Shape& shape, const Symmetry& symmetry);

}  // namespace tutti::inline core
