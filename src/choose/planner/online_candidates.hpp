#pragma once

#include <functional>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "choose/evidence/comparison.hpp"
#include "choose/evidence/knowledge.hpp"
#include "choose/planner/constants.hpp"
#include "core/plan/plan.hpp"

namespace tutti::inline choose {

/// The plans to try for a class of calls, before anything of it was seen.
struct OnlineCandidates {
  std::vector<Plan> plans;        ///< native first, then those to try, the most promising first
  std::vector<double> prices;     ///< of each, and what native surely takes, in seconds; 0 where nobody knows
  std::vector<Comparison> known;  ///< how they compared in such calls, as far as they did
  std::size_t presumed = 0;       ///< the one that serves calls until another proves better
  std::string because;  ///< where they come from: "known", "known of 64 ranks on 4 hosts", "by price"
  double paid_s = 0;    ///< what earlier programs that tried nothing pay for trying them, in seconds

  void add(Plan plan, double price = 0);
  void drop(std::size_t number);
  /// The number of a plan, or the number of plans where it is none of them.
  std::size_t number_of(const Plan& plan) const;
};

/// Text of at most `most_bytes` bytes for the ranks that know nothing: of the first candidates that
/// fit.
std::string to_text(OnlineCandidates candidates, std::size_t most_bytes);
/// Candidates read from such a text.
Result<OnlineCandidates> parse_candidates(Collective collective, const std::string& text);

/// One of the MPI library's own algorithms as a plan, and the plan of ours that does the same: its
/// price is that one's.
struct LibraryPlan {
  Plan plan, alike;
};
/// Finds those that can be asked for. That may take time: some libraries look at all they have.
using FindLibraryPlans = std::function<std::vector<LibraryPlan>()>;

/// What is known of the same class decides, where it is much: the best plan is presumed, and what
/// may be better yet is tried: any plan where nothing gains, or not much, else those that should
/// take much less than the best. A few that nobody has tried are among them, and a few of the MPI
/// library's own algorithms. Else what is known of the nearest numbers of ranks, hosts and sizes is
/// tried, then, of different kinds, what is cheapest on the network: by price on few ranks, by
/// closed forms on many. Where calls are known to take much longer natively than a plan's price,
/// and nobody has tried, that is presumed. The knowledge is as seen from here, and `mpi` as of
/// Fingerprint; `setting` is the communicator's, its hosts known.
OnlineCandidates online_candidates(const Knowledge& knowledge, const std::string& mpi, const CallClass& calls,
                                   const Setting& setting, const FindLibraryPlans& of_library = {});

/// Whether what is known of calls of ranks placed `there` may tell what to try in such calls of
/// ranks placed `here`.
bool may_count_for(const Placement& there, const Placement& here);

/// What such a call surely takes natively, in seconds, as far as that is known; 0 elsewhere.
double native_seconds(const Knowledge& knowledge, const std::string& mpi, const CallClass& calls);
/// Time that programs have spent in such calls natively, in seconds, as far as the former is known.
double native_seconds_spent(const Knowledge& knowledge, const std::string& mpi, const CallClass& calls);
/// The longest time that a call of ranks so placed surely takes natively, in seconds; 0: unknown.
double slowest_native_seconds(const Knowledge& knowledge, const std::string& mpi, const Placement& placement);
/// Time that programs have spent in all calls of ranks so placed whose native time is known, in
/// seconds.
double seconds_in_slow_calls(const Knowledge& knowledge, const std::string& mpi, const Placement& placement);
/// What such calls took programs that tried nothing in them, less what later ones have tried
/// plans for, and the most of any calls of ranks so placed, in seconds.
/// @{
double untried_seconds(const Knowledge& knowledge, const std::string& mpi, const CallClass& calls);
double most_untried_seconds(const Knowledge& knowledge, const std::string& mpi, const Placement& placement);
/// @}

/// Whether a plan is known that surely gains in such calls.
bool knows_a_gain(const Knowledge& knowledge, const std::string& mpi, const CallClass& calls);
/// Whether a plan is known that surely gains in any calls of ranks so placed.
bool knows_a_gain(const Knowledge& knowledge, const std::string& mpi, const Placement& placement);

/// What is asked of the cheapest plans.
struct Wanted {
  std::size_t most = planner::most_candidates;
  bool may_connect = true;  ///< many ranks that other plans don't (stays_near), if that promises much
  std::set<std::string> tried = {};                               ///< none of these
  double most_seconds = std::numeric_limits<double>::infinity();  ///< that a call by them takes
};

/// A plan and what a call by it takes, in seconds; 0 where nobody knows.
struct Priced {
  Plan plan;
  double seconds;
};

/// The plans of different kinds that are cheapest on a network, the cheapest first; behind that,
/// where blocks may be empty, one that leaves out their messages, and where all ranks know of
/// longer ones, one that passes these on in pieces.
std::vector<Priced> cheapest(const CallClass& calls, const Setting& setting, const Network* network,
                             const Wanted& wanted);
/// What such a call takes by a plan that serves it, in seconds, as prices have it there; 0 where it
/// has none.
double quick_price(const Plan& plan, const CallClass& calls, const Setting& setting, const Network* network);

}  // namespace tutti::inline choose
