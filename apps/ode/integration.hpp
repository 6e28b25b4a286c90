#pragma once

#include <cmath>
#include <functional>
#include <limits>

#include "ode/distribution.hpp"
#include "ode/options.hpp"
#include "support/report.hpp"
#include "support/timing.hpp"

namespace tutti::apps {

struct Integrated {
  Vector y;  ///< at the end
  int steps = 0, rejected = 0;
  double seconds = 0;
};

/// A step's new y in place of the old one; its estimated error, alike on all processes.
using Step = std::function<double(double t, double h, Vector& y)>;

/// Integrates from 0 to the end, with steps of one size or chosen such that errors, of the
/// estimate's order p
/// - 1, are near the tolerance. A Refusal where that gives no result.
inline Integrated integrate(const System& system, const Distribution& distribution,
                            const Integration& integration, int order, MPI_Comm comm, const Step& step) {
  Integrated result{.y = system.initial()};
  int is_stuck = 0;
  result.seconds = seconds_of(comm, [&] {
    if (distribution.is_idle()) return;
    if (integration.steps > 0) {
      const double h = integration.end / integration.steps;
      for (; result.steps < integration.steps && !is_stuck; ++result.steps)
        is_stuck = !std::isfinite(step(result.steps * h, h, result.y));
      return;
    }
    double t = 0, h = integration.end / 100;
    while (t < integration.end) {
      h = std::min(h, integration.end - t);
      if (t + h == t) {
        is_stuck = 1;
        return;
      }
      Vector y = result.y;
      const double error = step(t, h, y);
      const bool is_good = error <= integration.tolerance;  // not if it is no number
      if (is_good) {
        // The last step ends just there.
        t = h == integration.end - t ? integration.end : t + h;
        result.y = std::move(y);
        ++result.steps;
      } else {
        ++result.rejected;
      }
      const double factor = 0.9 * std::pow(integration.tolerance / std::max(error, 1e-30), 1.0 / order);
      h *= std::isfinite(error) ? std::clamp(factor, 0.2, is_good ? 3.0 : 0.9) : 0.2;
    }
  });
  MPI_Allreduce(MPI_IN_PLACE, &is_stuck, 1, MPI_INT, MPI_MAX, comm);
  if (is_stuck) throw Refusal("no result with steps of that size; take more steps, or a larger tolerance");
  // Processes that were idle get the result, too.
  MPI_Bcast(result.y.data(), system.size(), MPI_DOUBLE, 0, comm);
  MPI_Bcast(&result.steps, 1, MPI_INT, 0, comm);
  MPI_Bcast(&result.rejected, 1, MPI_INT, 0, comm);
  return result;
}

/// The largest difference of two vectors, relative to 1 + |a|; infinite if one has what is no
/// number.
inline double distance(const Vector& a, const Vector& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(a[i] - b[i]) / (1 + std::abs(a[i]));
    if (!std::isfinite(difference)) return std::numeric_limits<double>::infinity();
    worst = std::max(worst, difference);
  }
  return worst;
}

/// Integrates with `steps` steps of one size, with twice and with four times as many, and judges by
/// what power of two the results' differences fall. solution(steps) is the result at the end.
inline void judge_order(Report& report, int steps, int order, const std::function<Vector(int)>& solution) {
  const Vector coarse = solution(steps), medium = solution(2 * steps), fine = solution(4 * steps);
  const double observed = std::log2(distance(coarse, medium) / distance(medium, fine));
  report.tell("observed_order", observed);
  report.judge("order_lacking", order - observed, 0.3);
}

}  // namespace tutti::apps
