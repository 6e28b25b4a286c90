// What the doctor concludes from what was seen, and what can be seen of programs from outside.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "base/shell.hpp"
#include "made_up_elf.hpp"
#include "tools/doctor/diagnosis.hpp"

namespace tutti {
using namespace tools;
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

RankExamination sound_rank(int rank) {
  RankExamination seen;
  seen.rank = rank;
  seen.host = "h" + std::to_string(rank / 2);
  seen.processors = {0, 1};
  seen.mpi = "Open MPI 4.1.4";
  seen.providers = {"/opt/libtutti-openmpi.so", "/usr/lib/libmpi.so.40"};
  seen.library = seen.providers.front();
  seen.library_digest = "17";
  seen.settings = {{"TUTTI_LEARN", "1"}};
  seen.most_files = 1024;
  return seen;
}

Circumstances sound() {
  Examination world;
  for (int rank = 0; rank < 4; ++rank) world.ranks.push_back(sound_rank(rank));
  return {.launcher = "mpirun",
          .mpi = "openmpi",
          .launcher_version = "Open MPI 4.1.4",
          .program =
              ProgramFile{"./program", ProgramFile::Kind::dynamic, false, {"libmpi.so.40", "libc.so.6"}, {}},
          .worlds = {world}};
}

std::vector<std::string> names(const Circumstances& circumstances) {
  std::vector<std::string> list;
  for (const Finding& finding : diagnose(circumstances)) list.push_back(finding.name);
  return list;
}

TEST(Doctor, FindsNothingWhereAllIsWell) {
  EXPECT_THAT(names(sound()), IsEmpty());
}

TEST(Doctor, NamesEachThingThatIsWrong) {
  using FileKind = ProgramFile::Kind;
  const auto rank = [](Circumstances& c, int which) -> RankExamination& {
    return c.worlds.front().ranks[static_cast<std::size_t>(which)];
  };
  const std::vector<std::pair<std::string, std::function<void(Circumstances&)>>> cases{
      {"program-missing", [](auto& c) { c.program->kind = FileKind::missing; }},
      {"program-not-executable", [](auto& c) { c.program->kind = FileKind::not_executable; }},
      {"program-other-machine", [](auto& c) { c.program->kind = FileKind::other_machine; }},
      {"program-static", [](auto& c) { c.program->kind = FileKind::fixed; }},
      {"program-setuid", [](auto& c) { c.program->changes_user = true; }},
      {"program-libraries", [](auto& c) { c.program->missing_libraries = {"libmpi.so.12"}; }},
      {"program-sanitizer", [](auto& c) { c.program->libraries.push_back("libasan.so.8"); }},
      {"program-sanitizer",
       [](auto& c) {
         c.program->libraries.push_back("libclang_rt.asan-x86_64.so");
         c.program->asan_options = "detect_leaks=0";
       }},
      {"program-other-mpi", [](auto& c) { c.program->libraries = {"libmpich.so.12"}; }},
      {"program-other-abi", [](auto& c) { c.program->libraries = {"libmpi_abi.so.1"}; }},
      {"program-other-abi", [](auto& c) { c.library = "abi"; }},
      {"program-without-mpi", [](auto& c) { c.program->libraries = {"libc.so.6"}; }},
      {"launcher-fails",
       [](auto& c) {
         c.worlds.clear();
         c.trouble = "exit status 1";
       }},
      {"launcher-ends-badly", [](auto& c) { c.trouble = "signal 11"; }},
      {"launcher-slots",
       [](auto& c) {
         c.worlds.clear();
         c.said = "There are not enough slots available in the system to satisfy the 9";
       }},
      {"launcher-other-mpi", [](auto& c) { c.worlds.push_back(c.worlds.front()); }},
      {"one-rank", [](auto& c) { c.worlds.front().ranks.resize(1); }},
      {"mpi-version", [&](auto& c) { rank(c, 3).mpi = "Open MPI 5.0.1"; }},
      {"preload-lost",
       [&](auto& c) {
         rank(c, 2).library = "";
         rank(c, 2).providers = {"/usr/lib/libmpi.so.40"};
       }},
      {"libraries-differ", [&](auto& c) { rank(c, 1).library_digest = "18"; }},
      {"another-tool",
       [&](auto& c) { rank(c, 0).providers.insert(rank(c, 0).providers.begin(), "/opt/libprofiler.so"); }},
      {"off", [&](auto& c) { rank(c, 0).off = true; }},
      {"setting", [&](auto& c) { rank(c, 0).complaints = {"no such variable"}; }},
      {"settings-differ", [&](auto& c) { rank(c, 1).settings["TUTTI_FALLBACK"] = "silent"; }},
      {"knowledge", [&](auto& c) { rank(c, 1).knowledge_trouble = "/home/x: Permission denied"; }},
      {"oversubscribed", [&](auto& c) { rank(c, 2).host = "h0"; }},
      {"transports-differ", [&](auto& c) { rank(c, 3).fabric = "ob1 (tcp), Ethernet"; }},
      {"native-component",
       [&](auto& c) {
         rank(c, 0).components = {{"han", 35}, {"tuned", 30}};
       }},
      {"memory", [&](auto& c) { rank(c, 2).memory_trouble = "Operation not permitted"; }},
      {"device", [&](auto& c) { rank(c, 2).device_library = "libcuda.so.1"; }},
      {"files", [&](auto& c) { rank(c, 2).most_files = 20; }},
      {"address-space", [&](auto& c) { rank(c, 2).most_memory = 1 << 30; }},
      {"progress-thread",
       [&](auto& c) {
         for (auto& one : c.worlds.front().ranks) {
           one.settings["TUTTI_PROGRESS"] = "thread";
           one.threads_may_call = false;
         }
       }},
  };
  for (const auto& [name, spoil] : cases) {
    Circumstances circumstances = sound();
    spoil(circumstances);
    EXPECT_THAT(names(circumstances), ElementsAre(name));
    for (const Finding& finding : diagnose(circumstances)) {
      EXPECT_FALSE(finding.what.empty());
      EXPECT_EQ(finding.remedy.empty(), name == "program-without-mpi") << name;
    }
  }
}

TEST(Doctor, IsContentWithASanitizerThatDoesNotLook) {
  Circumstances circumstances = sound();
  circumstances.program->libraries.push_back("libasan.so.8");
  EXPECT_THAT(diagnose(circumstances).front().remedy, HasSubstr("ASAN_OPTIONS=verify_asan_link_order=0"));
  circumstances.program->asan_options = "detect_leaks=0:verify_asan_link_order=0";
  EXPECT_THAT(names(circumstances), IsEmpty());
}

TEST(Doctor, NotesDoNotMakeAnythingUnsound) {
  Circumstances circumstances = sound();
  circumstances.worlds.front().ranks.resize(1);
  EXPECT_TRUE(is_sound(diagnose(circumstances)));
  circumstances.worlds.front().ranks[0].off = true;
  EXPECT_FALSE(is_sound(diagnose(circumstances)));
  EXPECT_EQ(diagnose(circumstances).front().name, "off") << "what is worse comes first";
}

TEST(Doctor, SaysWhatServesNativeCalls) {
  Circumstances circumstances = sound();
  circumstances.worlds.front().ranks[0].components = {{"han", 35}, {"tuned", 30}};
  const auto found = diagnose(circumstances);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(is_sound(found));
  EXPECT_THAT(found.front().what, HasSubstr("coll/han (priority 35) before coll/tuned (30)"));
  // On one host han serves nothing.
  for (RankExamination& rank : circumstances.worlds.front().ranks) {
    rank.host = "h0";
    rank.processors = {0, 1, 2, 3};
  }
  EXPECT_THAT(names(circumstances), IsEmpty());
}

TEST(Doctor, SaysHowSettingsDiffer) {
  Circumstances circumstances = sound();
  circumstances.worlds.front().ranks[1].settings = {{"TUTTI_LEARN", "0"}, {"TUTTI_FALLBACK", "warn"}};
  EXPECT_THAT(diagnose(circumstances).front().what,
              HasSubstr("TUTTI_FALLBACK ('warn' against not set), TUTTI_LEARN ('0' against '1')"));
}

TEST(Examination, ReadsBackWhatItWrites) {
  Examination examination = sound().worlds.front();
  examination.ranks[1].complaints = {"a \"quoted\" word, and bytes: \xff"};
  const auto again = examination_from_line(to_line(examination)).value();
  ASSERT_EQ(again.ranks.size(), 4u);
  EXPECT_EQ(again.ranks[2].host, "h1");
  EXPECT_EQ(again.ranks[1].providers, examination.ranks[1].providers);
  EXPECT_EQ(again.ranks[3].settings, examination.ranks[3].settings);
  EXPECT_FALSE(examination_from_line("{}"));
  EXPECT_FALSE(examination_from_line("noise"));
}

TEST(ProgramFile, TellsMpisByTheirLibraries) {
  ProgramFile program;
  read_libraries(
      "\tlinux-vdso.so.1 (0x7ff)\n\tlibmpi_usempif08.so.40 => /lib/libmpi_usempif08.so.40 (0x7f)\n"
      "\tlibblas.so.3 => not found\n\t/lib64/ld-linux-x86-64.so.2 (0x7f)\n",
      program);
  EXPECT_EQ(program.mpi(), "openmpi");
  EXPECT_THAT(program.missing_libraries, ElementsAre("libblas.so.3"));
  program.libraries = {"libmpi.so.12"};
  EXPECT_EQ(program.mpi(), "mpich") << "the common ABI of MPICH's family";
  program.libraries = {"libc.so.6"};
  EXPECT_EQ(program.mpi(), "");
}

TEST(ProgramFile, IsFoundBehindLaunchersAndWrappers) {
  const auto word = [](std::vector<std::string> words) -> std::string {
    const std::size_t at = position_of_program(words);
    return at < words.size() ? words[at] : "";
  };
  EXPECT_EQ(word({"mpirun", "-n", "4", "/bin/true", "argument"}), "/bin/true");
  EXPECT_EQ(word({"mpirun", "-n", "4", "--map-by", "ls", "true", "false"}), "true");
  EXPECT_EQ(word({"srun", "env", "A=/bin/ls", "nice", "/bin/true"}), "/bin/true");
  EXPECT_EQ(word({"mpirun", "-n", "4", "./not-there"}), "./not-there");
  EXPECT_EQ(word({"mpirun", "-hostfile", "./hosts", "-n", "4", "ldd", "/bin/true"}), "/bin/true")
      << "behind a script";
  EXPECT_EQ(word({"mpirun", "-n", "4"}), "");
  EXPECT_EQ(word({"mpirun", "--prtemca", "plm_ssh_agent", "ldd", "-n", "4", "true"}), "true");
  EXPECT_EQ(word({"mpirun", "--pmixmca", "ls", "env", "--output", "ls", "true"}), "true");
  EXPECT_EQ(word({"mpiexec", "-genv", "SHELL", "/bin/sh", "-n", "4", "true"}), "true");
  EXPECT_EQ(word({"mpirun", "-H", "ls", "true"}), "true");
  EXPECT_EQ(word({"srun", "-w", "ls", "--nodelist", "ls", "true"}), "true");
  EXPECT_EQ(word({"srun", "--export", "ls", "true"}), "true");
  const std::string long_list(300, 'h');
  EXPECT_EQ(word({"mpirun", "-H", long_list, "true"}), "true");
  EXPECT_EQ(word({"mpirun", "--some-list", long_list, "true"}), "true");
  EXPECT_EQ(path_of_program("./" + long_list), "");
}

// Folders bear parameters of what is computed there.
TEST(ProgramFile, MayHaveAnEqualsSignInItsPath) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(testing::TempDir()) / "tutti-programs" / "dt=0.1";
  fs::remove_all(folder);
  fs::create_directories(folder);
  const std::string program = folder / "program";
  fs::create_symlink("/bin/true", program);
  const std::vector<std::string> words{"mpirun", "env", "A_1=/bin/ls", program, "/bin/ls"};
  EXPECT_EQ(position_of_program(words), 3u);
  fs::remove_all(folder);
  EXPECT_TRUE(is_assignment("_A1="));
  for (const char* word : {"", "A", "=1", "1A=1", "a/b=1"}) EXPECT_FALSE(is_assignment(word)) << word;
}

// What a program names tells its MPI, and the linker is not asked for more.
TEST(ProgramFile, TellsItsMpiByItself) {
  namespace fs = std::filesystem;
  const std::string program = fs::path(testing::TempDir()) / "tutti-names-its-mpi";
  const auto libraries = [&](const std::string& library, WantedLibraries wanted) {
    std::ofstream(program, std::ios::binary) << made_up_elf({{DT_NEEDED, library}});
    fs::permissions(program, fs::perms::owner_all);
    const ProgramFile found = look_at_program(program, wanted);
    EXPECT_EQ(found.kind, ProgramFile::Kind::dynamic);
    EXPECT_EQ(found.uses_mpi(), !found.libraries.empty()) << library;
    return found.libraries;
  };
  EXPECT_THAT(libraries("libmpi.so.40", WantedLibraries::enough_for_mpi), ElementsAre("libmpi.so.40"));
  EXPECT_THAT(libraries("libmpi_abi.so.0", WantedLibraries::enough_for_mpi), ElementsAre("libmpi_abi.so.0"));
  EXPECT_THAT(libraries("libnowhere.so.1", WantedLibraries::enough_for_mpi), IsEmpty())
      << "the linker can't say";
  EXPECT_THAT(libraries("libmpi.so.40", WantedLibraries::all), IsEmpty()) << "the linker can't say";
  fs::remove(program);
}

TEST(ProgramFile, IsLookedAt) {
  EXPECT_EQ(look_at_program("/proc/self/exe").kind, ProgramFile::Kind::dynamic);
  EXPECT_FALSE(look_at_program("/proc/self/exe").libraries.empty());
  EXPECT_EQ(look_at_program("/nowhere/at/all").kind, ProgramFile::Kind::missing);
  EXPECT_EQ(look_at_program("/etc/passwd").kind, ProgramFile::Kind::not_executable);
  EXPECT_EQ(look_at_program("ldd").kind, ProgramFile::Kind::script);
}

}  // namespace
}  // namespace tutti
