#include "core/synthesis/schedule_store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <sstream>

#include "base/file.hpp"
#include "core/schedule/fnv1a.hpp"

namespace tutti::inline core {
namespace {

// Another one whenever something else is computed: some ranks of a job may find files of an earlier
// Tutti, and others compute.
constexpr std::string_view format = "tutti-schedule-3";
// Schedules that a process keeps, unless they have more transfers together than one may have. It
// was chosen by hand.
constexpr std::size_t most_recent = 16;
// Transfers of a file. It was chosen by hand.
constexpr std::size_t most_in_file = 1 << 18;

}  // namespace

// A line that says what it is, one with the key, one with the number of transfers, and a line for
// each; then a hash of all that, so that a file that was cut, or that two wrote at once, is none.
std::string to_text(const std::string& key, const ScheduledTransfers& transfers) {
  std::string text = fmt::format("{}\n{}\n{}\n", format, key, transfers.size());
  for (const ScheduledTransfer& t : transfers)
    text += fmt::format("{} {} {} {} {:d} {:d}\n", t.from, t.to, t.block, t.blocks, t.combine, t.in_turn);
  return text + fmt::format("end {:016x}\n", fnv1a(text));
}

std::optional<ScheduledTransfers> parse_schedule(const std::string& text, const std::string& key) {
  const auto end = text.rfind("end ");
  if (end == text.npos || text.substr(end) != fmt::format("end {:016x}\n", fnv1a(text.substr(0, end))))
    return std::nullopt;
  std::istringstream in(text.substr(0, end));
  std::string line;
  if (!std::getline(in, line) || line != format || !std::getline(in, line) || line != key)
    return std::nullopt;
  std::size_t count = 0;
  if (!(in >> count) || count > most_in_file) return std::nullopt;
  ScheduledTransfers transfers;
  for (ScheduledTransfer t{}; transfers.size() < count; transfers.push_back(t))
    if (!(in >> t.from >> t.to >> t.block >> t.blocks >> t.combine >> t.in_turn)) return std::nullopt;
  return in >> line ? std::nullopt : std::optional(std::move(transfers));
}

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
  std::optional<ScheduledTransfers> transfers;
  if (!folder_.empty())
    if (const auto text = read_file(file_of(key))) transfers = parse_schedule(*text, key);
  if (!transfers) {
    transfers = compute();
    ++computed_;
    if (writes && !folder_.empty() && transfers->size() <= most_in_file) {
      std::error_code ignored;
      std::filesystem::create_directories(folder_, ignored);
      (void)write_file(file_of(key), to_text(key, *transfers));  // what can't be kept is computed again
    }
  }
  recent_.emplace_front(key, std::make_shared<const ScheduledTransfers>(std::move(*transfers)));
  std::size_t schedules = 0, together = 0;
  const auto first_too_many = std::find_if(recent_.begin(), recent_.end(), [&](const Entry& entry) {
    together += entry.second->size();
    return ++schedules > most_recent || (schedules > 1 && together > most_transfers);
  });
  recent_.erase(first_too_many, recent_.end());
  return recent_.front().second;
}

}  // namespace tutti::inline core
