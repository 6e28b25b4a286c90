#pragma once

#include <cstdio>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "tutti/tutti.h"

namespace checking {

/// Plans that the checker chooses by itself for its communicators (tutti/tutti.h), for operations
/// as Tutti names them: "bcast", "ibcast", "bcast_init".
class Plans {
 public:
  /// Rounds of plans, out of a file of lines "OPERATION PLAN", an empty line between rounds.
  static std::vector<Plans> read_rounds(const std::string& path) {
    std::vector<Plans> rounds(1);
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);)
      if (const auto end = line.find(' '); end != line.npos)
        rounds.back().chosen_.emplace_back(line.substr(0, end), line.substr(end + 1));
      else if (!rounds.back().chosen_.empty())
        rounds.emplace_back();
    if (rounds.back().chosen_.empty()) rounds.pop_back();
    return rounds;
  }

  /// Chooses for a communicator the plans that can serve it; calls of the others stay as they were.
  /// Collective. Without Tutti in the process, or with names that it does not know, it ends the
  /// program.
  void choose_for(MPI_Comm comm) const {
    for (const auto& [operation, plan] : chosen_) {
      const int status = tutti_set_plan(comm, operation.c_str(), plan.c_str());
      if (status == TUTTI_SUCCESS || status == TUTTI_NO_PLAN || status == TUTTI_NOT_SERVED) continue;
      std::fprintf(stderr, "tutti-checker: %s %s: %s\n", operation.c_str(), plan.c_str(), tutti_error());
      MPI_Abort(MPI_COMM_WORLD, 2);
    }
  }

  /// The operations that block, with commas between.
  std::string operations() const {
    std::string names;
    for (const auto& [operation, plan] : chosen_)
      if (operation.front() != 'i' && !operation.ends_with("_init"))
        names += (names.empty() ? "" : ",") + operation;
    return names;
  }

  /// The plan of an operation, as part of a sentence.
  std::string said_of(const std::string& operation) const {
    for (const auto& [name, plan] : chosen_)
      if (name == operation) return " by " + plan;
    return "";
  }

 private:
  std::vector<std::pair<std::string, std::string>> chosen_;
};

}  // namespace checking
