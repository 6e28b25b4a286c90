#include "tools/cli/child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <thread>
#include <utility>

#include "base/uninterrupted.hpp"
#include "tools/cli/stopwatch.hpp"

namespace tutti::tools {
namespace {

std::vector<char*> argument_pointers(const std::vector<std::string>& command) {
  std::vector<char*> pointers;
  for (const std::string& word : command) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

std::string cannot_start(const std::string& program, int error) {
  return fmt::format("can't start '{}': {}; name a launcher that is installed, such as mpirun -n 4", program,
                     std::strerror(error));
}

struct Pipe {
  int read = -1, write = -1;
  Pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) == 0) {
      read = ends[0];
      write = ends[1];
    }
  }
};

int status_at_end(pid_t child) {
  int status = 0;
  uninterrupted([&] { return waitpid(child, &status, 0); });
  return status;
}

// Forks and runs the command with its input and output replaced (−1: left as they are). An error of
// exec comes back through a pipe that a successful exec closes.
Result<pid_t> spawn(const std::vector<std::string>& command, int input, int output, bool errors_too,
                    const std::map<std::string, std::string>& environment = {}) {
  Pipe trouble;
  const pid_t here = getpid(), pid = fork();
  if (pid < 0) return failure(cannot_start(command[0], errno));
  if (pid == 0) {
    // Launchers end their processes when they are told to, and are told when this command has
    // ended, whatever has ended it.
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != here) _exit(127);
    if (input >= 0) dup2(input, STDIN_FILENO);
    if (output >= 0) dup2(output, STDOUT_FILENO);
    if (output >= 0 && errors_too) dup2(output, STDERR_FILENO);
    for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    execvp(command[0].c_str(), argument_pointers(command).data());
    const int error = errno;
    [[maybe_unused]] const auto written = write(trouble.write, &error, sizeof error);
    _exit(127);
  }
  close(trouble.write);
  int error = 0;
  const bool failed = uninterrupted([&] { return read(trouble.read, &error, sizeof error); }) == sizeof error;
  close(trouble.read);
  if (!failed) return pid;
  status_at_end(pid);
  return failure(cannot_start(command[0], error));
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status))
    return fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  return WEXITSTATUS(status) == 0 ? "" : fmt::format("exit status {}", WEXITSTATUS(status));
}

}  // namespace

Result<Child> Child::start(const std::vector<std::string>& command, Errors errors,
                           const std::map<std::string, std::string>& environment) {
  signal(SIGPIPE, SIG_IGN);
  const Pipe to_child, from_child;
  auto pid = spawn(command, to_child.read, from_child.write, errors == Errors::in_output, environment);
  close(to_child.read);
  close(from_child.write);
  if (!pid) {
    close(to_child.write);
    close(from_child.read);
    return tl::unexpected(pid.error());
  }
  return Child(*pid, to_child.write, from_child.read);
}

Child::Child(Child&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      input_(std::exchange(other.input_, -1)),
      output_(std::exchange(other.output_, -1)),
      buffered_(std::move(other.buffered_)) {}

Child::~Child() {
  finish();
  if (output_ >= 0) close(output_);
}

bool Child::write_line(const std::string& line) {
  const std::string text = line + "\n";
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t written = uninterrupted([&] { return write(input_, text.data() + at, text.size() - at); });
    if (written <= 0) return false;
    at += static_cast<std::size_t>(written);
  }
  return true;
}

Child::Line Child::read_line(double limit_s) {
  const auto waited = stopwatch();
  while (true) {
    if (const auto end = buffered_.find('\n'); end != buffered_.npos) {
      Line line{Read::line, buffered_.substr(0, end)};
      buffered_.erase(0, end + 1);
      return line;
    }
    pollfd readable{output_, POLLIN, 0};
    const double left_s = limit_s - waited();
    constexpr double longest_s = 3600;
    const int ready = poll(&readable, 1, static_cast<int>(1e3 * std::clamp(left_s, 0.0, longest_s)));
    if (ready == 0 && left_s <= 0) return {Read::nothing_yet};
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    char chunk[1 << 16];
    const ssize_t got = uninterrupted([&] { return read(output_, chunk, sizeof chunk); });
    if (got <= 0) return buffered_.empty() ? Line{Read::end} : Line{Read::line, std::exchange(buffered_, "")};
    buffered_.append(chunk, static_cast<std::size_t>(got));
  }
}

// Launchers end their processes when they are asked to; what does not is killed.
void Child::kill() {
  if (pid_ < 0) return;
  constexpr double patience_s = 5;
  ::kill(pid_, SIGTERM);
  const auto waited = stopwatch();
  while (waitpid(pid_, nullptr, WNOHANG) == 0) {
    if (waited() > patience_s) {
      ::kill(pid_, SIGKILL);
      status_at_end(pid_);
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  pid_ = -1;
  close(std::exchange(input_, -1));
}

std::string Child::finish() {
  if (pid_ < 0) return "";
  close(std::exchange(input_, -1));
  while (read_line(std::numeric_limits<double>::infinity()).kind != Read::end) {
  }
  return how_it_ended(status_at_end(std::exchange(pid_, -1)));
}

Result<std::string> output_of(const std::vector<std::string>& command) {
  constexpr double patience_s = 20;
  const Pipe from_child;
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  auto pid = spawn(command, nothing, from_child.write, true);
  close(from_child.write);
  if (!pid) {
    close(nothing);
    close(from_child.read);
    return tl::unexpected(pid.error());
  }
  Child child(*pid, nothing, from_child.read);
  std::string text;
  for (auto next = child.read_line(patience_s); next.kind != Child::Read::end;
       next = child.read_line(patience_s)) {
    if (next.kind == Child::Read::nothing_yet) {
      child.kill();
      return failure(
          fmt::format("'{}' has neither said anything nor ended within {:.0f} s; name another launcher",
                      fmt::join(command, " "), patience_s));
    }
    text += next.line + "\n";
  }
  return text;
}

Error become(const std::vector<std::string>& command, const std::map<std::string, std::string>& environment) {
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  execvp(command[0].c_str(), argument_pointers(command).data());
  return {cannot_start(command[0], errno)};
}

}  // namespace tutti::tools
