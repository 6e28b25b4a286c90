#pragma once

#include <cerrno>

namespace tutti::inline base {

/// What a system call returns; it is made again as long as signals interrupt it.
template <class Call>
auto uninterrupted(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

}  // namespace tutti::inline base
