#include "run/transport/segment.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <random>
#include <string>

namespace tutti::run {
namespace {

/// A file of this process, closed with the object.
class OwnFile {
 public:
  explicit OwnFile(int number) : number_(number) {}
  OwnFile(const OwnFile&) = delete;
  OwnFile& operator=(const OwnFile&) = delete;
  ~OwnFile() {
    if (number_ >= 0) close(number_);
  }
  int number() const { return number_; }
  char* map(std::size_t bytes) const {
    if (number_ < 0) return nullptr;
    void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, number_, 0);
    return memory == MAP_FAILED ? nullptr : static_cast<char*>(memory);
  }

 private:
  int number_;
};

// Where the others find the file. Processes that see each other's numbers differently would find
// another one, or none: a secret tells.
struct Place {
  std::int64_t process = 0, file = -1;
  std::uint64_t secret = 0;
};

// Whether a file may be so large: a longer one would end the program (SIGXFSZ).
bool may_be_as_large(std::size_t bytes) {
  rlimit limit{};
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur;
}

// The secret's place at the end of the segment, where it is not in the way.
std::uint64_t& secret_in(char* memory, std::size_t bytes) {
  return *reinterpret_cast<std::uint64_t*>(memory + bytes);
}

}  // namespace

Segment::Segment(MPI_Comm comm, std::size_t bytes) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  bytes = (bytes + 63) / 64 * 64;
  const std::size_t all = bytes + sizeof(std::uint64_t);
  const OwnFile own(rank == 0 && may_be_as_large(all) ? memfd_create("tutti", MFD_CLOEXEC) : -1);
  Place place;
  char* memory = nullptr;
  if (own.number() >= 0 && ftruncate(own.number(), static_cast<off_t>(all)) == 0 && (memory = own.map(all))) {
    std::random_device random;
    place = {getpid(), own.number(), (std::uint64_t{random()} << 32) | random() | 1};
    secret_in(memory, bytes) = place.secret;
  }
  native().MPI_Bcast(&place, sizeof place, MPI_BYTE, 0, comm);
  if (rank != 0 && place.file >= 0) {
    const std::string path = "/proc/" + std::to_string(place.process) + "/fd/" + std::to_string(place.file);
    const OwnFile found(open(path.c_str(), O_RDWR | O_CLOEXEC));
    const bool as_large =
        found.number() >= 0 && lseek(found.number(), 0, SEEK_END) == static_cast<off_t>(all);
    memory = as_large ? found.map(all) : nullptr;
  }
  if (memory) {
    memory_ = memory;
    bytes_ = all;
  }
  int well = memory && secret_in(memory, bytes) == place.secret, all_well = 0;
  native().MPI_Allreduce(&well, &all_well, 1, MPI_INT, MPI_MIN, comm);
  if (!all_well) *this = Segment();
}

Segment::~Segment() {
  if (memory_) munmap(memory_, bytes_);
}

}  // namespace tutti::run
