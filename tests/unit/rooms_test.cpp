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

// Calls visit(path, text) for every file of src/ with one of those endings.
template <typename Visit>
void for_each_file(const std::set<std::string>& endings, Visit&& visit) {
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(TUTTI_SOURCE_DIR) / "src")) {
    if (!endings.contains(entry.path().extension())) continue;
    std::ifstream file(entry.path());
    visit(entry.path(), std::string{std::istreambuf_iterator<char>(file), {}});
  }
}

// The types that a header defines in namespaces, not within others, each with its namespace before it.
std::vector<std::string> types_defined_in(const std::string& text) {
  static const std::regex line(
      R"((?:^|\n)(namespace ([\w:]+) \{|(?:struct|class|enum class|enum) (\w+)[^;\n]*\{))");
  std::vector<std::string> types;
  std::string space;
  for (std::sregex_iterator match(text.begin(), text.end(), line), end; match != end; ++match)
    if ((*match)[2].matched)
      space = (*match)[2].str() + "::";
    else
      types.push_back(space + (*match)[3].str());
  return types;
}

// Two types of one name in one library break the one-definition rule: which of their inline functions a
// caller gets is up to the linker.
TEST(Rooms, NoTwoHeadersDefineATypeOfOneName) {
  std::map<std::string, fs::path> known;
  for_each_file({".hpp"}, [&](const fs::path& path, const std::string& text) {
    for (const std::string& type : types_defined_in(text)) {
      const auto [first, is_new] = known.emplace(type, path);
      EXPECT_TRUE(is_new) << type << " is defined in " << first->second << " and in " << path;
    }
  });
  EXPECT_GT(known.size(), 300u);
}

TEST(Rooms, TypesAreSeenWithTheirNamespaces) {
  EXPECT_EQ(types_defined_in(
                "namespace tutti {\nclass Race;\nstruct Race {\n  struct Arm {\n  };\n};\n"
                "namespace tutti::runtime {\nenum class Mode { a };\nclass Race final : public Base {\n"),
            (std::vector<std::string>{"tutti::Race", "tutti::runtime::Mode", "tutti::runtime::Race"}));
}

// {fmt} has join in a header of its own, from version 11 on in no other.
TEST(Rooms, WhoJoinsRangesIncludesTheirHeader) {
  int joining = 0;
  for_each_file({".hpp", ".cpp"}, [&](const fs::path& path, const std::string& text) {
    if (text.find("fmt::join(") == text.npos) return;
    ++joining;
    EXPECT_NE(text.find("#include <fmt/ranges.h>"), text.npos) << path;
  });
  EXPECT_GT(joining, 10);
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
