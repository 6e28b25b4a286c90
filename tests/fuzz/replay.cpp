// Tries all files of some folders: seeds, and what fuzzers once found. Without a fuzzer, for every
// run of the tests.
//
// Usage: fuzz-NAME FOLDER…

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "fuzz.hpp"

int main(int argc, char** argv) {
  int files = 0;
  for (int i = 1; i < argc; ++i)
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) {
      std::ifstream file(entry.path(), std::ios::binary);
      std::printf("%s\n", entry.path().c_str());
      std::fflush(stdout);
      try_text({std::istreambuf_iterator<char>(file), {}});
      ++files;
    }
  std::printf("%d files\n", files);
  return files == 0;
}
