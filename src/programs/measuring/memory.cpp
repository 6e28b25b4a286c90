#include "programs/measuring/memory.hpp"

#include <fstream>
#include <string>

namespace tutti::run {

double available_memory() {
  std::ifstream info("/proc/meminfo");
  for (std::string word; info >> word;)
    if (word == "MemAvailable:") {
      double kibibytes = 0;
      info >> kibibytes;
      return 1024 * kibibytes;
    }
  return 0;
}

}  // namespace tutti::run
