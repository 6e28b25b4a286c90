// Tells which ranks of a job have Tutti, by PMIx (Open MPI from version 4 on): in MPI_Init a rank
// puts a key beside those of the MPI library, whose own exchange then carries it to all; later
// every rank looks for everybody's. Nothing here sends a message of MPI's. PMIx is declared here as
// far as it is used: programs have its library only where their MPI has.
//
// The copy of PMIx 3 that comes with Open MPI 4 has names with a prefix. Its component calls them
// by the dynamic linker, which finds ours first, as with any names.
//
// Source: PMIx Administrative Steering Committee, Process Management Interface for Exascale,
// version 4.1.

#include <dlfcn.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "run/interpose/abi.hpp"
#include "run/interpose/announced.hpp"
#include "run/mpi/loaded_objects.hpp"
#include "run/mpi/presence.hpp"

namespace tutti::interpose {
namespace {

namespace pmix {

constexpr int success = 0, failure = -1;
constexpr std::uint8_t of_host = 1, of_all = 3;  // scopes of keys
constexpr std::uint16_t boolean = 1, integer = 6, uint32 = 14;
constexpr std::uint32_t any_rank = static_cast<std::uint32_t>(-2);

struct Process {
  char job[256];
  std::uint32_t rank;
};
struct Value {
  std::uint16_t type;
  union {
    bool flag;
    int integer;
    std::uint32_t uint32;
    void* address;
    char room[24];
  } data;
};
struct Attribute {
  char key[512];
  std::uint32_t flags;
  Value value;
};
static_assert(sizeof(Process) == 260 && sizeof(Value) == 32 && sizeof(Attribute) == 552);

struct Library {
  int (*put)(std::uint8_t scope, const char* key, Value* value) = nullptr;
  int (*commit)() = nullptr;
  int (*get)(const Process* process, const char* key, const Attribute* attributes, std::size_t count,
             Value** value) = nullptr;
};

}  // namespace pmix

constexpr const char* presence_key = "tutti.presence";
constexpr int patience_s = 30;  // for what the MPI library has put on every rank

// The functions of a library of PMIx, and their names there.
struct NamedLibrary {
  const char *put_name, *commit_name, *get_name;
  pmix::Library library = {};
};
NamedLibrary plain{"PMIx_Put", "PMIx_Commit", "PMIx_Get"},
    bundled{"OPAL_MCA_PMIX3X_PMIx_Put", "OPAL_MCA_PMIX3X_PMIx_Commit", "OPAL_MCA_PMIX3X_PMIx_Get"};
pmix::Library library;  // by which this rank has announced itself
bool is_announced = false, is_tried = false;
// The first keys that the MPI library has put on this rank, and so on each, for its host and for
// all.
std::array<std::string, 2>& anchors() {
  static auto& keys = *new std::array<std::string, 2>;
  return keys;
}

// Finds the library that the MPI library uses: its caller's.
const pmix::Library& find_library(NamedLibrary& named, void* caller) {
  pmix::Library& found = named.library;
  if (found.commit) return found;
  Dl_info place{};
  void* handle = dladdr(caller, &place) != 0 ? dlopen(place.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : nullptr;
  for (void* where : {handle, run::loaded_library({"libpmix.so.2"}), RTLD_NEXT}) {
    if (!where) continue;
    found.put = reinterpret_cast<decltype(found.put)>(dlsym(where, named.put_name));
    found.get = reinterpret_cast<decltype(found.get)>(dlsym(where, named.get_name));
    found.commit = reinterpret_cast<decltype(found.commit)>(dlsym(where, named.commit_name));
    if (found.put && found.get && found.commit) return found;
  }
  return found = {};
}

// Job data are known without the rank, and rank 0 alone puts which layer it uses for messages.
bool is_of_every_rank(std::string_view key) {
  return !key.starts_with("pmix.") && !key.starts_with("pml.base");
}

// The value of a key, if it is there; what hangs on an anchor's is lost, some bytes.
std::optional<pmix::Value> value_of(const pmix::Process& process, const char* key, const char* attribute,
                                    pmix::Value with) {
  pmix::Attribute how{};
  std::strncpy(how.key, attribute, sizeof how.key - 1);
  how.value = with;
  pmix::Value* value = nullptr;
  if (library.get(&process, key, &how, 1, &value) != pmix::success || !value) return std::nullopt;
  const pmix::Value found = *value;
  std::free(value);
  return found;
}

// What the exchange has not carried here has to be fetched: with a key that is surely there, for of
// one that is not some servers never say so.
std::optional<pmix::Value> announced_by(const pmix::Process& process, const std::string& anchor) {
  pmix::Value at_once{.type = pmix::boolean, .data = {.flag = true}},
      within{.type = pmix::integer, .data = {.integer = patience_s}};
  if (auto value = value_of(process, presence_key, "pmix.immediate", at_once)) return value;
  if (anchor.empty()) return value_of(process, presence_key, "pmix.timeout", within);
  value_of(process, anchor.c_str(), "pmix.timeout", within);
  return value_of(process, presence_key, "pmix.immediate", at_once);
}

int ranks_of_host(pmix::Process process) {
  process.rank = pmix::any_rank;
  pmix::Value* value = nullptr;
  const bool found = library.get(&process, "pmix.local.size", nullptr, 0, &value) == pmix::success && value;
  const int ranks = found && value->type == pmix::uint32 ? static_cast<int>(value->data.uint32) : 0;
  if (found) std::free(value);
  return ranks;
}

// The ranks of this job, if they can be asked for.
class Ranks {
 public:
  explicit Ranks(int ranks) {
    const char* job = std::getenv("PMIX_NAMESPACE");
    if (!job || ranks > run::most_ranks_asked_for) return;
    std::strncpy(process_.job, job, sizeof process_.job - 1);
    anchor_ = &anchors()[ranks_of_host(process_) != ranks || anchors()[0].empty()];
  }
  explicit operator bool() const { return anchor_ != nullptr; }
  std::optional<pmix::Value> announced_by(int rank) {
    process_.rank = static_cast<std::uint32_t>(rank);
    return interpose::announced_by(process_, *anchor_);
  }

 private:
  pmix::Process process_{};
  const std::string* anchor_ = nullptr;
};

std::optional<std::vector<int>> absent(int ranks) {
  Ranks all(ranks);
  if (!all) return std::nullopt;
  const char* own = std::getenv("PMIX_RANK");
  if (!is_announced && own) return std::vector{std::atoi(own)};  // so all others take it
  std::vector<int> list;
  for (int rank = 0; rank < ranks; ++rank)
    if (!all.announced_by(rank)) list.push_back(rank);
  return list;
}

bool meets(int ranks) {
  Ranks all(ranks);
  if (!all || !is_announced) return false;
  const auto value = all.announced_by(0);
  return value && value->type == pmix::uint32 &&
         value->data.uint32 == static_cast<std::uint32_t>(run::Announced::meeting);
}

int put(NamedLibrary& named, void* caller, std::uint8_t scope, const char* key, pmix::Value* value) {
  const pmix::Library& by = find_library(named, caller);
  if (!by.put) return pmix::failure;
  if (scope == pmix::of_host || scope == pmix::of_all)
    if (std::string& anchor = anchors()[scope == pmix::of_all]; anchor.empty() && is_of_every_rank(key))
      anchor = key;
  return by.put(scope, key, value);
}

int commit(NamedLibrary& named, void* caller) {
  const pmix::Library& by = find_library(named, caller);
  if (!by.commit) return pmix::failure;
  if (!std::exchange(is_tried, true) && !is_switched_off() && is_ours()) {
    const auto said = static_cast<std::uint32_t>(announced());
    pmix::Value present{.type = pmix::uint32, .data = {.uint32 = said}};
    library = by;
    is_announced = library.put(pmix::of_all, presence_key, &present) == pmix::success;
    run::absent_ranks = absent;
    run::meets_at_once = meets;
  }
  return by.commit();
}

}  // namespace
}  // namespace tutti::interpose

extern "C" {

__attribute__((visibility("default"))) int PMIx_Put(std::uint8_t scope, const char* key,
                                                    tutti::interpose::pmix::Value* value) {
  return tutti::interpose::put(tutti::interpose::plain, __builtin_return_address(0), scope, key, value);
}

__attribute__((visibility("default"))) int PMIx_Commit() {
  return tutti::interpose::commit(tutti::interpose::plain, __builtin_return_address(0));
}

__attribute__((visibility("default"))) int OPAL_MCA_PMIX3X_PMIx_Put(std::uint8_t scope, const char* key,
                                                                    tutti::interpose::pmix::Value* value) {
  return tutti::interpose::put(tutti::interpose::bundled, __builtin_return_address(0), scope, key, value);
}

__attribute__((visibility("default"))) int OPAL_MCA_PMIX3X_PMIx_Commit() {
  return tutti::interpose::commit(tutti::interpose::bundled, __builtin_return_address(0));
}
}
