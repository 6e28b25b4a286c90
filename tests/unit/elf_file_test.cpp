// Which libraries programs need, by files alone.

#include "tools/doctor/elf_file.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "made_up_elf.hpp"

namespace tutti {
using namespace tools;
namespace {

using testing::ElementsAre;
using testing::Optional;

// A folder of made-up libraries, and a linker's cache with files by name.
class LibrariesByCache : public testing::Test {
 protected:
  LibrariesByCache() {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_ + "/own");
    if (const char* path = std::getenv("LD_LIBRARY_PATH")) path_ = path;
    unsetenv("LD_LIBRARY_PATH");
  }
  ~LibrariesByCache() override {
    std::filesystem::remove_all(folder_);
    if (!path_.empty()) setenv("LD_LIBRARY_PATH", path_.c_str(), 1);
  }

  using Entries = std::vector<std::pair<Elf64_Sxword, std::string>>;
  std::string library(const std::string& name, const Entries& entries = {}) {
    const std::string path = folder_ + "/" + name;
    std::ofstream(path, std::ios::binary) << made_up_elf(entries);
    return path;
  }

  // What a program with these entries needs by a cache.
  std::optional<std::vector<std::string>> needed(const Entries& entries,
                                                 const std::map<std::string, std::string>& cached) {
    struct Entry {
      std::uint32_t kind, name, file, system;
      std::uint64_t capabilities;
    };
    std::uint32_t head[12]{};
    std::memcpy(head, "glibc-ld.so.cache1.1", 20);
    head[5] = static_cast<std::uint32_t>(cached.size());
    std::string rows, texts;
    const std::size_t begin = sizeof head + cached.size() * sizeof(Entry);
    for (const auto& [name, file] : cached) {
      const auto at = static_cast<std::uint32_t>(begin + texts.size());
      const Entry entry{0, at, at + static_cast<std::uint32_t>(name.size()) + 1, 0, 0};
      rows.append(reinterpret_cast<const char*>(&entry), sizeof entry);
      texts += name + '\0' + file + '\0';
    }
    const std::string cache = folder_ + "/cache";
    std::ofstream(cache, std::ios::binary)
        << std::string(reinterpret_cast<const char*>(head), sizeof head) << rows << texts;
    return libraries_by_cache(look_at_elf(library("program", entries)).value(), cache);
  }

  const std::string folder_ = testing::TempDir() + fmt::format("tutti-linker-cache-{}", getpid());

 private:
  std::string path_;
};

TEST_F(LibrariesByCache, AreThoseOfLibrariesToo) {
  const std::string solver =
                        library("libsolver.so.1", {{DT_NEEDED, "libmpi.so.40"}, {DT_NEEDED, "libc.so.6"}}),
                    mpi = library("libmpi.so.40", {{DT_NEEDED, "libc.so.6"}}), c = library("libc.so.6");
  const Entries program{{DT_NEEDED, "libsolver.so.1"}, {DT_NEEDED, "libc.so.6"}};
  const std::map<std::string, std::string> cached{
      {"libc.so.6", c}, {"libmpi.so.4", c}, {"libmpi.so.40", mpi}, {"libsolver.so.1", solver}};
  EXPECT_THAT(needed(program, cached), Optional(ElementsAre("libsolver.so.1", "libc.so.6", "libmpi.so.40")));
  setenv("LD_LIBRARY_PATH", "/opt", 1);
  EXPECT_EQ(needed(program, cached), std::nullopt) << "others may lie there";
  unsetenv("LD_LIBRARY_PATH");
  EXPECT_EQ(needed(program, {{"libc.so.6", c}, {"libsolver.so.1", solver}}), std::nullopt)
      << "one is missing";
}

TEST_F(LibrariesByCache, AreLookedForInFoldersThatFilesName) {
  const std::string usual = library("libmpi.so.40", {{DT_NEEDED, "libusual.so"}}), c = library("libusual.so");
  library("own/libmpi.so.40");
  const auto by = [&](Elf64_Sxword tag, const std::string& folders) {
    return needed({{DT_NEEDED, "libmpi.so.40"}, {tag, folders}},
                  {{"libmpi.so.40", usual}, {"libusual.so", c}});
  };
  EXPECT_THAT(by(DT_RUNPATH, "/nowhere:" + folder_ + "/own"), Optional(ElementsAre("libmpi.so.40")));
  EXPECT_THAT(by(DT_RUNPATH, "/nowhere"), Optional(ElementsAre("libmpi.so.40", "libusual.so")));
  EXPECT_EQ(by(DT_RUNPATH, "$ORIGIN/own"), std::nullopt);
  EXPECT_EQ(by(DT_RPATH, folder_ + "/own"), std::nullopt) << "holds for what libraries need, too";
  EXPECT_EQ(by(DT_NEEDED, "./libusual.so"), std::nullopt);
}

TEST_F(LibrariesByCache, AreNotToldByWhatIsNoCache) {
  const auto program = look_at_elf(library("program")).value();
  EXPECT_EQ(libraries_by_cache(program, folder_ + "/none"), std::nullopt);
  EXPECT_EQ(libraries_by_cache(program, folder_ + "/program"), std::nullopt);
}

TEST(ElfFile, IsLookedAt) {
  const auto self = look_at_elf("/proc/self/exe");
  ASSERT_TRUE(self);
  EXPECT_TRUE(self->is_of_this_machine);
  EXPECT_NE(self->interpreter, "");
  EXPECT_FALSE(self->libraries.empty());
  EXPECT_FALSE(look_at_elf("/etc/passwd"));
  EXPECT_FALSE(look_at_elf("/nowhere/at/all"));
}

}  // namespace
}  // namespace tutti
