// tutti: the command.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>

#include "base/shell.hpp"
#include "base/suggest.hpp"
#include "tools/cli/help.hpp"
#include "tools/cli/interrupt.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/terminal.hpp"
#include "tools/cli/verb.hpp"
#include "tutti/version.hpp"

namespace tutti::tools {
namespace {

// The option of a verb that an unknown one is near to: " (did you mean '--stats'?)".
std::string option_meant(const CLI::App& verb, const std::string& word) {
  if (!word.starts_with("--")) return "";
  std::vector<std::string> names;
  for (const CLI::Option* option : verb.get_options())
    if (!option->get_group().empty())  // not an earlier word
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  const std::string near = nearest(word.substr(0, word.find('=')), {names.begin(), names.end()});
  return near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near);
}

// What the parser says; of words that are required, "missing: files".
std::string said_by_parser(const CLI::ParseError& error) {
  const std::string text = error.what();
  if (text == CLI::RequiredError::Subcommand(1).what()) return "no verb is named";
  const auto end = text.rfind(" is required");
  return end == text.npos || text.starts_with('-') ? text : "missing: " + text.substr(0, end);
}

// What is wrong with the command's words, and what to write instead.
std::string complaint(const CLI::App& app, const CLI::ParseError& error, bool has_launcher) {
  const std::vector<std::string> extras = app.remaining(true);
  const auto chosen = app.get_subcommands();
  const std::string help = fmt::format("tutti {}--help", chosen.empty() ? "" : chosen[0]->get_name() + " ");
  if (extras.empty()) return fmt::format("{}; see {}", said_by_parser(error), help);
  if (chosen.empty()) {
    const std::vector<Verb> verbs = all_verbs();
    std::vector<std::string_view> names;
    for (const Verb& verb : verbs) names.push_back(verb.name);
    return fmt::format("no verb '{}'{}; see {}", extras[0], suggestion(extras[0], names), help);
  }
  const CLI::App* verb = chosen[0];
  while (!verb->get_subcommands().empty()) verb = verb->get_subcommands()[0];
  const bool are_options = std::ranges::all_of(extras, [](auto& word) { return word.starts_with('-'); });
  return fmt::format("not expected: {}{}; {}see {}", fmt::join(extras, " "), option_meant(*verb, extras[0]),
                     has_launcher || are_options ? "" : "what starts MPI programs follows after \"--\"; ",
                     help);
}

// Standard error may be closed: who reads it has seen enough.
void complain(const std::string& text) {
  std::fputs(fmt::format("tutti: {}\n", text).c_str(), stderr);
}

// Returns the exit status.
int carry_out(std::vector<std::string> words) {
  const auto dashes = std::find(words.begin(), words.end(), "--");
  const bool has_launcher = dashes != words.end();
  const LauncherWords launcher{
      has_launcher ? std::vector(dashes + 1, words.end()) : std::vector<std::string>(),
      fmt::format("tutti {}", shell_line(words))};
  words.erase(dashes, words.end());
  CLI::App app("Tutti: tuned collective operations for unmodified MPI programs", "tutti");
  app.formatter(std::make_shared<Help>());
  app.set_help_flag("-h,--help", "show this help");
  app.set_version_flag("--version", fmt::format("tutti {}", TUTTI_VERSION))->description("show the version");
  app.require_subcommand(1);
  app.add_flag_callback("--plain", keep_plain, "draw nothing, not even on terminals");
  app.footer("tutti VERB --help says more, with an example.");
  // Options are declared once their verb is asked for: programs under `tutti run` would wait a
  // millisecond for those of all others.
  for (const Verb& verb : all_verbs()) {
    CLI::App* const declared = app.add_subcommand(verb.name, verb.summary)->group(heading(verb.purpose));
    declared->preparse_callback([=, &launcher](std::size_t) { verb.declare(declared, launcher); });
  }
  constexpr int ended_by_interrupt = 130;  // as shells have it
  try {
    std::reverse(words.begin(), words.end());  // as CLI11 wants them
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0 && app.remaining().empty()) return app.exit(error);
    complain(complaint(app, error, has_launcher));
    return 2;
  } catch (const Failure& failure) {
    complain(failure.message);
    return interrupted() ? ended_by_interrupt : 1;
  } catch (const Ended& ended) {
    return ended.status;
  } catch (const std::exception& error) {
    complain(fmt::format("unexpected: {}", error.what()));
    return 1;
  }
  return interrupted() ? ended_by_interrupt : 0;
}

// Whether all that was printed has arrived: disks may be full.
bool has_printed() {
  std::cout.flush();
  return std::cout.good() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
}

}  // namespace
}  // namespace tutti::tools

int main(int argc, char** argv) {
  const int status = tutti::tools::carry_out({argv + 1, argv + argc});
  if (tutti::tools::has_printed() || status != 0) return status;
  tutti::tools::complain(fmt::format("can't write standard output: {}", std::strerror(errno)));
  return 1;
}
