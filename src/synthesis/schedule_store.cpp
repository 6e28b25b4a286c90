#include "synthesis/schedule_store.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <optional>

namespace tutti {
namespace {

constexpr std::string_view format = "tutti-schedule-1";
constexpr std::size_t most_recent = 16;
constexpr std::size_t most_transfers = 1 << 18;  // of a file

// A line that says what it is, one with the key and the number of transfers, and a line for each.
std::optional<ScheduledTransfers> read(const std::filesystem::path& file, const std::string& key) {
  std::ifstream in(file);
  std::string line;
  if (!std::getline(in, line) || line != format || !std::getline(in, line) || line != key)
    return std::nullopt;
  std::size_t count = 0;
  if (!(in >> count) || count > most_transfers) return std::nullopt;
  ScheduledTransfers transfers(count);
  for (ScheduledTransfer& t : transfers)
    if (!(in >> t.from >> t.to >> t.block >> t.blocks >> t.combine >> t.in_turn)) return std::nullopt;
  return in >> line && line == "end" ? std::optional(std::move(transfers)) : std::nullopt;
}

// Other processes see all of it or nothing.
void write(const std::filesystem::path& file, const std::string& key, const ScheduledTransfers& transfers) {
  if (transfers.size() > most_transfers) return;
  std::error_code ignored;
  std::filesystem::create_directories(file.parent_path(), ignored);
  const std::filesystem::path unfinished = file.string() + fmt::format(".{}", getpid());
  {
    std::ofstream out(unfinished);
    out << format << '\n' << key << '\n' << transfers.size() << '\n';
    for (const ScheduledTransfer& t : transfers)
      out << t.from << ' ' << t.to << ' ' << t.block << ' ' << t.blocks << ' ' << t.combine << ' '
          << t.in_turn << '\n';
    out << "end\n";
    if (!out) return;
  }
  std::filesystem::rename(unfinished, file, ignored);
}

}  // namespace

ScheduleStore& ScheduleStore::instance() {
  static auto& store = *new ScheduleStore;  // programs may end MPI after our statics
  return store;
}

void ScheduleStore::use_folder(std::filesystem::path folder) {
  const std::lock_guard lock(mutex_);
  folder_ = std::move(folder);
}

std::filesystem::path ScheduleStore::file_of(const std::string& key) const {
  return folder_ / fmt::format("{:016x}.schedule", std::hash<std::string>()(key));
}

std::shared_ptr<const ScheduledTransfers> ScheduleStore::find(
    const std::string& key, bool writes, const std::function<ScheduledTransfers()>& compute) {
  const std::lock_guard lock(mutex_);
  const auto known =
      std::find_if(recent_.begin(), recent_.end(), [&](const Entry& entry) { return entry.first == key; });
  if (known != recent_.end()) {
    recent_.splice(recent_.begin(), recent_, known);
    return recent_.front().second;
  }
  auto transfers = folder_.empty() ? std::nullopt : read(file_of(key), key);
  if (!transfers) {
    transfers = compute();
    ++computed_;
    if (writes && !folder_.empty()) write(file_of(key), key, *transfers);
  }
  recent_.emplace_front(key, std::make_shared<const ScheduledTransfers>(std::move(*transfers)));
  if (recent_.size() > most_recent) recent_.pop_back();
  return recent_.front().second;
}

}  // namespace tutti
