#pragma once

#include <string>
#include <string_view>

namespace tutti::run {

/// "Open MPI 4.1.4" from the long text that MPI_Get_library_version gives.
inline std::string library_version(std::string_view text) {
  const auto word_after = [text](std::string_view mark) -> std::string_view {
    const auto at = text.find(mark);
    if (at == text.npos) return {};
    const auto begin = text.find_first_not_of("\t ", at + mark.size());
    return begin == text.npos ? std::string_view{}
                              : text.substr(begin, text.find_first_of(",\n\t ", begin) - begin);
  };
  if (const auto version = word_after("Open MPI v"); !version.empty())
    return "Open MPI " + std::string(version);
  if (const auto version = word_after("MPICH Version:"); !version.empty())
    return "MPICH " + std::string(version);
  if (const auto version = word_after("SMPI Version"); !version.empty())
    return "SMPI " + std::string(version, 0, version.find_last_not_of('.') + 1);
  return std::string(text.substr(0, text.find('\n')));
}

}  // namespace tutti::run
