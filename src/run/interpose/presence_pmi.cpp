// Tells which ranks of a job have Tutti, by PMI-1 as MPICH's launcher Hydra speaks it: lines of
// text through a file that the launcher has opened. Before MPI_Init a rank puts a key, the MPI
// library's own barrier carries it to all, and after it every rank asks for everybody's. A launcher
// other than Hydra is left alone: Slurm takes it ill that a rank begins twice.
//
// Source: Balaji and others, PMI: A Scalable Parallel Process-Management Interface for
// Extreme-Scale Systems,
// 2010.

#include <fcntl.h>
#include <fmt/format.h>
#include <mpi.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "run/interpose/announced.hpp"
#include "run/interpose/presence.hpp"
#include "run/mpi/launcher.hpp"
#include "run/mpi/library_text.hpp"
#include "run/mpi/presence.hpp"

namespace tutti::interpose {
namespace {

// Whether the launcher speaks PMI-1 at all shows by its first answer. For later ones a rank waits
// as the MPI library does: if it gave one up that comes all the same, the library would take it for
// an answer to its own question, and ranks would no longer decide alike.
constexpr int patience_at_first_ms = 10'000, patience_ms = -1;
constexpr std::size_t longest_line = 1024;  // that PMI-1 has; longer ones come in parts

// The job's store of keys, and what was found out; as long as it is empty, nothing.
struct Store {
  bool is_looked_for = false;
  std::string name;
  std::optional<std::vector<int>> absent;
  bool meets = false;
};
Store& store() {
  static auto& only = *new Store;
  return only;
}

std::optional<std::vector<int>> absent(int) {
  return store().absent;
}
bool meets(int) {
  return store().meets;
}

// Hydra tells its ranks how many of them a host has.
int file_of_hydra() {
  const char *file = std::getenv("PMI_FD"), *version = std::getenv("MPIR_CVAR_PMI_VERSION");
  if (!file || !*file || !std::getenv("MPI_LOCALNRANKS") || (version && std::strcmp(version, "1") != 0))
    return -1;
  char* end = nullptr;
  const long number = std::strtol(file, &end, 10);
  return *end != '\0' || fcntl(static_cast<int>(number), F_GETFD) < 0 ? -1 : static_cast<int>(number);
}

// The launcher says how many ranks there are: when a session begins MPI has no communicator yet.
std::optional<int> ranks_of_job() {
  const char* ranks = std::getenv("PMI_SIZE");
  return ranks ? std::optional(std::atoi(ranks)) : std::nullopt;
}

// One line there and one back, which has to begin as expected; "" if it does not. Of what has come
// no more is taken than that line.
std::string asked(int file, const std::string& request, std::string_view expected,
                  int patience = patience_ms) {
  pollfd there{.fd = file, .events = POLLIN, .revents = 0};
  if (poll(&there, 1, 0) != 0) return "";  // something unread is not for us
  if (send(file, request.data(), request.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(request.size()))
    return "";
  std::string reply;
  while (!reply.ends_with('\n')) {
    const int ready = poll(&there, 1, patience);
    if (ready < 0 && errno == EINTR) continue;
    char come[longest_line];
    const ssize_t length = ready > 0 ? recv(file, come, sizeof come, MSG_PEEK) : 0;
    if (length <= 0) return "";
    const std::string_view all(come, static_cast<std::size_t>(length));
    const std::size_t wanted = std::min(all.find('\n'), all.size() - 1) + 1;
    if (read(file, come, wanted) != static_cast<ssize_t>(wanted)) return "";
    reply.append(come, wanted);
  }
  return reply.starts_with(expected) ? reply : "";
}

std::string field(const std::string& reply, std::string_view name) {
  const auto at = reply.find(name);
  if (at == reply.npos) return "";
  const auto begin = at + name.size();
  return reply.substr(begin, reply.find_first_of(" \n", begin) - begin);
}

std::string key_of(int rank) {
  return fmt::format("tutti-presence-{}", rank);
}

// Libraries that are like MPICH have launchers that are like Hydra.
bool is_mpich() {
  return run::library_text().find("MPICH Version") != std::string::npos;
}

}  // namespace

void announce_presence() {
  const int file = file_of_hydra();
  const auto rank = run::launcher::rank();
  if (std::exchange(store().is_looked_for, true)) return;
  if (file < 0 || !rank || is_switched_off() || !is_mpich()) return;
  if (asked(file, "cmd=init pmi_version=1 pmi_subversion=1\n", "cmd=response_to_init", patience_at_first_ms)
          .empty())
    return;
  store().name = field(asked(file, "cmd=get_my_kvsname\n", "cmd=my_kvsname"), " kvsname=");
  if (store().name.empty()) return;
  asked(file,
        fmt::format("cmd=put kvsname={} key={} value={}\n", store().name, key_of(*rank),
                    static_cast<int>(announced())),
        "cmd=put_result");
}

void ask_for_presence() {
  const int file = file_of_hydra();
  const int ranks = ranks_of_job().value_or(0);
  if (file < 0 || store().name.empty() || store().absent || ranks < 2 || ranks > run::most_ranks_asked_for)
    return;
  std::vector<int> list;
  for (int rank = 0; rank < ranks; ++rank) {
    const std::string reply =
        asked(file, fmt::format("cmd=get kvsname={} key={}\n", store().name, key_of(rank)), "cmd=get_result");
    if (reply.empty()) return;
    if (field(reply, " rc=") != "0") list.push_back(rank);
    if (rank == 0)
      store().meets = field(reply, " value=") == fmt::to_string(static_cast<int>(run::Announced::meeting));
  }
  store().absent = std::move(list);
  run::absent_ranks = absent;
  run::meets_at_once = meets;
}

}  // namespace tutti::interpose
