#pragma once

#include <span>
#include <vector>

namespace tutti::apps {

using Vector = std::vector<double>;

inline std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

/// A system of ordinary differential equations y' = f(t, y) with its initial values at t = 0.
class System {
 public:
  virtual ~System() = default;
  virtual int size() const = 0;
  virtual Vector initial() const = 0;
  /// Component i of f; y is the whole vector.
  virtual double component(double t, const Vector& y, int i) const = 0;
  /// Arithmetic operations of a component.
  virtual double operations() const = 0;
  /// ∂f_i / ∂y_j
  virtual double derivative(double t, const Vector& y, int i, int j) const = 0;
};

}  // namespace tutti::apps
