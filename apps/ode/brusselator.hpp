#pragma once

#include "ode/system.hpp"

namespace tutti::apps {

/// The Brusselator with diffusion on the unit square, two substances that react, nothing leaving:
/// by finite differences on n × n points a sparse system of 2n² equations.
///     u' = 1 + u²v - 4.4u + α Δu,  v' = 3.4u - u²v + α Δv,  u = 0.5 + y and v = 1 + 5x at t = 0.
/// Source: Hairer, Nørsett, Wanner, Solving Ordinary Differential Equations I, 1993, section II.10.
class Brusselator : public System {
 public:
  explicit Brusselator(int points) : points_(points), diffusion_(alpha * (points - 1) * (points - 1)) {}

  int size() const override { return 2 * points_ * points_; }

  Vector initial() const override {
    Vector y(at(size()));
    for (int row = 0; row < points_; ++row)
      for (int column = 0; column < points_; ++column) {
        y[at(index(row, column))] = 0.5 + place(row);
        y[at(index(row, column) + 1)] = 1 + 5 * place(column);
      }
    return y;
  }

  double component(double, const Vector& y, int i) const override {
    const int substance = i % 2, row = i / 2 / points_, column = i / 2 % points_;
    const double u = y[at(i - substance)], v = y[at(i - substance + 1)];
    const double reaction = substance == 0 ? 1 + u * u * v - 4.4 * u : 3.4 * u - u * u * v;
    const auto value = [&](int r, int c) { return y[at(index(mirrored(r), mirrored(c)) + substance)]; };
    const double laplacian = value(row - 1, column) + value(row + 1, column) + value(row, column - 1) +
                             value(row, column + 1) - 4 * value(row, column);
    return reaction + diffusion_ * laplacian;
  }

  double operations() const override { return 14; }

  double derivative(double, const Vector& y, int i, int j) const override {
    const int substance = i % 2;
    const double u = y[at(i - substance)], v = y[at(i - substance + 1)];
    double result = 0;
    if (i / 2 == j / 2) {
      const double by_u[2] = {2 * u * v - 4.4, 3.4 - 2 * u * v}, by_v[2] = {u * u, -u * u};
      result += j % 2 == 0 ? by_u[substance] : by_v[substance];
    }
    if (substance == j % 2) {
      const int row = i / 2 / points_, column = i / 2 % points_;
      const int neighbours[4][2] = {
          {row - 1, column}, {row + 1, column}, {row, column - 1}, {row, column + 1}};
      for (const auto& [r, c] : neighbours)
        if (index(mirrored(r), mirrored(c)) + substance == j) result += diffusion_;
      if (i == j) result -= 4 * diffusion_;
    }
    return result;
  }

 private:
  static constexpr double alpha = 2e-3;

  double place(int point) const { return points_ == 1 ? 0 : static_cast<double>(point) / (points_ - 1); }
  int index(int row, int column) const { return 2 * (row * points_ + column); }
  // No flow over the boundary: the point beyond it has the value of the one before it.
  int mirrored(int point) const {
    return point < 0 ? (points_ > 1) : point == points_ ? (points_ > 1 ? points_ - 2 : 0) : point;
  }

  int points_;
  double diffusion_;
};

}  // namespace tutti::apps
