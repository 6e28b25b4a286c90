#pragma once

#include <optional>
#include <string>
#include <vector>

#include "choose/evidence/table.hpp"
#include "choose/profile/profile.hpp"
#include "core/network/network.hpp"

namespace tutti::tools {

/// What one file says of one MPI library on one machine. Files are never mixed: each is shown for
/// itself.
struct Campaign {
  std::string file;
  std::string kind;  ///< "table", "knowledge", "measurements", "prices"
  Fingerprint fingerprint;
  Table table;  ///< decisions, where the file holds some, and measurements
};

/// What `tutti price --json` says of one plan at one size.
struct ToldPrice {
  Collective collective;
  int ranks;
  std::size_t size;
  std::string plan;
  double seconds;
  double limit_s;
};

/// Prices in one file.
struct Prices {
  std::string file;
  std::vector<ToldPrice> list;
};

/// A network in one file.
struct ReportedNetwork {
  std::string file;
  Network network;
};

/// What a program did, in one file.
struct ReportedProfile {
  std::string file;
  Profile profile;
};

/// A file that could not be read, and why.
struct Problem {
  std::string file;
  std::string message;
};

/// Everything that is reported.
struct Findings {
  std::vector<Campaign> campaigns;
  std::vector<Prices> prices;
  std::vector<ReportedNetwork> networks;
  std::vector<ReportedProfile> profiles;
  std::vector<Problem> problems;
};

/// Adds what a file says, by what is in it: a table, knowledge, measurements or prices as JSON, a
/// network, a profile. What is none of these, or broken, is a problem, and nothing else suffers.
void add_file(Findings& findings, const std::string& path);

}  // namespace tutti::tools
