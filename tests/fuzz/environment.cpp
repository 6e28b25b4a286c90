// Variables, a NAME=VALUE a line: what is understood goes from rank to rank as the same, what is
// not is one line each.

#include <sstream>
#include <vector>

#include "choose/settings/variables.hpp"
#include "fuzz.hpp"

void try_text(const std::string& text) {
  using namespace tutti;
  std::vector<std::string> names;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto end = line.find('=');
    if (end == line.npos || !line.starts_with("TUTTI_")) continue;
    const std::string name = line.substr(0, end), value = line.substr(end + 1);
    // Files have fuzzers of their own; any other name would be read from this machine.
    if ((name == variable::table || name == variable::network) && value != "builtin") continue;
    if (name.find('\0') != name.npos || value.find('\0') != value.npos) continue;
    if (setenv(name.c_str(), value.c_str(), 1) == 0) names.push_back(name);
  }
  const Configuration configuration = read_environment({{"an MPI", "a machine"}, 4});
  for (const std::string& complaint : configuration.complaints)
    require(!complaint.empty() && complaint.ends_with("it is ignored"));
  const std::string here = to_text(configuration.rules);
  require(to_text(rules_in(here)) == here);
  for (const std::string& name : names) unsetenv(name.c_str());
}
