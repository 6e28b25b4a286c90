#pragma once

#include <string>
#include <string_view>

namespace tutti::run {

/// "Open MPI 4.1.4" from the long text that MPI_Get_library_version gives. Libraries that come from
/// MPICH may tell both versions: their own name goes first.
inline std::string library_version(std::string_view text) {
  struct Mark {
    std::string_view before, name;
  };
  constexpr Mark marks[] = {
      {"Open MPI v", "Open MPI"},           {"Intel(R) MPI Library", "Intel MPI"},
      {"CRAY MPICH version", "Cray MPICH"}, {"MVAPICH2 Version", "MVAPICH"},
      {"MVAPICH Version", "MVAPICH"},       {"ParaStation MPI", "ParaStation MPI"},
      {"MPICH Version:", "MPICH"},          {"SMPI Version", "SMPI"},
  };
  for (const auto& [before, name] : marks) {
    const auto at = text.find(before);
    if (at == text.npos) continue;
    const auto begin = text.find_first_not_of("\t :", at + before.size());
    if (begin == text.npos) continue;
    std::string_view version = text.substr(begin, text.find_first_of(",\n\t ", begin) - begin);
    version.remove_suffix(version.size() - 1 - version.find_last_not_of('.'));
    return std::string(name) + " " + std::string(version);
  }
  return std::string(text.substr(0, text.find('\n')));
}

}  // namespace tutti::run
