#pragma once

namespace tutti {

/// (x − y) / (x + y) of two times: negative where x is the shorter. It lies in −1 … 1 however long one of
/// them took, and only turns its sign when they change places.
inline double contrast(double x, double y) {
  return x + y > 0 ? (x - y) / (x + y) : 0;
}

/// x / y, of their contrast.
inline double ratio_of_contrast(double contrast) {
  return (1 + contrast) / (1 - contrast);
}

/// The contrast of two times of which one is `ratio` times as long as the other.
inline double contrast_of_ratio(double ratio) {
  return (ratio - 1) / (ratio + 1);
}

}  // namespace tutti
