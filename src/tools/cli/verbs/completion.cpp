#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "base/shell.hpp"
#include "core/algorithms/algorithm.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/verb.hpp"

namespace tutti::tools {
namespace {

using Words = std::vector<std::string>;

// What can be said of a verb, as the verbs themselves declare it.
struct CompletedVerb {
  std::string name, summary;
  struct Option {
    std::string text, summary;
  };
  std::vector<Option> options;
  bool names_operations;
};

std::vector<CompletedVerb> verbs_of(const CLI::App& app) {
  std::vector<CompletedVerb> verbs;
  for (const CLI::App* declared : app.get_subcommands([](const CLI::App*) { return true; })) {
    CompletedVerb verb{declared->get_name(), declared->get_description(), {}, false};
    for (const CLI::Option* option : declared->get_options()) {
      if (option->get_group().empty()) continue;  // an earlier word
      for (const std::string& name : option->get_lnames())
        verb.options.push_back({"--" + name, option->get_description()});
      for (const std::string& name : option->get_snames())
        verb.options.push_back({"-" + name, option->get_description()});
      verb.names_operations |= option->check_lname("op") || option->check_lname("ops");
    }
    verbs.push_back(std::move(verb));
  }
  return verbs;
}

Words operation_names() {
  Words names;
  for_each_called([&](Called called) {
    if (called.mode != Mode::persistent) names.push_back(called.name());
  });
  return names;
}

Words plan_names() {
  std::set<std::string> names{"native"};
  for (const Algorithm& algorithm : all_algorithms()) names.emplace(algorithm.name);
  return {names.begin(), names.end()};
}

// Options whose values are files.
constexpr std::string_view of_files = "-o|--output|--table|--network|--profile|--for|--model";

std::string for_bash(const std::vector<CompletedVerb>& verbs) {
  std::string cases;
  Words names;
  for (const CompletedVerb& verb : verbs) {
    Words words;
    if (verb.names_operations) words.push_back("$operations");
    for (const auto& option : verb.options) words.push_back(option.text);
    names.push_back(verb.name);
    cases += fmt::format("    {}) words=\"{}\" ;;\n", verb.name, fmt::join(words, " "));
  }
  return fmt::format(R"(_tutti() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} verb= words= i
  local operations='{}'
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${{COMP_WORDS[i]}} in
      --) COMPREPLY=($(compgen -c -f -- "$current")) && return ;;
      -*) ;;
      *) [ -n "$verb" ] || verb=${{COMP_WORDS[i]}} ;;
    esac
  done
  case $before in
    {}) COMPREPLY=($(compgen -f -- "$current")) && return ;;
    --plan) COMPREPLY=($(compgen -W '{}' -- "$current")) && return ;;
  esac
  case $verb in
    '') words='{} --help --version --plain' ;;
{}  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _tutti tutti
)",
                     fmt::join(operation_names(), " "), of_files, fmt::join(plan_names(), " "),
                     fmt::join(names, " "), cases);
}

std::string for_zsh(const std::vector<CompletedVerb>& verbs) {
  return "#compdef tutti\nautoload -U +X bashcompinit && bashcompinit\n" + for_bash(verbs);
}

std::string for_fish(const std::vector<CompletedVerb>& verbs) {
  std::string text = "complete -c tutti -n __fish_use_subcommand -f\n";
  for (const CompletedVerb& verb : verbs) {
    text += fmt::format("complete -c tutti -n __fish_use_subcommand -a {} -d {}\n", verb.name,
                        shell_quoted(verb.summary));
    const std::string here = fmt::format("complete -c tutti -n '__fish_seen_subcommand_from {}'", verb.name);
    if (verb.names_operations) text += fmt::format("{} -a '{}'\n", here, fmt::join(operation_names(), " "));
    for (const auto& option : verb.options) {
      const bool is_long = option.text.starts_with("--");
      const std::string values =
          option.text == "--plan" ? fmt::format(" -x -a '{}'", fmt::join(plan_names(), " ")) : "";
      text += fmt::format("{} -{} {}{} -d {}\n", here, is_long ? "l" : "s",
                          option.text.substr(is_long ? 2 : 1), values, shell_quoted(option.summary));
    }
  }
  return text;
}

void declare_completion(CLI::App* verb, const LauncherWords&) {
  auto shell = std::make_shared<std::string>();
  verb->footer("Example: tutti completion bash > /etc/bash_completion.d/tutti");
  verb->add_option("shell", *shell, "shell that is completed: bash, zsh or fish")
      ->type_name("SHELL")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  verb->callback([verb, shell] {
    CLI::App& command = *verb->get_parent();
    for (const Verb& other : all_verbs())  // that nobody has asked for now
      if (CLI::App* const declared = command.get_subcommand(other.name); declared != verb)
        other.declare(declared, {});
    const auto verbs = verbs_of(command);
    fmt::print("{}", *shell == "bash" ? for_bash(verbs) : *shell == "zsh" ? for_zsh(verbs) : for_fish(verbs));
  });
}

}  // namespace

namespace verbs {

Verb completion() {
  return {.name = "completion",
          .summary = "print a completion script for a shell",
          .purpose = Purpose::run,
          .declare = declare_completion};
}

}  // namespace verbs

}  // namespace tutti::tools
