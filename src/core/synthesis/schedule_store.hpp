#pragma once

#include <filesystem>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "core/synthesis/scheduled_transfer.hpp"

namespace tutti::inline core {

/// A schedule as it is kept in a file, and back: nothing where the text is no whole one for that
/// key.
std::string to_text(const std::string& key, const ScheduledTransfers& transfers);
std::optional<ScheduledTransfers> parse_schedule(const std::string& text, const std::string& key);

/// Computed schedules of this process, and those of earlier ones in a folder. What a key says has
/// to settle the schedule, as every rank looks for itself.
class ScheduleStore {
 public:
  static ScheduleStore& instance();

  /// Keeps schedules in a folder too, which is made when the first one is written; nowhere if it is
  /// empty. What can't be written is not kept, and what can't be read is computed again.
  void use_folder(std::filesystem::path folder);

  /// The schedule of that key, computed if there is none. One of the callers `writes` it to the
  /// folder.
  std::shared_ptr<const ScheduledTransfers> find(const std::string& key, bool writes,
                                                 const std::function<ScheduledTransfers()>& compute);

  /// Schedules that were neither in memory nor in the folder, so far.
  int computed() const { return computed_; }

 private:
  using Entry = std::pair<std::string, std::shared_ptr<const ScheduledTransfers>>;

  std::filesystem::path file_of(const std::string& key) const;

  std::mutex mutex_;
  std::filesystem::path folder_;
  std::list<Entry> recent_;  // the last used first
  int computed_ = 0;
};

}  // namespace tutti::inline core
