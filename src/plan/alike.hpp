#pragma once

#include <cstddef>
#include <functional>

#include "network/network.hpp"
#include "plan/plan.hpp"

namespace tutti {

/// How many operations the whole schedule has, estimated from some ranks' parts. Those on many ranges of
/// blocks count for more.
std::size_t estimated_operations(const Plan& plan, const Shape& shape);

/// The symmetry of plan and network both that takes the fewest ranks; none if there is none. What looks like
/// one to some ranks and some links is taken for one. The plan is not native and serves such calls.
Symmetry find_symmetry(const Plan& plan, const Shape& shape, const Network& network);

/// What has to be generated and carried out to price a plan.
struct Outline {
  /// Looked for where there are many operations; where a vector is not cut into nearly equal blocks, very many.
  Symmetry symmetry;
  std::size_t operations = 0;  ///< of the ranks that stand for all, about
};

Outline outline(const Plan& plan, const Shape& shape, std::size_t bytes, const Network& network);

/// The parts of the ranks that stand for all.
Schedule generate(const Plan& plan, const Shape& shape, const Symmetry& symmetry);

/// Whether a rank's part is another's after that move, which takes the one to the other: the same operations
/// on equally many blocks, waiting for the same, with partners moved.
bool is_moved(const Part& part, const Part& moved, const std::function<Rank(Rank)>& move);

}  // namespace tutti
