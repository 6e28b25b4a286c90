#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace tutti {

/// What one process of a job finds where it runs, as a program under Tutti would.
struct RankExamination {
  int rank = 0;
  std::string host;
  std::vector<int> processors;            ///< that it may run on
  std::string mpi;                        ///< the MPI library that serves it, as fingerprints name it
  std::string transport, fabric;          ///< what carries its messages, as fingerprints name it
  std::map<std::string, int> components;  ///< priorities of what serves native calls: LibraryComponent
  /// The files that have an MPI_Bcast, in the order in which the dynamic linker asks them. The
  /// first one is called.
  std::vector<std::string> providers;
  std::string library;                          ///< Tutti's among the providers; empty: none is loaded
  std::string library_digest;                   ///< of that file's contents
  std::map<std::string, std::string> settings;  ///< variables of Tutti's that are set
  std::vector<std::string> complaints;          ///< about settings that were not understood
  bool off = false;                             ///< TUTTI_OFF
  std::string knowledge_trouble;                ///< why nothing can be kept; empty: it can
  std::string memory_trouble;  ///< why the next process of this host can't be read; empty: it can, or is none
  std::uint64_t most_files = 0, most_memory = 0;  ///< limits of the process; 0: none
  bool threads_may_call = true;                   ///< MPI_THREAD_MULTIPLE is to be had
  std::string device_library;                     ///< the library of a device that is loaded; empty: none
};

/// What the ranks of one MPI_COMM_WORLD find.
struct Examination {
  std::vector<RankExamination> ranks;
};

/// An examination as one line, and back. Errors: it is no such line.
/// @{
std::string to_line(const Examination& examination);
Result<Examination> examination_from_line(const std::string& line);
/// @}

/// One rank's examination as a line, and back.
/// @{
std::string to_line(const RankExamination& rank);
Result<RankExamination> rank_examination_from_line(const std::string& line);
/// @}

/// What such lines begin with, among what a job prints.
inline constexpr std::string_view examination_mark = "tutti-examination ";

}  // namespace tutti
