#include "tools/doctor/diagnosis.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <set>

#include "choose/evidence/library_component.hpp"

namespace tutti::tools {
namespace {

using enum Finding::Weight;

constexpr std::uint64_t enough_files = 256, enough_memory = std::uint64_t{4} << 30;

std::string file_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

// "rank 3 on h1", "ranks 0, 1 and 6 more".
std::string ranks_text(const std::vector<const RankExamination*>& ranks) {
  constexpr std::size_t most = 4;
  if (ranks.size() == 1) return fmt::format("rank {} on {}", ranks.front()->rank, ranks.front()->host);
  std::vector<int> first;
  for (const auto* rank : ranks)
    if (first.size() < most) first.push_back(rank->rank);
  return ranks.size() > most
             ? fmt::format("ranks {} and {} more", fmt::join(first, ", "), ranks.size() - most)
             : fmt::format("ranks {}", fmt::join(first, ", "));
}

class Doctor {
 public:
  explicit Doctor(const Circumstances& circumstances) : c_(circumstances) {
    for (const Examination& world : c_.worlds)
      for (const RankExamination& rank : world.ranks) all_.push_back(&rank);
  }

  std::vector<Finding> findings() {
    look_at_program();
    if (all_.empty()) {
      no_world();
    } else {
      look_at_worlds();
      look_at_end();
      look_at_preload();
      look_at_tools();
      look_at_settings();
      look_at_hosts();
      look_at_limits();
    }
    std::ranges::stable_sort(found_, {}, &Finding::weight);
    return std::move(found_);
  }

 private:
  void find(std::string name, Finding::Weight weight, std::string what, std::string remedy) {
    found_.push_back({std::move(name), weight, std::move(what), std::move(remedy)});
  }

  template <typename Condition>
  std::vector<const RankExamination*> those(Condition condition) const {
    std::vector<const RankExamination*> some;
    std::ranges::copy_if(all_, std::back_inserter(some), [&](const auto* rank) { return condition(*rank); });
    return some;
  }

  void look_at_program() {
    if (!c_.program) return;
    using enum ProgramFile::Kind;
    const ProgramFile& program = *c_.program;
    if (program.kind == missing)
      return find("program-missing", error, fmt::format("there is no program {}", program.path),
                  "name it by its path");
    if (program.kind == not_executable)
      return find("program-not-executable", error, fmt::format("{} can't be executed", program.path),
                  fmt::format("chmod +x {}", program.path));
    if (program.kind == other_machine)
      return find("program-other-machine", error, program.why_nothing_is_preloaded(),
                  "build it for this machine");
    if (program.kind == fixed)
      return find("program-static", error, program.why_nothing_is_preloaded(),
                  "link it dynamically (without -static), at least with the MPI library");
    if (program.changes_user)
      find("program-setuid", error, program.why_nothing_is_preloaded(),
           fmt::format("chmod u-s,g-s {}, and start it as that user", program.path));
    if (!program.missing_libraries.empty())
      find("program-libraries", error,
           fmt::format("{} needs {}, which the dynamic linker does not find here", program.path,
                       fmt::join(program.missing_libraries, ", ")),
           "load the module that the program was built with, or set LD_LIBRARY_PATH");
    if (program.refuses_preload())
      find(
          "program-sanitizer", error,
          fmt::format("{} has AddressSanitizer as a shared library, which ends programs where another "
                      "library is preloaded",
                      program.path),
          "set ASAN_OPTIONS=verify_asan_link_order=0 for all ranks (options are separated by colons); to ask "
          "again, export it here, too");
    const std::string mpi = program.mpi();
    const bool serves_standard = c_.library == "abi";
    if (serves_standard ? !mpi.empty() : program.is_of_standard_abi())
      return find("program-other-abi", error,
                  fmt::format("{} is built for {}, and Tutti's library for {} would serve it", program.path,
                              serves_standard ? mpi : "the standard ABI of MPI (libmpi_abi)",
                              serves_standard ? "the standard ABI" : c_.mpi),
                  "leave --mpi out: the program's file says what it needs");
    if (serves_standard && program.is_of_standard_abi()) return;
    if (!mpi.empty() && mpi != c_.mpi)
      find("program-other-mpi", error,
           fmt::format("{} is linked with {}, and {} starts {}", program.path, mpi, c_.launcher, c_.mpi),
           fmt::format("start it with {0}'s launcher (mpirun.{0}), or build it with {1}'s compiler", mpi,
                       c_.mpi));
    if (mpi.empty() && program.kind == dynamic && program.missing_libraries.empty())
      find("program-without-mpi", note,
           fmt::format("{} is not linked with an MPI library; it may load one when it runs", program.path),
           "");
  }

  void no_world() {
    if (lacks_slots(c_.said))
      return find(
          "launcher-slots", error, fmt::format("{} has fewer processors than ranks", c_.launcher),
          "start fewer ranks, name more hosts, or let ranks share processors: --map-by :OVERSUBSCRIBE "
          "(in the environment: OMPI_MCA_rmaps_base_oversubscribe=1 up to Open MPI 4, "
          "PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe with 5, PRTE_MCA_mapby=:oversubscribe "
          "from 6 on)");
    find("launcher-fails", error,
         fmt::format("{} did not start a small MPI program ({}){}", c_.launcher,
                     c_.trouble.empty() ? "it said nothing" : c_.trouble,
                     c_.said.empty() ? "" : fmt::format("; it said: {}", c_.said)),
         "mend the command until it starts any MPI program, then ask again");
  }

  void look_at_worlds() {
    if (c_.worlds.size() > 1)
      find("launcher-other-mpi", error,
           fmt::format("{} starts {} processes, each of which takes itself for all there are: it is the "
                       "launcher of another MPI",
                       c_.launcher, all_.size()),
           fmt::format("use mpirun.{}, or say which MPI it is with --mpi", c_.mpi));
    else if (all_.size() == 1)
      find("one-rank", note, "there is one rank: nobody to talk to, and nothing to make faster",
           "start more");
    const auto other = those(
        [&](const auto& rank) { return !c_.launcher_version.empty() && rank.mpi != c_.launcher_version; });
    if (!other.empty() && c_.worlds.size() == 1)
      find("mpi-version", warning,
           fmt::format("{} runs on {}, and {} is of {}", ranks_text(other), other.front()->mpi, c_.launcher,
                       c_.launcher_version),
           "let launcher and library come from one installation: see PATH and LD_LIBRARY_PATH");
  }

  // Ranks that have answered may still have crashed, or never have ended.
  void look_at_end() {
    if (c_.trouble.empty()) return;
    find("launcher-ends-badly", error,
         fmt::format("{} started a small MPI program, whose ranks answered, and then ended badly ({}){}",
                     c_.launcher, c_.trouble, c_.said.empty() ? "" : fmt::format("; it said: {}", c_.said)),
         "run it once more with TUTTI_OFF=1: if it still ends so, mend the command or the MPI library; "
         "otherwise report it");
  }

  void look_at_preload() {
    const auto without = those([](const auto& rank) { return rank.library.empty(); });
    if (!without.empty())
      find("preload-lost", error,
           fmt::format(
               "Tutti's library does not reach {}: the variable LD_PRELOAD, or the file that it names, "
               "is not there",
               without.size() == all_.size() ? "the ranks" : ranks_text(without)),
           "look at wrappers and batch scripts that clear the environment, and at paths that exist on one "
           "host "
           "only; tutti env prints what the launcher has to hand on");
    std::set<std::string> digests;
    for (const auto* rank : all_)
      if (!rank->library.empty()) digests.insert(rank->library_digest);
    if (digests.size() > 1) {
      const std::string& first = all_.front()->library_digest;
      const auto other =
          those([&](const auto& rank) { return !rank.library.empty() && rank.library_digest != first; });
      find("libraries-differ", error,
           fmt::format("{} loads another Tutti than rank {}: {}", ranks_text(other), all_.front()->rank,
                       other.front()->library),
           "install one version on all hosts");
    }
  }

  void look_at_tools() {
    std::set<std::string> said;
    for (const auto* rank : all_) {
      bool behind = rank->library.empty();
      for (const std::string& provider : rank->providers) {
        if (provider == rank->library) {
          behind = true;
          continue;
        }
        if (is_mpi_itself(file_name(provider)) || !said.insert(provider).second) continue;
        find("another-tool", warning,
             fmt::format("{} has MPI functions of its own, and is called {} Tutti", provider,
                         behind ? "behind" : "before"),
             behind ? "if it is a profiler it sees the messages of plans, not the collective calls; load it "
                      "before "
                      "Tutti to see these"
                    : "calls reach Tutti only if it passes them on; leave it out to be sure");
      }
    }
  }

  static bool is_mpi_itself(const std::string& library) {
    return library.starts_with("libmpi") || library.starts_with("libpmpi") ||
           library.starts_with("libtutti") || library.starts_with("libsimgrid");
  }

  void look_at_settings() {
    if (const auto off = those([](const auto& rank) { return rank.off; }); !off.empty())
      find("off", error, fmt::format("TUTTI_OFF=1 is set for {}: everything passes through", all_or(off)),
           "unset TUTTI_OFF");
    std::set<std::string> complaints;
    for (const auto* rank : all_) complaints.insert(rank->complaints.begin(), rank->complaints.end());
    for (const std::string& complaint : complaints)
      find("setting", warning, complaint, "mend the variable, or what it names");
    for (const auto* rank : all_)
      if (rank->settings != all_.front()->settings) {
        find("settings-differ", warning,
             fmt::format("rank {} on {} has other variables than rank {}: {}", rank->rank, rank->host,
                         all_.front()->rank, difference(all_.front()->settings, rank->settings)),
             "those of rank 0 are used; look at start-up files of shells on the hosts");
        break;
      }
    std::set<std::string> troubles;
    for (const auto* rank : all_)
      if (!rank->knowledge_trouble.empty()) troubles.insert(rank->knowledge_trouble);
    for (const std::string& trouble : troubles)
      find("knowledge", warning, fmt::format("what is learnt can't be kept: {}", trouble),
           "make the folder writable, or name another with TUTTI_CACHE");
  }

  std::string all_or(const std::vector<const RankExamination*>& some) const {
    return some.size() == all_.size() ? "all ranks" : ranks_text(some);
  }

  static std::string difference(const std::map<std::string, std::string>& first,
                                const std::map<std::string, std::string>& second) {
    std::set<std::string> names;
    for (const auto* settings : {&first, &second})
      for (const auto& [name, value] : *settings) names.insert(name);
    std::vector<std::string> texts;
    const auto text = [](const auto& settings, const std::string& name) {
      const auto entry = settings.find(name);
      return entry == settings.end() ? "not set" : "'" + entry->second + "'";
    };
    for (const std::string& name : names)
      if (text(first, name) != text(second, name))
        texts.push_back(fmt::format("{} ({} against {})", name, text(second, name), text(first, name)));
    return fmt::format("{}", fmt::join(texts, ", "));
  }

  void look_at_hosts() {
    std::map<std::string, std::vector<const RankExamination*>> hosts;
    for (const auto* rank : all_) hosts[rank->host].push_back(rank);
    for (const auto& [host, ranks] : hosts) {
      std::set<int> processors;
      for (const auto* rank : ranks) processors.insert(rank->processors.begin(), rank->processors.end());
      if (c_.worlds.size() > 1 || ranks.size() <= processors.size()) continue;
      find("oversubscribed", warning,
           fmt::format(
               "{} ranks share {} processors on {}: times of collectives say little, and short ones take "
               "long",
               ranks.size(), processors.size(), host),
           "start at most one rank a processor; with Open MPI set OMPI_MCA_mpi_yield_when_idle=1 otherwise");
      break;
    }
    look_at_transports(static_cast<int>(hosts.size()));
    if (const auto unread = those([](const auto& rank) { return !rank.memory_trouble.empty(); });
        !unread.empty())
      find("memory", warning,
           fmt::format("{} can't read the memory of another rank of its host ({}): long messages there are "
                       "copied twice",
                       ranks_text(unread), unread.front()->memory_trouble),
           "let processes of one user trace each other: kernel.yama.ptrace_scope=0, for containers "
           "--cap-add SYS_PTRACE");
    if (const auto device = those([](const auto& rank) { return !rank.device_library.empty(); });
        !device.empty())
      find("device", note,
           fmt::format("{} is loaded: buffers in a device's memory are staged through the host, but for long "
                       "messages of an MPI library that says that it takes such addresses",
                       device.front()->device_library),
           "TUTTI_DEVICE=native leaves collectives of such programs to the MPI library");
  }

  void look_at_transports(int hosts) {
    const RankExamination& first = *all_.front();
    const auto other = those([&](const auto& rank) {
      return rank.transport != first.transport || (hosts > 1 && rank.fabric != first.fabric);
    });
    if (!other.empty()) {
      const auto over = [hosts](const RankExamination& rank) {
        return hosts > 1 ? rank.transport + ", " + rank.fabric : rank.transport;
      };
      find(
          "transports-differ", warning,
          fmt::format("{} sends over {}, and rank {} over {}: tables and what is learnt are those of rank {}",
                      ranks_text(other), over(*other.front()), first.rank, over(first), first.rank),
          "look at variables of the MPI library and its network on the hosts");
    }
    std::vector<LibraryComponent> components;
    for (const auto& [name, priority] : first.components) components.push_back({name, priority});
    std::ranges::stable_sort(components, std::greater(), &LibraryComponent::priority);
    if (const std::string above = above_text(components, hosts); !above.empty())
      find("native-component", note,
           fmt::format("{} serves native calls here, as far as it has the operation", above),
           "to have coll/tuned serve them set OMPI_MCA_coll_tuned_priority higher; tutti export writes rules "
           "for both");
  }

  void look_at_limits() {
    const auto few =
        those([](const auto& rank) { return rank.most_files > 0 && rank.most_files < enough_files; });
    if (!few.empty())
      find("files", warning,
           fmt::format("{} may have {} files open; connections and shared memory need one each", all_or(few),
                       few.front()->most_files),
           "ulimit -n 1024");
    const auto tight =
        those([](const auto& rank) { return rank.most_memory > 0 && rank.most_memory < enough_memory; });
    if (!tight.empty())
      find("address-space", warning,
           fmt::format("{} may use {} MB of address space; shared memory counts in full", all_or(tight),
                       tight.front()->most_memory >> 20),
           "ulimit -v unlimited");
    const auto threads = those([](const auto& rank) {
      const auto entry = rank.settings.find("TUTTI_PROGRESS");
      return !rank.threads_may_call && entry != rank.settings.end() && entry->second == "thread";
    });
    if (!threads.empty())
      find("progress-thread", warning,
           "TUTTI_PROGRESS=thread is set, and the MPI library lets no two threads call", "unset it");
  }

  const Circumstances& c_;
  std::vector<const RankExamination*> all_;
  std::vector<Finding> found_;
};

}  // namespace

bool lacks_slots(const std::string& said) {
  return said.find("not enough slots") != said.npos;
}

std::vector<Finding> diagnose(const Circumstances& circumstances) {
  return Doctor(circumstances).findings();
}

std::string_view name(Finding::Weight weight) {
  constexpr std::string_view names[] = {"error", "warning", "note"};
  return names[static_cast<int>(weight)];
}

bool is_sound(const std::vector<Finding>& findings) {
  return std::ranges::all_of(findings, [](const Finding& finding) { return finding.weight == note; });
}

}  // namespace tutti::tools
