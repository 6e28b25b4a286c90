#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "run/calls/block_buffers.hpp"
#include "run/calls/communicator.hpp"
#include "run/execution/device.hpp"
#include "run/mpi/call.hpp"

namespace tutti::run {

/// What has been copied between devices and the host for calls of this process.
struct StagedFromDevices {
  std::atomic<std::uint64_t> buffers{0}, bytes{0};
};
inline StagedFromDevices staged_from_devices;

/// The buffers of a call in memory that the processor can't touch, and copies of them that it can.
/// Only this rank knows where its buffers lie: the call goes on as on all other ranks, with the
/// copies. Data only are copied, and what lies between them is left alone.
class HostCopies {
 public:
  /// Points the call to copies, which hold what its buffers give. The call has to be valid.
  HostCopies(const DeviceLibrary& library, Collective collective, Communicator& communicator, Call& call);

  /// MPI's error code of what has been done so far.
  int error() const { return error_; }

  /// Brings the results back to where the caller wants them. Returns MPI's error code.
  int bring_back();

 private:
  // Bytes of data from a buffer's address on.
  struct Stretch {
    std::ptrdiff_t begin;
    std::size_t bytes;
  };
  using Stretches = std::vector<Stretch>;

  // A buffer as the caller gave it, and its copy.
  struct Copy {
    char* there;
    std::unique_ptr<char[]> memory;
    char* here;         // stands for `there`
    Stretches results;  // what is brought back
  };

  Stretches stretches_of(MPI_Datatype type, const TypeInfo& info);
  void add(Stretches& list, std::ptrdiff_t at, std::size_t elements, const Stretches& one,
           const TypeInfo& info);
  Stretches of_blocks(const BlockBuffer& blocks, const void* buffer);
  Stretches of_vector(const Call& call, std::int64_t count);
  void* copied(const void* buffer, const Stretches& given, const Stretches& results);
  bool transfer(const Copy& copy, const Stretches& what, bool back);

  void copy_blocks(Collective collective, Call& call);
  void copy_vectors(Collective collective, Call& call);

  const DeviceLibrary& library_;
  Communicator& communicator_;
  std::vector<Copy> copies_;
  int error_ = MPI_SUCCESS;
};

}  // namespace tutti::run
