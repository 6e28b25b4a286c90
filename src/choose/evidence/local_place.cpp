#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "base/split.hpp"
#include "choose/evidence/local_place.hpp"

namespace tutti::inline choose {
namespace {

namespace fs = std::filesystem;

// A file's first line; empty where there is none.
std::string line_in(const fs::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

std::vector<fs::path> entries_in(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) entries.push_back(entry.path());
  std::ranges::sort(entries);
  return entries;
}

bool is_there(const fs::path& file) {
  std::error_code none;
  return fs::exists(file, none);
}

// A network, the better the farther behind in order.
struct Fabric {
  bool is_physical = false;
  bool is_for_clusters = false;
  double gigabits = 0;  // a second; 0: not known
  std::string kind;
  friend auto operator<=>(const Fabric&, const Fabric&) = default;
};

// What a device of verbs is, such as mlx5_0, hfi1_0 and efa_0, by a port of it.
std::string verbs_kind(const std::string& device, const fs::path& port) {
  if (device.starts_with("hfi1")) return "Omni-Path";
  if (device.starts_with("efa")) return "EFA";
  return line_in(port / "link_layer") == "InfiniBand" ? "InfiniBand" : "RoCE";
}

void look_at_verbs(const fs::path& root, std::set<Fabric>& found) {
  for (const fs::path& device : entries_in(root / "sys/class/infiniband"))
    for (const fs::path& port : entries_in(device / "ports"))
      if (line_in(port / "state").ends_with("ACTIVE"))  // "4: ACTIVE"
        found.insert({true, true,
                      std::strtod(line_in(port / "rate").c_str(), nullptr),  // "100 Gb/sec (4X EDR)"
                      verbs_kind(device.filename().string(), port)});
}

void look_at_slingshot(const fs::path& root, std::set<Fabric>& found) {
  if (!entries_in(root / "sys/class/cxi").empty()) found.insert({true, true, 0, "Slingshot"});
}

// Interfaces of the kernel: physical ones have a device; bridges and radio are none to compute by.
void look_at_interfaces(const fs::path& root, std::set<Fabric>& found) {
  for (const fs::path& interface : entries_in(root / "sys/class/net")) {
    const std::string name = interface.filename().string();
    if (name == "lo" || is_there(interface / "bridge") || is_there(interface / "wireless") ||
        line_in(interface / "operstate") == "down")
      continue;
    if (!is_there(interface / "device")) {
      found.insert({false, false, 0, "virtual Ethernet"});
      continue;
    }
    const double megabits = std::strtod(line_in(interface / "speed").c_str(), nullptr);
    found.insert({true, false, std::max(0.0, megabits / 1000), "Ethernet"});
  }
}

// The numbers of a list such as "0-3,8".
std::vector<int> numbers_in(const std::string& list) {
  std::vector<int> numbers;
  for (const std::string& part : split(list, ',')) {
    char* end = nullptr;
    const long first = std::strtol(part.c_str(), &end, 10);
    const long last = *end == '-' ? std::strtol(end + 1, nullptr, 10) : first;
    if (end == part.c_str()) continue;
    for (long number = first; number <= last && last < CPU_SETSIZE; ++number)
      numbers.push_back(static_cast<int>(number));
  }
  return numbers;
}

// The folders of the system's files on a processor.
fs::path files_of(int processor, const std::string& root) {
  return fs::path(root) / fmt::format("sys/devices/system/cpu/cpu{}", processor);
}
fs::path topology_of(int processor, const std::string& root) {
  return files_of(processor, root) / "topology";
}

// The processors of a list, ascending.
std::vector<int> sorted_numbers_in(const fs::path& file) {
  auto numbers = numbers_in(line_in(file));
  std::ranges::sort(numbers);
  return numbers;
}

// The processors of the NUMA domain that has one, ascending; none where that is not known.
std::vector<int> numa_domain_of(int processor, const std::string& root) {
  const fs::path domains = fs::path(root) / "sys/devices/system/node";
  for (const int domain : numbers_in(line_in(domains / "has_cpu"))) {
    auto processors = sorted_numbers_in(domains / fmt::format("node{}/cpulist", domain));
    if (std::ranges::binary_search(processors, processor)) return processors;
  }
  return {};
}

// The processors that share a processor's cache of the last level; none where only the threads of
// one core do.
std::vector<int> cache_of(int processor, const std::string& root) {
  int last_level = 0;
  fs::path last;
  for (int number = 0;; ++number) {
    const fs::path cache = files_of(processor, root) / fmt::format("cache/index{}", number);
    const std::string level = line_in(cache / "level");
    if (level.empty()) break;
    if (const int found = std::atoi(level.c_str()); found > last_level) {
      last_level = found;
      last = cache;
    }
  }
  if (last_level == 0) return {};
  const auto processors = sorted_numbers_in(last / "shared_cpu_list"),
             of_core = sorted_numbers_in(topology_of(processor, root) / "thread_siblings_list");
  return processors.size() > std::max<std::size_t>(of_core.size(), 1) ? processors : std::vector<int>();
}

}  // namespace

std::string local_fabric(const std::string& root) {
  std::set<Fabric> found;
  look_at_verbs(root, found);
  look_at_slingshot(root, found);
  look_at_interfaces(root, found);
  if (found.empty()) return "";
  const Fabric& best = *found.rbegin();
  return best.gigabits > 0 ? fmt::format("{} {:g} Gb/s", best.kind, best.gigabits) : best.kind;
}

std::string local_binding(const std::vector<int>& processors, const std::string& root) {
  const auto online = numbers_in(line_in(fs::path(root) / "sys/devices/system/cpu/online"));
  if (processors.empty() || online.empty()) return "";
  const fs::path topology = topology_of(processors.front(), root);
  if (processors.size() >= online.size()) return "nothing";
  if (processors.size() == 1 ||
      std::ranges::includes(sorted_numbers_in(topology / "thread_siblings_list"), processors))
    return "core";
  if (sorted_numbers_in(topology / "core_siblings_list") == processors) return "package";
  return fmt::format("{} processors", processors.size());
}

ByHostPart<std::optional<int>> local_places(const std::vector<int>& processors, const std::string& root) {
  if (processors.empty()) return {};
  const auto place_in = [&](const std::vector<int>& part) {
    return std::ranges::includes(part, processors) ? std::optional(part.front()) : std::nullopt;
  };
  const int any = processors.front();
  ByHostPart<std::optional<int>> places;
  places[HostPart::socket] = place_in(sorted_numbers_in(topology_of(any, root) / "core_siblings_list"));
  places[HostPart::numa] = place_in(numa_domain_of(any, root));
  places[HostPart::cache] = place_in(cache_of(any, root));
  return places;
}

std::vector<int> own_processors() {
  cpu_set_t set;
  std::vector<int> numbers;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    for (int i = 0; i < CPU_SETSIZE; ++i)
      if (CPU_ISSET(i, &set)) numbers.push_back(i);
  return numbers;
}

}  // namespace tutti::inline choose
