// The constants of choosing and running stand in one table each room, src/ROOM/constants.hpp: what
// can be tuned, and what bounds something, each with what it means and who set it.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

const fs::path tree = TUTTI_SOURCE_DIR;

// Rooms that have a table.
std::set<std::string> rooms() {
  std::set<std::string> found;
  for (const char* wing : {"choose", "run"})
    for (const auto& entry : fs::directory_iterator(tree / "src" / wing))
      if (fs::exists(entry.path() / "constants.hpp"))
        found.insert(std::string(wing) + "/" + entry.path().filename().string());
  return found;
}

// Numbers that nobody could choose otherwise, by file and name, and what they are.
const std::map<std::string, std::string> exceptions{
    {"choose/evidence/builtin.cpp KB", "a unit"},
    {"choose/evidence/call_class.hpp operand_orders", "how many values an enumeration has"},
    {"choose/evidence/osu_output.cpp microseconds", "a unit"},
    {"choose/evidence/pico_results.cpp nanoseconds", "a unit"},
    {"choose/evidence/knowledge_store.cpp use", "the system's bits of permission"},
    {"choose/profile/profile.cpp a_second", "a unit"},
    {"run/execution/cuda_rows.hpp cuda_host", "CUDA's numbers of kinds of memory"},
    {"run/execution/device.cpp attribute_context", "CUDA's numbers of attributes"},
    {"run/execution/device.cpp attribute_memory_type", "CUDA's number of an attribute"},
    {"run/execution/device.cpp kind_by_addresses", "ROCm's number of a kind of copy"},
    {"run/transport/channel.cpp is_lent", "bits of a label"},
    {"run/calls/mistakes.cpp count", "the shortest array that Open MPI looks at"},
    {"run/calls/neighbors.cpp asked", "how many neighbours a made topology has"},
    {"run/online/learner.hpp first_batch", "how many entries of an agreement are filled one by one"},
    {"run/online/quick_probe.cpp values", "how many values of a size are filled one by one"}};

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The constants of a text into whose values somebody wrote a number other than 0 and 1; of several
// in a statement the first.
std::vector<std::string> numbers_in(const std::string& text) {
  static const std::regex comment_or_string(R"re(//[^\n]*|"(\\.|[^"\\\n])*")re"),
      declaration(R"(constexpr [^;=({]*?(\w+)\s*(?:=|\{)([^;]*);)"), number(R"((?:^|[^\w.'])(\d[\w.']*))");
  const std::string code = std::regex_replace(text, comment_or_string, "");
  std::vector<std::string> names;
  for (std::sregex_iterator one(code.begin(), code.end(), declaration), end; one != end; ++one) {
    const std::string value = (*one)[2];
    const std::sregex_iterator first(value.begin(), value.end(), number);
    if (std::any_of(first, end, [](const std::smatch& of) { return of[1] != "0" && of[1] != "1"; }))
      names.push_back((*one)[1]);
  }
  return names;
}

// The constants of a table of which no sentence above says what set them.
std::vector<std::string> unexplained_in(const std::string& text) {
  static const std::regex line_break("\n///"), origin("chosen by hand|`bench/| sets? it"),
      constant(R"(([^;]*?)inline constexpr [^=({]*?(\w+)\s*(?:=|\{)[^;]*;\n)");
  const std::string table = std::regex_replace(text, line_break, "");
  std::vector<std::string> names;
  for (std::sregex_iterator one(table.begin(), table.end(), constant), end; one != end; ++one)
    if (const std::string above = (*one)[1]; !std::regex_search(above, origin)) names.push_back((*one)[2]);
  return names;
}

TEST(Constants, StandInTheTableOfTheirRoom) {
  std::set<std::string> met;
  for (const std::string& room : rooms())
    for (const auto& entry : fs::directory_iterator(tree / "src" / room)) {
      if (entry.path().filename() == "constants.hpp") continue;
      const std::string file = room + "/" + entry.path().filename().string();
      for (const std::string& name : numbers_in(text_of(entry.path()))) {
        met.insert(file + " " + name);
        EXPECT_TRUE(exceptions.contains(file + " " + name))
            << file << ": " << name << " belongs into src/" << room << "/constants.hpp";
      }
    }
  EXPECT_EQ(met.size(), exceptions.size()) << "an exception is none any more";
}

TEST(Constants, SayWhatSetThem) {
  EXPECT_GE(rooms().size(), 13u);
  for (const std::string& room : rooms()) {
    const std::string table = text_of(tree / "src" / room / "constants.hpp");
    EXPECT_FALSE(numbers_in(table).empty()) << room;
    EXPECT_EQ(unexplained_in(table), std::vector<std::string>{}) << room;
  }
}

TEST(Constants, AreFoundWhereverTheyStand) {
  EXPECT_EQ(numbers_in("namespace {\nconstexpr double share = 0.3;  // of 5\n}\n"
                       "struct A {\n  static constexpr std::size_t places{1 << 10}, most = 3;\n};\n"
                       "inline constexpr std::chrono::seconds patience{3};\nconstexpr Pair both{0, 0x7f};\n"
                       "int f() {\n  constexpr int least =\n      1'000;\n}\n"),
            (std::vector<std::string>{"share", "places", "patience", "both", "least"}));
  EXPECT_EQ(
      numbers_in("constexpr int none = -1;\nconstexpr std::uint64_t all = ~std::uint64_t{0};\n"
                 "constexpr std::array<int, 2> names{\"5\"};\nconstexpr int f(int x) { return 2 * x; }\n"
                 "constexpr std::size_t most = std::numeric_limits<std::size_t>::max();  // 7\n"),
      std::vector<std::string>{});
  EXPECT_EQ(unexplained_in("/// Calls. It was chosen by hand.\ninline constexpr int a = 2;\n\n"
                           "/// Seconds of a run.\ninline constexpr double b = 3;\n"),
            std::vector<std::string>{"b"});
}

}  // namespace
