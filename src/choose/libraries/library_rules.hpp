#pragma once

#include <optional>
#include <string>
#include <vector>

#include "choose/evidence/table.hpp"

namespace tutti::inline choose {

/// One of an MPI library's own algorithms, by the library's name for it: "binomial", or with the
/// segments, in bytes, that it passes on one by one: "pipeline/8192". The empty name is the
/// library's own choice.
struct LibraryAlgorithm {
  std::string name;
  std::size_t segment = 0;  ///< 0: whole

  std::string text() const;
  static LibraryAlgorithm of(const std::string& text);
  friend bool operator==(const LibraryAlgorithm&, const LibraryAlgorithm&) = default;
};

/// The algorithm that carries out messages of up to a size (CollectiveTraits::size_means). Rules go
/// by ascending size.
struct LibraryRule {
  std::size_t size_max;  ///< inclusive; the last one has no limit
  LibraryAlgorithm algorithm;
  friend bool operator==(const LibraryRule&, const LibraryRule&) = default;
};

/// Adds what holds from the last rule on, up to a size; of one algorithm in a row one rule is made.
void add_rule(std::vector<LibraryRule>& rules, std::size_t size_max, const LibraryAlgorithm& algorithm);

/// The rules for one collective on communicators of `ranks` to `ranks_max` ranks.
struct LibraryRules {
  Collective collective;
  int ranks, ranks_max;
  std::vector<LibraryRule> rules;
  friend bool operator==(const LibraryRules&, const LibraryRules&) = default;
};

/// Rules by what was measured of a library's own algorithms (`Table::library`): the one that surely
/// takes less than the library's choice, at each size; the library's choice where none does, for
/// other numbers of ranks, and for what was not measured. Operations of which the library's rules
/// go by no size have one at all sizes or none: a scan, too. Where a number of ranks was measured
/// on several numbers of hosts, those on the most count.
std::vector<LibraryRules> best_of_library(const Table& table);

/// Picks the rules for calls between hosts which `component` serves by itself there, so that it has
/// to hand them to the one with the algorithms.
std::vector<LibraryRules> served_by(std::string_view component, const std::vector<LibraryRules>& rules,
                                    const Table& table);

/// A table of our plans that do what the library's algorithms do; native where we have none, or it
/// is the library's choice. `family` is "openmpi" or "mpich"; the table is for `fingerprint`.
Table table_of(const std::vector<LibraryRules>& rules, const std::string& family,
               const Fingerprint& fingerprint);

/// Our plan that does what such an algorithm does, if we have one.
std::optional<Plan> counterpart(const std::string& family, Collective collective,
                                const LibraryAlgorithm& algorithm);

}  // namespace tutti::inline choose
