// The rooms of src/ and who may include whom. A new arrow is a change of the architecture: docs/design.md has
// the table.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>

namespace {

namespace fs = std::filesystem;

const std::map<std::string, std::set<std::string>> allowed{
    {"text", {}},
    {"schedule", {"text"}},
    {"algorithms", {"text", "schedule"}},
    {"network", {"text", "schedule"}},
    {"synthesis", {"text", "schedule", "algorithms", "network"}},
    {"plan", {"text", "schedule", "algorithms", "network", "synthesis"}},
    {"tuning", {"text", "schedule", "algorithms", "network", "synthesis", "plan"}},
    {"learning", {"text", "schedule", "algorithms", "network", "synthesis", "plan", "tuning"}},
    {"libraries", {"text", "schedule", "algorithms", "network", "synthesis", "plan", "tuning"}},
    {"profile", {"text", "schedule", "algorithms", "network", "synthesis", "plan", "tuning", "learning"}},
    {"settings", {"text", "schedule", "algorithms", "network", "synthesis", "plan", "tuning", "learning"}},
    {"report",
     {"text", "schedule", "algorithms", "network", "synthesis", "plan", "tuning", "learning", "profile"}},
    {"mpi", {}},
    {"transport", {"mpi"}},
    {"execution", {"schedule", "mpi", "transport"}},
    {"runtime",
     {"text", "schedule", "algorithms", "network", "synthesis", "plan", "tuning", "learning", "settings",
      "profile", "mpi", "transport", "execution"}},
    {"measuring",
     {"text", "schedule", "algorithms", "network", "synthesis", "plan", "tuning", "learning", "settings",
      "mpi", "transport", "execution", "runtime"}},
    {"checking", {}},
    {"interpose", {"mpi", "settings", "runtime"}},
    {"api",
     {"text", "schedule", "algorithms", "network", "synthesis", "plan", "tuning", "learning", "settings",
      "profile", "mpi", "transport", "execution", "runtime", "interpose"}},
    {"ort", {}},
    {"doctor", {"text"}},
    {"examining",
     {"text", "schedule", "algorithms", "network", "synthesis", "plan", "tuning", "learning", "settings",
      "doctor", "mpi"}},
    {"cli",
     {"text", "schedule", "algorithms", "network", "synthesis", "plan", "tuning", "learning", "settings",
      "profile", "report", "doctor", "libraries"}},
};
const std::set<std::string> sees_mpi{"mpi",      "transport", "execution", "runtime", "measuring",
                                     "checking", "interpose", "api",       "ort",     "examining"};

struct Violation {
  std::string where, what;
};

// Checks one file's text as if it stood in a room.
std::vector<Violation> check(const std::string& room, const std::string& file, std::istream& text) {
  static const std::regex include(R"(^\s*#\s*include\s*[<"]([^>"]+)[>"])");
  std::vector<Violation> found;
  int number = 0;
  for (std::string line; std::getline(text, line);) {
    ++number;
    std::smatch match;
    if (!std::regex_search(line, match, include)) continue;
    const std::string target = match[1];
    const std::string where = file + ":" + std::to_string(number);
    if (target == "mpi.h" && !sees_mpi.contains(room)) found.push_back({where, room + " must not see mpi.h"});
    const std::string other = target.substr(0, target.find('/'));
    if (target.find('/') == target.npos || !allowed.contains(other) || other == room) continue;
    if (!allowed.at(room).contains(other)) found.push_back({where, room + " must not include " + target});
  }
  return found;
}

TEST(Rooms, IncludesKeepToTheirDoors) {
  int files = 0;
  for (const auto& room : fs::directory_iterator(fs::path(TUTTI_SOURCE_DIR) / "src")) {
    if (!room.is_directory()) continue;
    const std::string name = room.path().filename();
    ASSERT_TRUE(allowed.contains(name))
        << "src/" << name << " is a room nobody knows; say here whom it may include";
    for (const auto& entry : fs::recursive_directory_iterator(room)) {
      if (entry.path().extension() != ".cpp" && entry.path().extension() != ".hpp") continue;
      ++files;
      std::ifstream text(entry.path());
      for (const Violation& violation : check(name, entry.path(), text))
        ADD_FAILURE() << violation.where << ": " << violation.what;
    }
  }
  EXPECT_GT(files, 50);
}

TEST(Rooms, AWrongIncludeIsFound) {
  std::istringstream wrong("#include \"execution/program.hpp\"\n#include <mpi.h>\n#include <vector>\n");
  EXPECT_EQ(check("schedule", "x.hpp", wrong).size(), 2u);
  std::istringstream right("#include \"schedule/schedule.hpp\"\n#include <mpi.h>\n");
  EXPECT_EQ(check("runtime", "x.hpp", right).size(), 0u);
}

// Whoever adds an algorithm touches no other file: no room knows one by name but through the registry.
TEST(Rooms, FamiliesAreNamedAfterTheirFiles) {
  for (const auto& entry : fs::directory_iterator(fs::path(TUTTI_SOURCE_DIR) / "src/algorithms")) {
    if (entry.path().extension() != ".cpp" || entry.path().filename() == "registry.cpp") continue;
    std::ifstream file(entry.path());
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    EXPECT_NE(text.find("Family " + entry.path().stem().string() + "()"), text.npos) << entry.path();
  }
}

}  // namespace
