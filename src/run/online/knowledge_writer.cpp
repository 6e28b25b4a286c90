#include "run/online/knowledge_writer.hpp"

#include <utility>

#include "core/network/by_levels.hpp"
#include "run/online/constants.hpp"

namespace tutti::run {
// What is known, to be asked as long as this is held. It is read when first needed: most ranks
// never do.
std::unique_lock<std::mutex> KnowledgeWriter::loaded() {
  std::unique_lock lock(mutex_);
  if (!loaded_) load();
  return lock;
}

void KnowledgeWriter::load() {
  loaded_ = true;
  known_.machine = news_.machine = here_.machine;
  if (folder_.empty()) return;
  auto found = KnowledgeStore(folder_).load(here_.machine);
  if (found)
    known_ = found->seen_from(here_);
  else
    log_.say(LogLevel::warn, "{}; learning begins anew", found.error().message);
}

bool KnowledgeWriter::knows_a_gain(const CallClass& calls) {
  const auto lock = loaded();
  return tutti::knows_a_gain(known_, here_.mpi, calls);
}

bool KnowledgeWriter::knows_a_gain(const Placement& placement) {
  const auto lock = loaded();
  return tutti::knows_a_gain(known_, here_.mpi, placement);
}

double KnowledgeWriter::native_seconds(const CallClass& calls) {
  const auto lock = loaded();
  return tutti::native_seconds(known_, here_.mpi, calls);
}

double KnowledgeWriter::native_seconds_spent(const CallClass& calls) {
  const auto lock = loaded();
  return tutti::native_seconds_spent(known_, here_.mpi, calls);
}

double KnowledgeWriter::slowest_native_seconds(const Placement& placement) {
  const auto lock = loaded();
  return tutti::slowest_native_seconds(known_, here_.mpi, placement);
}

double KnowledgeWriter::seconds_in_slow_calls(const Placement& placement) {
  const auto lock = loaded();
  return tutti::seconds_in_slow_calls(known_, here_.mpi, placement);
}

OnlineCandidates KnowledgeWriter::candidates_for(const CallClass& calls, const Setting& setting,
                                                 const FindLibraryPlans& of_library) {
  const auto lock = loaded();
  return online_candidates(known_, here_.mpi, calls, setting, of_library);
}

bool KnowledgeWriter::lacks_network(const Hosts& hosts, std::size_t levels) {
  const auto lock = loaded();
  const auto known = known_.networks.find({here_.mpi});
  if (known == known_.networks.end()) return true;
  const bool several = count(hosts) > 1;
  return several &&
         (count(known->second.hosts) == 1 || static_cast<std::size_t>(count_levels(known->second)) < levels);
}

void KnowledgeWriter::take(const Network& network) {
  if (network.links.empty()) return;
  const auto lock = loaded();
  known_.networks.insert_or_assign({here_.mpi}, network);
  news_.networks.insert_or_assign({here_.mpi, here_.carrier(count(network.hosts))}, network);
}

void KnowledgeWriter::take(const CallClass& calls, const std::string& plan, const Evidence& news,
                           double now) {
  if (news.calls <= 0 || !calls.is_shared()) return;
  const auto lock = loaded();
  Evidence dated = news;
  dated.first = dated.last = today();
  known_.classes[{here_.mpi, calls}][plan].merge(dated);
  news_.classes[{here_.mpi, calls, here_.carrier(calls.placement.hosts)}][plan].merge(dated);
  if (written_at_ < 0) written_at_ = now;
  if (now - written_at_ < online::write_every_s) return;
  written_at_ = now;
  if (folder_.empty()) return;
  // The program is in a collective call, where all its ranks would wait for another's lock.
  const auto written = KnowledgeStore(folder_).add_at_once(news_);
  if (written && *written)
    forget_news();
  else if (!written && !std::exchange(complained_, true))
    log_.say(LogLevel::warn, "what was learnt can't be kept yet: {}", written.error().message);
}

void KnowledgeWriter::write() {
  const std::lock_guard lock(mutex_);
  if (folder_.empty() || news_.empty()) return;
  if (const auto written = KnowledgeStore(folder_).add(news_); written)
    forget_news();
  else
    log_.say(LogLevel::warn, "what was learnt can't be kept: {}", written.error().message);
}

// What can't be written stays for the next time: others may hold the file.
void KnowledgeWriter::forget_news() {
  news_.classes.clear();
  news_.networks.clear();
}

}  // namespace tutti::run
