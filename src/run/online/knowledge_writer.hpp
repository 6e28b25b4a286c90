#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>

#include "choose/evidence/knowledge_store.hpp"
#include "choose/planner/online_candidates.hpp"
#include "choose/settings/log.hpp"

namespace tutti::run {

/// What this process knows of the machine: what it found in the user's folder, and what its
/// communicators find out, which it adds there from time to time and at the end. It waits for
/// others that write there at the end only, if it has found out something. Where that fails a line
/// says so, and the program goes on.
class KnowledgeWriter {
 public:
  KnowledgeWriter(std::string folder, Fingerprint here, Log log)
      : folder_(std::move(folder)), here_(std::move(here)), log_(log) {}

  /// Whether a plan is known that surely gains in such calls.
  bool knows_a_gain(const CallClass& calls);
  /// Whether a plan is known that surely gains in any calls of ranks so placed.
  bool knows_a_gain(const Placement& placement);
  /// What such a call surely takes natively, in seconds, and the most that any does of ranks so
  /// placed; 0 where that is not known.
  double native_seconds(const CallClass& calls);
  double slowest_native_seconds(const Placement& placement);
  /// What programs have spent in such calls natively, and in all of ranks so placed, in seconds.
  /// @{
  double native_seconds_spent(const CallClass& calls);
  double seconds_in_slow_calls(const Placement& placement);
  /// @}
  /// What programs have spent in such calls without trying anything in them, and the most in
  /// any of ranks so placed, in seconds.
  /// @{
  double untried_seconds(const CallClass& calls);
  double most_untried_seconds(const Placement& placement);
  /// @}
  /// What plans are worth trying, by what is known now.
  OnlineCandidates candidates_for(const CallClass& calls, const Setting& setting,
                                  const FindLibraryPlans& of_library);
  /// Whether something is not known yet of the network between such ranks, whose hosts were told to
  /// be in so many levels of groups.
  bool lacks_network(const Hosts& hosts, std::size_t levels);
  void take(const Network& network);
  /// What a message of so many bytes between two hosts takes, in seconds; 0: not known.
  double seconds_between_hosts(std::size_t bytes);
  /// Whether it is known which groups all these hosts are in.
  bool knows_groups_of(const std::vector<std::string>& hosts);
  /// Takes the groups of ranks' hosts, by rank, as a look for groups has them.
  void take(const std::vector<std::string>& hosts, const std::vector<std::vector<std::uint64_t>>& groups);
  /// `now` is in seconds, of any clock that goes on.
  void take(const CallClass& calls, const std::string& plan, const Evidence& news, double now);
  /// Takes in that such calls took so many seconds, in which nothing was tried.
  void take_untried(const CallClass& calls, double seconds);
  /// Takes in that plans are tried for so many seconds that such calls took earlier programs.
  void try_for(const CallClass& calls, double seconds);
  /// Adds the news to the folder. Calls in which nothing was tried are no reason to write each
  /// time: where nothing else is new they are kept now and then (times_kept).
  void write();

 private:
  std::unique_lock<std::mutex> loaded();
  template <typename Answer, typename Of>
  Answer ask(Answer (*says)(const Knowledge&, const std::string&, const Of&), const Of& of);
  void load();
  void read(const CallClass& calls);
  void read(const Placement& placement);
  void read(const std::function<bool(const UnreadClass&)>& wanted);
  const Network* known_network() const;
  void take_evidence(const CallClass& calls, const std::string& plan, Evidence news);
  void take_in_untried();
  void forget_news();

  std::string folder_;
  Fingerprint here_;
  Log log_;
  std::mutex mutex_;
  bool loaded_ = false, complained_ = false;
  UnreadKnowledge unread_;    // classes of calls that nobody has asked for
  std::set<Placement> read_;  // of which all was read
  Knowledge known_, news_;
  std::map<CallClass, double> untried_s_;
  double written_at_ = -1;
};

}  // namespace tutti::run
