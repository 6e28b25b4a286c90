#include "tools/doctor/diagnosis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/document.hpp"
#include "base/json.hpp"
#include "tools/cli/child.hpp"
#include "tools/cli/serving.hpp"
#include "tools/cli/verb.hpp"

namespace tutti::tools {
namespace {

constexpr int not_sound = 3;

// What the launcher starts says what it sees. The first and the last line of what else was printed
// are kept, for a launcher's reason stands first, and what a crash leaves last.
void look_around(const ServingOptions& options, const Launcher& launcher, Circumstances& found) {
  std::map<std::string, std::string> environment;
  const Serving served = serving(options, launcher);
  const std::string examiner = launcher.examiner();
  if (examiner.empty()) throw Failure{"the program that looks around is not beside the command; install it"};
  const auto command =
      launcher.with_variables(launcher.command_of({examiner}), served.variables, environment);
  auto child = value_or_fail(Child::start(command, Child::Errors::in_output, environment));
  const auto waited = stopwatch();
  const double limit_s = options.launcher.start_limit_s();
  std::string first_words;
  while (true) {
    const auto next = child.read_line(limit_s - waited());
    if (next.kind == Child::Read::end) break;
    if (next.kind == Child::Read::nothing_yet) {
      child.kill();
      found.trouble = fmt::format("it neither spoke nor ended within {:.0f} s", limit_s);
      return;
    }
    if (!next.line.starts_with(examination_mark)) {
      if (next.line.find_first_not_of("- \t") == next.line.npos) continue;
      if (first_words.empty()) first_words = next.line;
      if (!lacks_slots(found.said)) found.said = next.line;
      continue;
    }
    found.worlds.push_back(value_or_fail(examination_from_line(next.line.substr(examination_mark.size()))));
  }
  found.trouble = child.finish();
  if (!lacks_slots(found.said) && found.said != first_words) found.said = first_words + " … " + found.said;
}

Json to_json(const Circumstances& c, const std::vector<Finding>& findings) {
  auto list = Json::array();
  for (const Finding& finding : findings)
    list.push_back({{"name", finding.name},
                    {"weight", name(finding.weight)},
                    {"what", finding.what},
                    {"remedy", finding.remedy}});
  std::size_t ranks = 0;
  std::set<std::string> hosts;
  for (const Examination& world : c.worlds) {
    ranks += world.ranks.size();
    for (const RankExamination& rank : world.ranks) hosts.insert(rank.host);
  }
  return {{"$schema", "tutti-doctor-1"},
          {"launcher", c.launcher},
          {"mpi", c.launcher_version},
          {"ranks", ranks},
          {"hosts", hosts},
          {"program", c.program ? c.program->path : ""},
          {"sound", is_sound(findings)},
          {"findings", list}};
}

void print(const Circumstances& c, const std::vector<Finding>& findings) {
  for (const Finding& finding : findings) {
    fmt::print("{} ({}): {}\n", name(finding.weight), finding.name, finding.what);
    if (!finding.remedy.empty()) fmt::print("  {}\n", finding.remedy);
  }
  if (!is_sound(findings)) return;
  const auto& ranks = c.worlds.front().ranks;
  const bool loads = c.program && (!c.program->mpi().empty() || c.program->is_of_standard_abi());
  fmt::print("sound: Tutti serves {} {} of {}{}\n", ranks.size(), ranks.size() == 1 ? "rank" : "ranks",
             ranks.front().mpi, loads ? ", and " + c.program->path + " will load it" : "");
}

// The launcher's words without programs and their arguments, of which the first is looked at.
std::vector<std::string> without_programs(const std::vector<std::string>& command,
                                          std::optional<ProgramFile>& program) {
  std::vector<std::string> words;
  for (auto begin = command.begin();;) {
    const auto end = std::find(begin, command.end(), ":");
    std::vector<std::string> part(begin, end);
    // Where a program may stand the launcher comes before it.
    if (begin != command.begin()) part.insert(part.begin(), command[0]);
    const std::size_t at = position_of_program(part);
    if (at < part.size() && !program) program = look_at_program(part[at]);
    part.resize(at);
    words.insert(words.end(), part.begin() + (begin != command.begin()), part.end());
    if (end == command.end()) return words;
    words.push_back(":");
    begin = end + 1;
  }
}

void doctor(const ServingOptions& options, bool json) {
  Circumstances found;
  const Launcher with_programs = options.launcher.recognise();
  ServingOptions without_program = options;
  without_program.launcher.mpi = with_programs.mpi().library;
  if (with_programs.is_program()) {
    found.program = look_at_program(options.launcher.command[0]);
    without_program.launcher.command.resize(1);
  } else {
    without_program.launcher.command = without_programs(options.launcher.command, found.program);
  }
  const Launcher launcher = without_program.launcher.recognise();
  if (launcher.mpi().simulated())
    throw Failure{
        "in a simulation nothing is preloaded: programs are linked with Tutti's object (docs/research.md)"};
  found.launcher = std::filesystem::path(options.launcher.command[0]).filename().string();
  found.mpi = launcher.mpi().name;
  found.library = launcher.mpi().library;
  found.launcher_version = launcher.mpi_version();
  look_around(without_program, launcher, found);
  const auto findings = diagnose(found);
  if (json)
    fmt::print("{}\n", json_text(to_json(found, findings), 2));
  else
    print(found, findings);
  if (!is_sound(findings)) throw Ended{not_sound};
}

void declare_doctor(CLI::App* verb, const LauncherWords& launcher) {
  auto options = std::make_shared<ServingOptions>();
  auto json = std::make_shared<bool>(false);
  options->launcher.command = launcher.words;
  verb->footer(
      "The doctor starts a small program of its own and only looks at yours. Exit status 3 says that\n"
      "it found more than notes.\nExample: tutti doctor -- mpirun -n 4 ./program");
  options->add_to(*verb, "-- LAUNCHER [PROGRAM]");
  options->launcher.add_start_limit(*verb);
  verb->add_flag("--json", *json, "print a JSON object");
  verb->callback([options, json] { doctor(*options, *json); });
}

}  // namespace

namespace verbs {

Verb doctor() {
  return {.name = "doctor",
          .summary = "find what keeps Tutti from serving a program, with remedies",
          .purpose = Purpose::run,
          .declare = declare_doctor};
}

}  // namespace verbs

}  // namespace tutti::tools
