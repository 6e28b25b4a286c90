#pragma once

#include <string>
#include <tl/expected.hpp>

namespace tutti::inline base {

/// What is wrong with something a user gave, and what to do about it.
struct Error {
  std::string message;  ///< one line, complete
};

template <typename T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> failure(std::string message) {
  return tl::unexpected<Error>(Error{std::move(message)});
}

}  // namespace tutti::inline base
