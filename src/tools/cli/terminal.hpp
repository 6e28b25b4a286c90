#pragma once

#include <string>

namespace tutti::tools {

/// From now on nothing is drawn on terminals (--plain).
void keep_plain();

/// A share, from 0 to 1, as a bar of at most `width` characters after two blanks; nothing where
/// standard output is no terminal or is to be kept plain. `good` is coloured, unless NO_COLOR is
/// set.
std::string bar(double share, bool good = false, int width = 20);

}  // namespace tutti::tools
