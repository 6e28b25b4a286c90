// How MPI libraries are named by the long texts that they give of themselves.

#include "run/mpi/library_version.hpp"

#include <gtest/gtest.h>

namespace tutti::run {
namespace {

TEST(LibraryVersion, NamesEachLibraryByItsOwnName) {
  const std::pair<const char*, const char*> cases[] = {
      {"Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, repo rev: v4.1.4, May 26, 2022",
       "Open MPI 4.1.4"},
      {"MPICH Version:      5.0.2\nMPICH Release date: today\nMPICH ABI:          18:2:6\n", "MPICH 5.0.2"},
      {"Intel(R) MPI Library 2021.10 for Linux* OS\n", "Intel MPI 2021.10"},
      {"MPI VERSION    : CRAY MPICH version 8.1.25.17 (ANL base 3.4a2)\nMPI BUILD INFO : Sun",
       "Cray MPICH 8.1.25.17"},
      {"MVAPICH2 Version      :\t2.3.7\nMVAPICH2 Release date :\tWed March 02\n", "MVAPICH 2.3.7"},
      {"MVAPICH Version      :\t3.0\nMVAPICH Release date :\tMonday\n", "MVAPICH 3.0"},
      {"ParaStation MPI 5.9.2-1\nMPICH Version:      4.1.1\n", "ParaStation MPI 5.9.2-1"},
      {"SMPI Version 3.32.", "SMPI 3.32"},
      {"Some MPI 1\nand more", "Some MPI 1"},
      {"", ""},
  };
  for (const auto& [text, name] : cases) EXPECT_EQ(library_version(text), name);
}

}  // namespace
}  // namespace tutti::run
