#include "choose/evidence/fingerprint.hpp"

#include <fmt/format.h>

#include <fstream>
#include <thread>

namespace tutti::inline choose {

std::optional<std::string> foreign(const Fingerprint& table, const Fingerprint& here) {
  const auto differs = [](const std::string& there, const std::string& mine) {
    return there != "any" && !mine.empty() && there != mine;
  };
  if (differs(table.mpi, here.mpi))
    return fmt::format("was tuned for {}, but this is {}", table.mpi, here.mpi);
  if (differs(table.machine, here.machine))
    return fmt::format("was tuned on '{}', but this is '{}'", table.machine, here.machine);
  return std::nullopt;
}

std::string local_machine() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  std::string model = "unknown processor";
  for (std::string line; std::getline(cpuinfo, line);)
    if (line.starts_with("model name")) {
      model = line.substr(line.find(':') + 2);
      break;
    }
  return fmt::format("{}, {} cores", model, std::thread::hardware_concurrency());
}

}  // namespace tutti::inline choose
