#pragma once

#include <set>
#include <string>
#include <vector>

#include "learning/comparison.hpp"
#include "learning/knowledge.hpp"
#include "plan/plan.hpp"

namespace tutti {

/// Which plans try a class of calls, before anything of it was seen.
struct OnlineCandidates {
  std::vector<Plan> plans;        ///< native first, then those to try, the most promising first
  std::vector<double> prices;     ///< of each, and what native surely takes, in seconds; 0 where nobody knows
  std::vector<Comparison> known;  ///< how they compared in such calls, as far as they did
  std::size_t presumed = 0;       ///< the one that serves calls until another proves better
  std::string because;  ///< where they come from: "known", "known of 64 ranks on 4 hosts", "by price"

  void add(Plan plan, double price = 0);
  void drop(std::size_t number);
  /// The number of a plan; as many as there are where it is none of them.
  std::size_t number_of(const Plan& plan) const;
};

/// As a text, of at most so many bytes, for the ranks that know nothing: of the first that fit.
std::string to_text(OnlineCandidates candidates, std::size_t most_bytes);
/// The same read again.
Result<OnlineCandidates> parse_candidates(Collective collective, const std::string& text);

/// At most so many besides native.
inline constexpr std::size_t most_candidates = 6;

/// What is known of the same class decides, where it is much: the best plan is presumed, and what may be
/// better yet is tried; where nothing gains, or not much, a few that nobody has tried. Else what is known of
/// the nearest numbers of ranks, hosts and sizes, then, of different kinds, what is cheapest on the network:
/// by price on few ranks, by closed forms on many. Where calls are known to take much longer natively than a
/// plan's price, and nobody has tried, that is presumed. `mpi` is as of Fingerprint; `setting` is the
/// communicator's, its hosts known.
OnlineCandidates online_candidates(const Knowledge& knowledge, const std::string& mpi, const CallClass& calls,
                                   const Setting& setting);

/// What such a call surely takes natively, in seconds, as far as that is known; 0 elsewhere.
double native_seconds(const Knowledge& knowledge, const std::string& mpi, const CallClass& calls);
/// The most of any calls of ranks so placed.
double slowest_native_seconds(const Knowledge& knowledge, const std::string& mpi, const Placement& placement);
/// And what programs have spent in all calls of which that is known.
double seconds_in_slow_calls(const Knowledge& knowledge, const std::string& mpi, const Placement& placement);

/// Whether a plan is known that surely gains in such calls.
bool knows_a_gain(const Knowledge& knowledge, const std::string& mpi, const CallClass& calls);
/// The same in any calls of ranks so placed.
bool knows_a_gain(const Knowledge& knowledge, const std::string& mpi, const Placement& placement);

/// What is asked of the cheapest plans.
struct Wanted {
  std::size_t most = most_candidates;
  bool may_connect = true;  ///< many ranks that other plans don't (stays_near), if that promises much
  std::set<std::string> tried = {};  ///< none of these
};

/// A plan and what a call by it takes, in seconds.
struct Priced {
  Plan plan;
  double seconds;
};

/// The plans of different kinds that are cheapest on a network, the cheapest first.
std::vector<Priced> cheapest(const CallClass& calls, const Setting& setting, const Network* network,
                             const Wanted& wanted);

}  // namespace tutti
