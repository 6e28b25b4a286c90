#include "base/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <utility>

#include "base/uninterrupted.hpp"

namespace tutti::inline base {
namespace {

namespace fs = std::filesystem;

tl::unexpected<Error> cannot_write(const std::string& path, int cause) {
  return failure(fmt::format("can't write {}: {}", path, std::strerror(cause)));
}

// Where an output really goes.
struct Destination {
  enum class Kind { file, device, descriptor };
  Kind kind;
  std::string path;     // of a file or device, no symbolic link
  int descriptor = -1;  // of this process
};

// The number of one of our descriptors that has a name in the file system.
std::optional<int> descriptor_of(const fs::path& path) {
  if (path == "/dev/stdin") return STDIN_FILENO;
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  const std::string folder = path.parent_path(), name = path.filename();
  if (folder != "/dev/fd" && folder != "/proc/self/fd") return std::nullopt;
  char* end = nullptr;
  const long number = std::strtol(name.c_str(), &end, 10);
  return name.empty() || *end != '\0' ? std::nullopt : std::optional(static_cast<int>(number));
}

Result<Destination> destination_of(const std::string& path) {
  fs::path at = path;
  std::error_code error;
  constexpr int most_links = 40;  // as many as the kernel follows
  for (int links = 0; links < most_links; ++links) {
    if (const auto descriptor = descriptor_of(at))
      return Destination{Destination::Kind::descriptor, at, *descriptor};
    if (!fs::is_symlink(at, error)) {
      struct stat status {};
      if (stat(at.c_str(), &status) != 0 || S_ISREG(status.st_mode))
        return Destination{Destination::Kind::file, at};
      if (S_ISDIR(status.st_mode)) return cannot_write(path, EISDIR);
      return Destination{Destination::Kind::device, at};
    }
    const fs::path target = fs::read_symlink(at, error);
    at = target.is_absolute() ? target : at.parent_path() / target;
  }
  return cannot_write(path, ELOOP);
}

// All of it, or errno.
bool write_all(int descriptor, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t written =
        uninterrupted([&] { return ::write(descriptor, text.data() + at, text.size() - at); });
    if (written < 0) return false;
    at += static_cast<std::size_t>(written);
  }
  return true;
}

// A file beside another that takes its place or goes.
class Replacement {
 public:
  explicit Replacement(std::string path)
      : path_(std::move(path)), temporary_(fmt::format("{}.{:08x}.tmp", path_, std::random_device()())) {
    struct stat there {};
    const bool is_there = stat(path_.c_str(), &there) == 0;
    const mode_t mode = is_there ? there.st_mode & 0777 : 0666;
    descriptor_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    // What a file lets others do stays, whatever this user's mask is.
    if (is_there && descriptor_ >= 0) fchmod(descriptor_, mode);
  }
  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;
  ~Replacement() {
    if (descriptor_ >= 0) close(descriptor_);
    if (opened()) unlink(temporary_.c_str());
  }
  bool opened() const { return descriptor_ >= 0 || closed_; }

  // False with errno set where the disk takes it not.
  bool take_place(const std::string& text) {
    if (!write_all(descriptor_, text) || fsync(descriptor_) != 0) return false;
    closed_ = true;
    if (close(std::exchange(descriptor_, -1)) != 0) return false;
    if (rename(temporary_.c_str(), path_.c_str()) != 0) return false;
    closed_ = false;
    return true;
  }

 private:
  std::string path_, temporary_;
  int descriptor_;
  bool closed_ = false;  // and not in place
};

}  // namespace

Result<std::string> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const bool opened = file.is_open();
  // All at once where the size is known, with a byte more to see the end: memory that grows is
  // touched anew each time. Files of /proc have no size, and others may have grown.
  std::error_code unknown;
  const auto size = fs::file_size(path, unknown);
  std::string text;
  for (std::size_t piece = unknown ? BUFSIZ : std::max<std::size_t>(size + 1, BUFSIZ); file; piece = BUFSIZ) {
    const std::size_t before = text.size();
    text.resize(before + piece);
    file.read(text.data() + before, static_cast<std::streamsize>(piece));
    text.resize(before + static_cast<std::size_t>(file.gcount()));
  }
  // A folder can be opened, but not read.
  if (!opened || file.bad()) return failure(fmt::format("can't read {}: {}", path, std::strerror(errno)));
  return text;
}

Result<void> write_file(const std::string& path, const std::string& text) {
  const auto destination = destination_of(path);
  if (!destination) return tl::unexpected(destination.error());
  if (destination->kind == Destination::Kind::file) {
    Replacement replacement(destination->path);
    if (!replacement.opened() || !replacement.take_place(text)) return cannot_write(path, errno);
    return {};
  }
  if (destination->kind == Destination::Kind::descriptor) {
    std::fflush(nullptr);  // what was printed before comes before
    if (!write_all(destination->descriptor, text)) return cannot_write(path, errno);
    return {};
  }
  const int device = open(destination->path.c_str(), O_WRONLY | O_CLOEXEC);
  if (device < 0) return cannot_write(path, errno);
  const bool written = write_all(device, text);
  const int cause = errno;
  if (close(device) != 0 && written) return cannot_write(path, errno);
  if (!written) return cannot_write(path, cause);
  return {};
}

Result<void> check_output(const std::string& path) {
  const auto destination = destination_of(path);
  if (!destination) return tl::unexpected(destination.error());
  switch (destination->kind) {
    case Destination::Kind::file:
      if (!Replacement(destination->path).opened()) return cannot_write(path, errno);
      break;
    case Destination::Kind::device:
      if (access(destination->path.c_str(), W_OK) != 0) return cannot_write(path, errno);
      break;
    case Destination::Kind::descriptor: {
      const int flags = fcntl(destination->descriptor, F_GETFL);
      if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) return cannot_write(path, EBADF);
    }
  }
  return {};
}

Result<std::string> replaced_file(const std::string& path) {
  const auto destination = destination_of(path);
  if (!destination) return tl::unexpected(destination.error());
  if (destination->kind == Destination::Kind::file) return destination->path;
  return failure(fmt::format("{} is no regular file", path));
}

bool is_standard_output(const std::string& path) {
  const auto destination = destination_of(path);
  return destination && destination->kind == Destination::Kind::descriptor &&
         destination->descriptor == STDOUT_FILENO;
}

}  // namespace tutti::inline base
