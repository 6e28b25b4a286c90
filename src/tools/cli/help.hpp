#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace tutti::tools {

/// How help is laid out: at most 92 columns, so that it fits on pages and terminals; types of
/// values as words; what an option needs, excludes and defaults to in parentheses behind its
/// description.
class Help : public CLI::Formatter {
 public:
  /// `behind_options` is what usage lines show behind the options, such as "-- LAUNCHER".
  explicit Help(std::string behind_options = "");

  std::string make_help(const CLI::App* verb, std::string name, CLI::AppFormatMode mode) const override;
  std::string make_usage(const CLI::App* verb, std::string name) const override;
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_option_usage(const CLI::Option* argument) const override;
  std::string make_footer(const CLI::App* verb) const override;
  std::string make_subcommand(const CLI::App* verb) const override;

 private:
  std::string behind_options_;
};

/// The heading of the verbs of a verb.
inline constexpr const char* inner_verbs = "Verbs";

/// A name and its meaning as a line of help, the meaning broken into lines behind a margin.
std::string help_entry(const std::string& name, const std::string& meaning);

}  // namespace tutti::tools
