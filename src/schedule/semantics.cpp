#include "schedule/semantics.hpp"

namespace tutti {

ValueId initial_value(const Shape& shape, Rank rank, Buffer buffer, int block, ValueTable& values) {
  const Value own{block, {{rank, rank + 1}}};
  switch (shape.collective) {
    case Collective::bcast:  // the root's vector lies where all the others' will
      return buffer == Buffer::output && rank == shape.root ? values.intern(own) : undefined_value;
    case Collective::allgather:
      return buffer == Buffer::input && block == rank ? values.intern(own) : undefined_value;
    case Collective::allreduce:
      return buffer == Buffer::input ? values.intern(own) : undefined_value;
  }
  return undefined_value;
}

ValueId required_value(const Shape& shape, Rank, int block, ValueTable& values) {
  switch (shape.collective) {
    case Collective::bcast:
      return values.intern({block, {{shape.root, shape.root + 1}}});
    case Collective::allgather:
      return values.intern({block, {{block, block + 1}}});
    case Collective::allreduce:
      return values.intern({block, {{0, shape.ranks}}});
  }
  return undefined_value;
}

}  // namespace tutti
