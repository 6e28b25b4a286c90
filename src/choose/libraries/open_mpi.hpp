#pragma once

#include "choose/libraries/library_rules.hpp"

namespace tutti::inline choose {

/// The algorithms of a collective that coll/tuned has a number for.
std::vector<std::string_view> open_mpi_algorithms(Collective collective);
/// Why one of them does not serve so many ranks, for which coll/tuned takes another one, or fails;
/// empty: nothing is known against it.
std::string open_mpi_refusal(Collective collective, const std::string& algorithm, int ranks);

/// Rules that Open MPI may be told: those that its files have numbers for, without those that can
/// hang correct programs. Open MPI looks the latter up by arguments that MPI declares insignificant
/// at some ranks, those of a gather at a root with MPI_IN_PLACE and those of a scatter everywhere
/// but at the root, so that ranks may run different algorithms.
class OpenMpiRules {
 public:
  OpenMpiRules(const std::vector<LibraryRules>& wanted);

  /// In the order in which they were wanted.
  const std::vector<LibraryRules>& all() const { return told_; }
  /// What was wanted and may hang, in words for people: a line for each collective.
  const std::vector<std::string>& left_out() const { return left_out_; }

 private:
  std::vector<LibraryRules> told_;
  std::vector<std::string> left_out_;
};

/// The file that Open MPI's coll/tuned reads where coll_tuned_use_dynamic_rules is 1, as
/// coll_tuned_dynamic_rules_filename: numbers with comments (Open MPI 2 to 5), or JSON with names
/// (from 5.1 on). Communicators and sizes that the rules say nothing of are left to the library's
/// own choice.
///
/// Source: Open MPI, ompi/mca/coll/tuned/coll_tuned_dynamic_file.c.
std::string open_mpi_rules(const OpenMpiRules& rules);
std::string open_mpi_json(const OpenMpiRules& rules);

/// The file that Open MPI's coll/han reads where coll_han_use_dynamic_file_rules is 1, as
/// coll_han_dynamic_rules_filename (from version 5 on): it stands above coll/tuned on communicators
/// of several hosts, and hands to it the calls for which rules name an algorithm. All others it
/// carries out itself. Sizes are those of a rank's block.
///
/// Source: Open MPI, ompi/mca/coll/han/coll_han_dynamic_file.h.
std::string open_mpi_han_rules(const OpenMpiRules& rules);

/// What such a file says, either form; `source` names it in errors. Algorithms for which it has a
/// fan-out, or a number that nobody knows, become "unknown".
Result<std::vector<LibraryRules>> parse_open_mpi_rules(const std::string& text, const std::string& source);

}  // namespace tutti::inline choose
