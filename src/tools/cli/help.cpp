#include "tools/cli/help.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

namespace tutti::tools {
namespace {

constexpr std::size_t columns = 92, margin = 28;

// "FILE" of a type that says also what values are checked for: "FILE:POSITIVE".
std::string type_word(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return type.substr(0, type.find(':'));
}

std::string names_of(const std::set<CLI::Option*>& options) {
  std::vector<std::string> names;
  for (const CLI::Option* option : options)
    if (!option->get_group().empty()) names.push_back(option->get_name(false, true));
  std::ranges::sort(names);
  return fmt::format("{}", fmt::join(names, ", "));
}

// What is to be known of an option besides its meaning: "(required)", "(default 60s; not with
// --table)".
std::string conditions(const CLI::Option& option) {
  std::vector<std::string> all;
  if (option.get_required()) all.push_back("required");
  if (!option.get_default_str().empty()) all.push_back("default " + option.get_default_str());
  if (const std::string names = names_of(option.get_needs()); !names.empty())
    all.push_back("only with " + names);
  if (const std::string names = names_of(option.get_excludes()); !names.empty())
    all.push_back("not with " + names);
  return all.empty() ? "" : fmt::format(" ({})", fmt::join(all, "; "));
}

}  // namespace

std::string help_entry(const std::string& name, const std::string& meaning) {
  std::string text = "  " + name;
  const bool beside = text.size() + 2 <= margin;
  std::size_t column = beside ? text.size() : columns;
  std::istringstream words(meaning);
  for (std::string word; words >> word;) {
    if (column + 1 + word.size() > columns) {
      text += '\n';
      column = 0;
    }
    const std::size_t gap = column < margin ? margin - column : 1;
    text += std::string(gap, ' ') + word;
    column += gap + word.size();
  }
  return text + '\n';
}

Help::Help(std::string behind_options) : behind_options_(std::move(behind_options)) {
  label("Positionals", "Arguments");
  label("SUBCOMMAND", "VERB");
}

// Versions of CLI11 differ in the blank lines before a footer: there is one.
std::string Help::make_help(const CLI::App* verb, std::string name, CLI::AppFormatMode mode) const {
  std::string help = Formatter::make_help(verb, std::move(name), mode);
  for (std::size_t at; (at = help.find("\n\n\n")) != help.npos;) help.erase(at, 1);
  return help;
}

std::string Help::make_usage(const CLI::App* verb, std::string name) const {
  std::string usage = Formatter::make_usage(verb, std::move(name));
  if (!behind_options_.empty()) usage.insert(usage.find_last_not_of('\n') + 1, " " + behind_options_);
  return usage;
}

std::string Help::make_option(const CLI::Option* option, bool is_positional) const {
  // What may be named without its option is shown once, as an argument.
  if (!is_positional && option->get_positional()) return "";
  std::string name = make_option_name(option, false);
  if (is_positional)  // a name without dashes is not for users
    name = type_word(*option) + (name.starts_with('-') ? ", " + name : "");
  else if (option->get_type_size() != 0)
    name += " " + type_word(*option);
  return help_entry(name, option->get_description() + conditions(*option));
}

std::string Help::make_option_usage(const CLI::Option* argument) const {
  const bool several = argument->get_expected_max() >= CLI::detail::expected_max_vector_size;
  const std::string word = type_word(*argument) + (several ? "..." : "");
  return argument->get_required() ? word : fmt::format("[{}]", word);
}

std::string Help::make_footer(const CLI::App* verb) const {
  const std::string footer = Formatter::make_footer(verb);
  const auto begin = footer.find_first_not_of('\n');
  return begin == footer.npos ? "" : "\n" + footer.substr(begin);
}

std::string Help::make_subcommand(const CLI::App* verb) const {
  return help_entry(verb->get_name(), verb->get_description());
}

}  // namespace tutti::tools
