#pragma once

namespace tutti::inline choose {

/// A value without its last bits: the libraries of two hosts may differ in the last bit of a power
/// or a logarithm, and what ranks decide by may not.
inline double rounded(double value) {
  return static_cast<double>(static_cast<float>(value));
}

}  // namespace tutti::inline choose
