#include "choose/evidence/knowledge_store.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "base/file.hpp"
#include "base/json.hpp"
#include "base/json_members.hpp"
#include "base/number.hpp"
#include "choose/evidence/constants.hpp"
#include "core/schedule/fnv1a.hpp"

namespace tutti::inline choose {
namespace {

namespace fs = std::filesystem;

// Who may use the folder may use what is in it, whatever masks its users have. The owners of other
// files see to that themselves.
void open_as_its_folder(const fs::path& path) {
  constexpr auto use = fs::perms(0666);
  std::error_code error;
  const auto folder = fs::status(path.parent_path(), error).permissions();
  if (!error) fs::permissions(path, folder & use, error);
}

// The right to change a machine's file, given back at the end.
class Lock {
 public:
  Lock(const fs::path& path, std::chrono::milliseconds patience) {
    descriptor_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && errno == EACCES) {
      descriptor_ = open(path.c_str(), O_RDONLY | O_CLOEXEC);
      // There is none, and none may be created, which is what users have to hear.
      if (descriptor_ < 0 && errno == ENOENT) errno = EACCES;
    }
    if (descriptor_ < 0) {
      error_ = fmt::format("{}: {}", path.string(), std::strerror(errno));
      return;
    }
    open_as_its_folder(path);
    const auto until = std::chrono::steady_clock::now() + patience;
    while (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK && errno != EINTR) {
        error_ = fmt::format("{}: {}", path.string(), std::strerror(errno));
        return;
      }
      if (std::chrono::steady_clock::now() >= until) {
        held_by_others_ = true;
        return;
      }
      std::this_thread::sleep_for(evidence::between_tries);
    }
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  const std::string& error() const { return error_; }
  bool held_by_others() const { return held_by_others_; }

 private:
  int descriptor_ = -1;
  bool held_by_others_ = false;
  std::string error_;
};

// Knowledge's text without any.
std::string nothing_known(const std::string& machine) {
  return to_text(Knowledge{.machine = machine, .classes = {}, .networks = {}});
}

// A machine's file. It may have been copied from another, or its name stand for two.
Result<std::string> text_of(const fs::path& path, const std::string& machine) {
  std::error_code error;
  if (!fs::exists(path, error)) return nothing_known(machine);
  auto text = read_file(path);
  const auto of = text ? member_named(*text, "machine") : std::nullopt;
  if (of && *of != json_text(machine, -1))
    return failure(fmt::format("knowledge {} is of {}, this machine is '{}'", path.string(), *of, machine));
  return text;
}

Result<Knowledge> read(const std::string& text, const std::string& source) {
  auto knowledge = parse_knowledge(text, source);
  if (knowledge) knowledge->fade_as_of(today());
  return knowledge;
}

}  // namespace

fs::path KnowledgeStore::file_of(const std::string& machine) const {
  return folder_ / fmt::format("knowledge-{:016x}.json", fnv1a(machine));
}

std::vector<fs::path> KnowledgeStore::files() const {
  std::vector<fs::path> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_, error))
    if (const std::string name = entry.path().filename();
        name.starts_with("knowledge-") && name.ends_with(".json"))
      found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

Result<Knowledge> KnowledgeStore::load(const std::string& machine) const {
  const fs::path path = file_of(machine);
  return text_of(path, machine).and_then([&](const std::string& text) { return read(text, path); });
}

Result<UnreadKnowledge> KnowledgeStore::unread(const std::string& machine, const std::string& mpi) const {
  const fs::path path = file_of(machine);
  return text_of(path, machine).and_then([&](std::string text) {
    return UnreadKnowledge::of(std::move(text), path, mpi);
  });
}

// Names of nonblocking collectives are all that begin so, and stand within their class's brackets
// behind texts alone.
KnownNonblocking KnowledgeStore::known_nonblocking(const std::string& machine, const std::string& mpi,
                                                   int most_ranks) const {
  constexpr std::string_view nonblocking = "\"collective\": \"i", neighbors = "neighbor_";
  KnownNonblocking known = KnownNonblocking::none;
  const auto file = read_file(file_of(machine));
  const std::string_view text = file ? *file : std::string_view();
  for (auto at = text.find(nonblocking); at != text.npos; at = text.find(nonblocking, at + 1)) {
    const auto begin = text.rfind('{', at);
    if (begin == text.npos) continue;
    const auto of_mpi = member_named(text.substr(begin), "mpi");
    const auto ranks = member_named(text.substr(begin), "ranks");
    if (of_mpi != fmt::format("\"{}\"", mpi) || !ranks ||
        number_in<int>(*ranks).value_or(most_ranks) > most_ranks)
      continue;
    if (text.substr(at + nonblocking.size()).starts_with(neighbors))
      return KnownNonblocking::between_neighbors;
    known = KnownNonblocking::some;
  }
  return known;
}

std::vector<FoundGroups> KnowledgeStore::found_groups(const std::string& machine) const {
  const auto file = read_file(file_of(machine));
  auto found = file ? parse_found_groups(*file) : std::vector<FoundGroups>();
  std::erase_if(found, [now = today()](const FoundGroups& each) { return is_outdated(each, now); });
  return found;
}

namespace {

// Numbers that JSON does not have would make the file one that can't be read.
Result<void> can_be_kept(const Knowledge& news) {
  if (parse_knowledge(to_text(news), "of the news")) return {};
  return failure(
      fmt::format("what is new of {} has a number that is infinite, or none; it is not added", news.machine));
}

auto adding(const Knowledge& news) {
  return
      [&news](const std::string& text, const std::string& source) { return with_news(text, source, news); };
}

}  // namespace

Result<void> KnowledgeStore::add(const Knowledge& news) const {
  if (auto failed = can_be_kept(news); !failed) return failed;
  return change_or_fail(news.machine, adding(news));
}

Result<bool> KnowledgeStore::add_at_once(const Knowledge& news) const {
  if (const auto failed = can_be_kept(news); !failed) return tl::unexpected(failed.error());
  return change(news.machine, adding(news), std::chrono::milliseconds::zero());
}

Result<void> KnowledgeStore::forget(const std::string& machine,
                                    const std::function<bool(const Knowledge::Key&)>& drop) const {
  return change_or_fail(machine, [&](const std::string& text, const std::string& source) {
    return read(text, source).map([&](Knowledge known) {
      known.drop(drop);
      return to_text(known);
    });
  });
}

Result<void> KnowledgeStore::change_or_fail(const std::string& machine, const Change& how) const {
  const auto changed = change(machine, how, evidence::lock_patience);
  if (!changed) return tl::unexpected(changed.error());
  if (!*changed) return failure(fmt::format("{} is held by others", lock_of(machine).string()));
  return {};
}

fs::path KnowledgeStore::lock_of(const std::string& machine) const {
  return file_of(machine).replace_extension(".lock");
}

// Reads, changes and replaces a machine's file, while no other does. False where others held it all
// that time.
Result<bool> KnowledgeStore::change(const std::string& machine, const Change& how,
                                    std::chrono::milliseconds patience) const {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) return failure(fmt::format("{}: {}", folder_.string(), error.message()));
  const fs::path path = file_of(machine);
  const Lock lock(lock_of(machine), patience);
  if (!lock.error().empty()) return failure(lock.error());
  if (lock.held_by_others()) return false;
  const auto text =
      text_of(path, machine).and_then([&](const std::string& before) { return how(before, path); });
  if (!text) return tl::unexpected(text.error());
  if (const auto written = write_file(path, *text); !written) return tl::unexpected(written.error());
  open_as_its_folder(path);
  return true;
}

}  // namespace tutti::inline choose
