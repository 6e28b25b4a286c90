#include "core/network/hockney.hpp"

#include <algorithm>
#include <cmath>

namespace tutti::inline core {

int half_performance_length(const Hockney& link) {
  constexpr double least = 64, most = 1e9;
  return static_cast<int>(link.beta > 0 ? std::clamp(link.alpha / link.beta, least, most) : most);
}

double lower_bound(Collective collective, int ranks, std::size_t size, const Hockney& link) {
  if (ranks < 2) return 0;
  const double p = ranks, n = static_cast<double>(size);
  double bytes = 0;  // through the busiest port
  switch (traits(collective).regular) {
    case Collective::barrier:
      break;
    case Collective::bcast:
    case Collective::reduce:
    case Collective::scan:
    case Collective::exscan:
      bytes = n;
      break;
    case Collective::gather:
    case Collective::scatter:
    case Collective::allgather:
    case Collective::alltoall:
      bytes = (p - 1) * n;
      break;
    case Collective::reduce_scatter_block:
      bytes = (p - 1) / p * n;
      break;
    case Collective::allreduce:
      bytes = 2 * (p - 1) / p * n;
      break;
    case Collective::neighbor_allgather:
    case Collective::neighbor_alltoall:
      return link.alpha + n * link.beta;  // of one neighbour
    default:
      break;
  }
  return std::max(std::ceil(std::log2(p)) * link.alpha, bytes * link.beta);
}

}  // namespace tutti::inline core
