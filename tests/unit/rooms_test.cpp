// The rooms of src/ and who may include whom: the table of docs/design.md, which a new arrow
// changes first.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <regex>
#include <set>

namespace {

namespace fs = std::filesystem;

const fs::path source = TUTTI_SOURCE_DIR;

struct Room {
  std::set<std::string> may_include;  // rooms, and wings for all of their rooms
  bool sees_mpi = false;
};

std::string wing_of(const std::string& room) {
  return room.substr(0, room.find('/'));
}

// Reads the rows "| `core/plan/` | what lives there | base, core/schedule; MPI |" of a document, in
// their order, which is that of the floors: nobody includes what stands below.
class Table {
 public:
  explicit Table(std::istream& text) {
    static const std::regex row(R"(^\| `([\w/]+)/` \|.*\| ([^|]*) \|$)"), name(R"([\w/]+)");
    for (std::string line; std::getline(text, line);) {
      std::smatch match;
      if (!std::regex_match(line, match, row)) continue;
      order_.push_back(match[1]);
      Room& room = rooms_[match[1]];
      const std::string allowed = match[2];
      for (std::sregex_iterator word(allowed.begin(), allowed.end(), name), end; word != end; ++word)
        if (word->str() == "MPI")
          room.sees_mpi = true;
        else if (word->str() != "nothing")
          room.may_include.insert(word->str());
    }
  }

  const std::map<std::string, Room>& rooms() const { return rooms_; }
  const std::vector<std::string>& order() const { return order_; }

  // The room of a path below src/: the longest name that it begins with.
  std::optional<std::string> room_of(const std::string& path) const {
    std::optional<std::string> found;
    for (const auto& [name, room] : rooms_)
      if (path.starts_with(name + "/") && (!found || name.size() > found->size())) found = name;
    return found;
  }
  bool may_include(const std::string& room, const std::string& other) const {
    const auto& allowed = rooms_.at(room).may_include;
    return room == other || allowed.contains(other) || allowed.contains(wing_of(other));
  }

 private:
  std::map<std::string, Room> rooms_;
  std::vector<std::string> order_;
};

Table table_of_design() {
  std::ifstream text(source / "docs/design.md");
  return Table(text);
}

struct Violation {
  std::string where, what;
};

// Checks one file's text as if it stood in a room.
std::vector<Violation> check(const Table& table, const std::string& room, const std::string& file,
                             std::istream& text) {
  static const std::regex include(R"(^\s*#\s*include\s*[<"]([^>"]+)[>"])");
  std::vector<Violation> found;
  int number = 0;
  for (std::string line; std::getline(text, line);) {
    ++number;
    std::smatch match;
    if (!std::regex_search(line, match, include)) continue;
    const std::string target = match[1], where = file + ":" + std::to_string(number);
    if (target == "mpi.h" && !table.rooms().at(room).sees_mpi)
      found.push_back({where, room + " must not see mpi.h"});
    const auto other = table.room_of(target);
    if (other && !table.may_include(room, *other))
      found.push_back({where, room + " must not include " + target});
  }
  return found;
}

TEST(Rooms, IncludesKeepToTheirDoors) {
  const Table table = table_of_design();
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(source / "src")) {
    if (entry.path().extension() != ".cpp" && entry.path().extension() != ".hpp") continue;
    const std::string path = fs::relative(entry.path(), source / "src");
    const auto room = table.room_of(path);
    ASSERT_TRUE(room) << "src/" << path << " is in no room of docs/design.md";
    ++files;
    std::ifstream text(entry.path());
    for (const Violation& violation : check(table, *room, path, text))
      ADD_FAILURE() << violation.where << ": " << violation.what;
  }
  EXPECT_GT(files, 50);
}

// Arrows go down only: whom a room may include stands above it in the table.
TEST(Rooms, FormALadder) {
  const Table table = table_of_design();
  std::set<std::string> below;
  for (const std::string& room : table.order()) {
    EXPECT_TRUE(fs::is_directory(source / "src" / room)) << "there is no src/" << room;
    for (const std::string& other : table.rooms().at(room).may_include)
      EXPECT_TRUE(other != wing_of(room) && below.contains(other))
          << room << " may include " << other << ", which is not below it";
    below.insert(room);
    below.insert(wing_of(room));
  }
  EXPECT_GT(below.size(), 20u);
}

TEST(Rooms, AWrongIncludeIsFound) {
  std::istringstream rows(
      "| `base/` | text | nothing |\n| `core/plan/` | plans | base |\n| `run/calls/` | calls | core; MPI "
      "|\n");
  const Table table(rows);
  std::istringstream wrong("#include \"run/calls/call.hpp\"\n#include <mpi.h>\n#include <vector>\n");
  EXPECT_EQ(check(table, "core/plan", "x.hpp", wrong).size(), 2u);
  std::istringstream right("#include \"core/plan/plan.hpp\"\n#include <mpi.h>\n");
  EXPECT_EQ(check(table, "run/calls", "x.hpp", right).size(), 0u);
}

// Calls visit(path, text) for every file of src/ with one of those endings.
template <typename Visit>
void for_each_file(const std::set<std::string>& endings, Visit&& visit) {
  for (const auto& entry : fs::recursive_directory_iterator(source / "src")) {
    if (!endings.contains(entry.path().extension())) continue;
    std::ifstream file(entry.path());
    visit(entry.path(), std::string{std::istreambuf_iterator<char>(file), {}});
  }
}

// The types that a header defines in namespaces, not within others, each with its namespace before
// it. Specializations of templates are none.
std::vector<std::string> types_defined_in(const std::string& text) {
  static const std::regex line(
      R"((?:^|\n)(namespace ([\w: ]+) \{|(?:struct|class|enum class|enum) (\w+)(?=[^\w<])[^;\n]*\{))");
  std::vector<std::string> types;
  std::string space;
  for (std::sregex_iterator match(text.begin(), text.end(), line), end; match != end; ++match)
    if ((*match)[2].matched)
      space = (*match)[2].str() + "::";
    else
      types.push_back(space + (*match)[3].str());
  return types;
}

// Two types of one name in one library break the one-definition rule: which of their inline
// functions a caller gets is up to the linker.
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
  EXPECT_EQ(
      types_defined_in("namespace tutti {\nclass Race;\nstruct Race {\n  struct Arm {\n  };\n};\n"
                       "namespace tutti::run {\nenum class Mode { a };\nclass Race final : public Base {\n"),
      (std::vector<std::string>{"tutti::Race", "tutti::run::Mode", "tutti::run::Race"}));
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

// Whoever adds an algorithm, a composition or a verb touches no other file: the build lists them by
// the names of their files.
TEST(Rooms, DeclarationsAreNamedAfterTheirFiles) {
  const std::map<std::string, std::string> types{{"src/core/algorithms", "Family"},
                                                 {"src/core/plan/compositions", "CompositionKind"},
                                                 {"src/tools/cli/verbs", "Verb"}};
  for (const auto& [room, type] : types)
    for (const auto& entry : fs::directory_iterator(source / room)) {
      if (entry.path().extension() != ".cpp" || entry.path().filename() == "registry.cpp") continue;
      std::ifstream file(entry.path());
      const std::string text{std::istreambuf_iterator<char>(file), {}};
      EXPECT_NE(text.find(type + " " + entry.path().stem().string() + "()"), text.npos) << entry.path();
    }
}

}  // namespace
