// An MPI program that looks at where it runs, for `tutti doctor`: rank 0 prints what all ranks have
// found as one line. It calls what every MPI program calls, so that it meets what they meet. With
// --library, started by itself, it prints the file of its MPI.

#include <dlfcn.h>
#include <link.h>
#include <mpi.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/file.hpp"
#include "choose/evidence/library_component.hpp"
#include "choose/evidence/local_place.hpp"
#include "choose/settings/configuration.hpp"
#include "core/schedule/fnv1a.hpp"
#include "programs/examining/examination.hpp"
#include "run/mpi/here.hpp"
#include "run/mpi/loaded_mpi.hpp"
#include "run/mpi/tool_interface.hpp"

extern char** environ;

namespace {

using namespace tutti;

// Loaded files in the order in which the dynamic linker looks for a name in them.
void look_at_files(RankExamination& rank) {
  void* program = dlopen(nullptr, RTLD_NOW);
  link_map* files = nullptr;
  if (!program || dlinfo(program, RTLD_DI_LINKMAP, &files) != 0) return;
  for (const link_map* file = files; file; file = file->l_next) {
    const std::string path = file->l_name;
    const std::string name = std::filesystem::path(path).filename().string();
    if (name.starts_with("libcuda.so") || name.starts_with("libamdhip64.so")) rank.device_library = name;
    if (path.empty()) continue;
    void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD);
    void* bcast = handle ? dlsym(handle, "MPI_Bcast") : nullptr;
    Dl_info where{};
    // A library's own, not one that it needs.
    if (bcast && dladdr(bcast, &where) != 0 && path == where.dli_fname) {
      rank.providers.push_back(path);
      if (name.starts_with("libtutti")) rank.library = path;
    }
    if (handle) dlclose(handle);
  }
  if (const auto text = rank.library.empty() ? Result<std::string>("") : read_file(rank.library); text)
    rank.library_digest = std::to_string(fnv1a(*text));
}

// What carries messages, and on rank 0 what serves native calls.
Fingerprint look_at_library(RankExamination& rank) {
  const Fingerprint here = run::fingerprint_here();
  rank.mpi = here.mpi;
  rank.transport = here.transport;
  rank.fabric = here.fabric;
  if (rank.rank != 0) return here;
  const run::ToolInterface tools;
  for (const LibraryComponent& component :
       library_components({tools.names(), [&tools](const std::string& name) { return tools.read(name); }}))
    rank.components[component.name] = component.priority;
  return here;
}

void look_at_settings(RankExamination& rank, const Fingerprint& here, int ranks) {
  for (char** entry = environ; *entry; ++entry) {
    const std::string assignment(*entry);
    if (assignment.starts_with("TUTTI_"))
      rank.settings[assignment.substr(0, assignment.find('='))] = assignment.substr(assignment.find('=') + 1);
  }
  const Configuration configuration = read_environment({here, ranks});
  rank.complaints = configuration.complaints;
  rank.off = configuration.off;
  if (configuration.off || configuration.cache.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(configuration.cache, error);
  if (error)
    rank.knowledge_trouble = configuration.cache + ": " + error.message();
  else if (access(configuration.cache.c_str(), W_OK | X_OK) != 0)
    rank.knowledge_trouble = configuration.cache + ": " + std::strerror(errno);
}

void look_at_limits(RankExamination& rank) {
  const auto limit = [](auto resource) -> std::uint64_t {
    rlimit now{};
    return getrlimit(resource, &now) != 0 || now.rlim_cur == RLIM_INFINITY ? 0 : now.rlim_cur;
  };
  rank.most_files = limit(RLIMIT_NOFILE);
  rank.most_memory = limit(RLIMIT_AS);
}

// Why a number that another process shows can't be read there; empty if it can.
std::string why_unread(pid_t process, std::uint64_t address) {
  std::uint64_t value = 0;
  iovec here{&value, sizeof value}, there{reinterpret_cast<void*>(address), sizeof value};
  return process_vm_readv(process, &here, 1, &there, 1, 0) == sizeof value ? "" : std::strerror(errno);
}

// The next process of the same host, going round, is looked into.
void look_at_neighbor(RankExamination& mine, int ranks) {
  struct Process {
    char host[256];
    std::int64_t process;
    std::uint64_t address;
  };
  static const std::uint64_t shown = 1;
  Process own{};
  std::snprintf(own.host, sizeof own.host, "%s", mine.host.c_str());
  own.process = getpid();
  own.address = reinterpret_cast<std::uint64_t>(&shown);
  std::vector<Process> all(static_cast<std::size_t>(ranks));
  MPI_Allgather(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, MPI_COMM_WORLD);
  for (int step = 1; step < ranks; ++step) {
    const Process& other = all[static_cast<std::size_t>((mine.rank + step) % ranks)];
    if (mine.host != other.host) continue;
    mine.memory_trouble = why_unread(static_cast<pid_t>(other.process), other.address);
    break;
  }
  MPI_Barrier(MPI_COMM_WORLD);  // nobody has ended before
}

// What all ranks found, on rank 0.
Examination collected(const RankExamination& mine, int ranks) {
  const std::string line = to_line(mine);
  int length = static_cast<int>(line.size());
  std::vector<int> lengths(static_cast<std::size_t>(ranks)), begins(lengths);
  MPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
  for (std::size_t i = 1; i < lengths.size(); ++i) begins[i] = begins[i - 1] + lengths[i - 1];
  std::string all(static_cast<std::size_t>(begins.back() + lengths.back()), ' ');
  MPI_Gatherv(line.data(), length, MPI_CHAR, all.data(), lengths.data(), begins.data(), MPI_CHAR, 0,
              MPI_COMM_WORLD);
  Examination examination;
  for (std::size_t i = 0; mine.rank == 0 && i < lengths.size(); ++i)
    if (auto rank = rank_examination_from_line(
            all.substr(static_cast<std::size_t>(begins[i]), static_cast<std::size_t>(lengths[i]))))
      examination.ranks.push_back(std::move(*rank));
  return examination;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--library") == 0) return std::puts(run::mpi_of_program().file) < 0;
  int level = 0, ranks = 0, length = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  RankExamination mine;
  MPI_Comm_rank(MPI_COMM_WORLD, &mine.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  char name[MPI_MAX_PROCESSOR_NAME] = "";
  MPI_Get_processor_name(name, &length);
  mine.host = name;
  mine.threads_may_call = level == MPI_THREAD_MULTIPLE;
  mine.processors = own_processors();
  look_at_files(mine);
  look_at_settings(mine, look_at_library(mine), ranks);
  look_at_limits(mine);
  look_at_neighbor(mine, ranks);
  if (const Examination examination = collected(mine, ranks); mine.rank == 0)
    std::printf("%s%s\n", std::string(examination_mark).c_str(), to_line(examination).c_str());
  MPI_Finalize();
  return 0;
}
