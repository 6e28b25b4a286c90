#include "run/online/knowledge_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <utility>

#include "choose/evidence/rules.hpp"
#include "choose/online/start_delay.hpp"
#include "core/network/by_levels.hpp"
#include "core/schedule/fnv1a.hpp"
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
  auto found = KnowledgeStore(folder_).unread(here_.machine, here_.mpi);
  if (found) {
    unread_ = std::move(*found);
    known_ = unread_.without_classes().seen_from(here_);
  } else {
    log_.say(LogLevel::warn, "{}; learning begins anew", found.error().message);
  }
}

void KnowledgeWriter::read(const std::function<bool(const UnreadClass&)>& wanted) {
  if (const auto found = unread_.read(wanted))
    known_.merge(found->seen_from(here_));
  else
    log_.say(LogLevel::warn, "{}; learning of such calls begins anew", found.error().message);
}

void KnowledgeWriter::read(const Placement& placement) {
  if (read_.insert(placement).second)
    read([&](const UnreadClass& one) { return one.placement == placement; });
}

// Of one class as much is read as of all of ranks so placed, which are few.
void KnowledgeWriter::read(const CallClass& calls) {
  read(calls.placement);
}

template <typename Answer, typename Of>
Answer KnowledgeWriter::ask(Answer (*says)(const Knowledge&, const std::string&, const Of&), const Of& of) {
  const auto lock = loaded();
  read(of);
  return says(known_, here_.mpi, of);
}

bool KnowledgeWriter::knows_a_gain(const CallClass& calls) {
  return ask<bool>(tutti::knows_a_gain, calls);
}

bool KnowledgeWriter::knows_a_gain(const Placement& placement) {
  return ask<bool>(tutti::knows_a_gain, placement);
}

double KnowledgeWriter::native_seconds(const CallClass& calls) {
  return ask<double>(tutti::native_seconds, calls);
}

double KnowledgeWriter::native_seconds_spent(const CallClass& calls) {
  return ask<double>(tutti::native_seconds_spent, calls);
}

double KnowledgeWriter::slowest_native_seconds(const Placement& placement) {
  return ask<double>(tutti::slowest_native_seconds, placement);
}

double KnowledgeWriter::seconds_in_slow_calls(const Placement& placement) {
  return ask<double>(tutti::seconds_in_slow_calls, placement);
}

double KnowledgeWriter::untried_seconds(const CallClass& calls) {
  return ask<double>(tutti::untried_seconds, calls);
}

double KnowledgeWriter::most_untried_seconds(const Placement& placement) {
  return ask<double>(tutti::most_untried_seconds, placement);
}

OnlineCandidates KnowledgeWriter::candidates_for(const CallClass& calls, const Setting& setting,
                                                 const FindLibraryPlans& of_library) {
  const auto lock = loaded();
  read(calls);
  read([&, name = calls.called().name()](const UnreadClass& one) {
    return one.called == name && may_count_for(one.placement, calls.placement);
  });
  return online_candidates(known_, here_.mpi, calls, setting, of_library);
}

bool KnowledgeWriter::lacks_network(const Hosts& hosts, std::size_t levels) {
  const auto lock = loaded();
  const Network* const known = known_network();
  if (!known) return true;
  const bool several = count(hosts) > 1;
  return several && (count(known->hosts) == 1 || static_cast<std::size_t>(count_levels(*known)) < levels);
}

void KnowledgeWriter::take(const Network& network) {
  if (network.links.empty()) return;
  const auto lock = loaded();
  known_.networks.insert_or_assign({here_.mpi}, network);
  news_.networks.insert_or_assign({here_.mpi, here_.carrier(count(network.hosts))}, network);
}

// Null where nothing is known.
const Network* KnowledgeWriter::known_network() const {
  const auto known = known_.networks.find({here_.mpi});
  return known == known_.networks.end() ? nullptr : &known->second;
}

double KnowledgeWriter::seconds_between_hosts(std::size_t bytes) {
  const auto lock = loaded();
  const Network* const network = known_network();
  return network && count(network->hosts) > 1 ? network->links.back().time(static_cast<double>(bytes)) : 0;
}

bool KnowledgeWriter::knows_groups_of(const std::vector<std::string>& hosts) {
  std::vector<std::uint64_t> ids;
  for (const std::string& host : hosts) ids.push_back(fnv1a(host));
  const auto lock = loaded();
  return found_of(known_.groups, ids) != nullptr;
}

void KnowledgeWriter::take(const std::vector<std::string>& hosts,
                           const std::vector<std::vector<std::uint64_t>>& groups) {
  std::map<std::string, std::vector<std::string>> of_hosts;  // the innermost first
  for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
    std::vector<std::string> names;
    for (const std::uint64_t group : groups[rank])
      names.insert(names.begin(), names.empty() ? "all" : fmt::format("group-{}", group));
    of_hosts.try_emplace(hosts[rank], std::move(names));
  }
  auto whereabouts = whereabouts_of(of_hosts, "what was found");
  if (!whereabouts) return;
  const FoundGroups found{std::move(*whereabouts), today()};
  const auto lock = loaded();
  add(known_.groups, found);
  add(news_.groups, found);
}

void KnowledgeWriter::take(const CallClass& calls, const std::string& plan, const Evidence& news,
                           double now) {
  if (news.empty() || !calls.is_shared()) return;
  const auto lock = loaded();
  take_evidence(calls, plan, news);
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

void KnowledgeWriter::take_evidence(const CallClass& calls, const std::string& plan, Evidence news) {
  news.first = news.last = today();
  read(calls);
  known_.classes[{here_.mpi, calls}][plan].merge(news);
  news_.classes[{here_.mpi, calls, here_.carrier(calls.placement.hosts)}][plan].merge(news);
}

void KnowledgeWriter::take_untried(const CallClass& calls, double seconds) {
  if (seconds <= 0 || !calls.is_shared()) return;
  const std::lock_guard lock(mutex_);
  untried_s_[calls] += seconds;
}

void KnowledgeWriter::try_for(const CallClass& calls, double seconds) {
  const auto lock = loaded();
  take_evidence(calls, "native", {.untried_s = -seconds});
}

// What is hardly a part of all that nothing was tried in is left out, so that files stay short.
void KnowledgeWriter::take_in_untried() {
  double all_s = 0;
  for (const auto& [calls, seconds] : untried_s_) all_s += seconds;
  std::mt19937_64 random(
      static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()));
  const double times = times_kept(all_s, news_.empty() ? online::expected_write_s : 0,
                                  std::generate_canonical<double, 32>(random));
  if (times > 0 && !loaded_) load();
  for (const auto& [calls, seconds] : untried_s_)
    if (times > 0 && seconds >= LearningRules{}.run_share * all_s)
      take_evidence(calls, "native", {.untried_s = times * seconds});
  untried_s_.clear();
}

void KnowledgeWriter::write() {
  const std::lock_guard lock(mutex_);
  const bool found_out = !news_.empty();
  if (!folder_.empty() && !untried_s_.empty()) take_in_untried();
  if (folder_.empty() || news_.empty()) return;
  const KnowledgeStore store(folder_);
  const auto written = found_out ? store.add(news_).map([] { return true; }) : store.add_at_once(news_);
  if (!written && found_out)
    log_.say(LogLevel::warn, "what was learnt can't be kept: {}", written.error().message);
  else if (written && *written)
    forget_news();
}

// What can't be written stays for the next time: others may hold the file.
void KnowledgeWriter::forget_news() {
  news_.classes.clear();
  news_.networks.clear();
  news_.groups.clear();
}

}  // namespace tutti::run
