#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace tutti::tools {

/// A child process whose input we write and whose output we read, line by line. It is ended with
/// the object, and told to end where a signal ends this process. Only the main thread starts any:
/// a child is told to end when the thread that has started it does.
class Child {
 public:
  /// Whether its standard error stays ours or becomes part of its output.
  enum class Errors { apart, in_output };
  /// Starts a command. Fails if it is not found or can't be run.
  static Result<Child> start(const std::vector<std::string>& command, Errors errors = Errors::apart,
                             const std::map<std::string, std::string>& environment = {});

  Child(Child&& other) noexcept;
  Child& operator=(Child&&) = delete;
  ~Child();

  /// Writes a line. False if the child does not read any more.
  bool write_line(const std::string& line);
  /// What became of reading a line.
  enum class Read { line, nothing_yet, end };
  struct Line {
    Read kind;
    std::string line = "";
  };
  /// The next line of its output, if there is one within `limit_s` seconds (which may be infinite).
  Line read_line(double limit_s);
  /// Asks it to end, and kills it if it does not.
  void kill();
  /// Closes its input and waits for its end: "exit status 1", "signal 9 (Killed)", or "" if it
  /// ended well.
  std::string finish();

 private:
  friend Result<std::string> output_of(const std::vector<std::string>& command);
  Child(pid_t pid, int input, int output) : pid_(pid), input_(input), output_(output) {}
  pid_t pid_;
  int input_, output_;
  std::string buffered_;
};

/// Runs a command to its end and returns what it prints on standard output and standard error.
Result<std::string> output_of(const std::vector<std::string>& command);

/// Becomes the command, with those variables set. Returns only if that fails.
Error become(const std::vector<std::string>& command, const std::map<std::string, std::string>& environment);

}  // namespace tutti::tools
