#pragma once

#include <vector>

#include "run/execution/in_flight.hpp"
#include "run/execution/program.hpp"
#include "run/transport/waiting.hpp"

namespace tutti::run {

struct DeviceLibrary;
class DeviceStaging;

/// What a program works on in one call.
struct Operands {
  char* base[3] = {nullptr, nullptr, nullptr};  ///< where each Buffer begins
  MPI_Datatype type = MPI_BYTE;                 ///< of the elements reduced
  MPI_Op op = MPI_OP_NULL;
  bool commutative = true;
  bool predefined = false;                ///< `op` is MPI's own
  DeviceStaging* staging = nullptr;       ///< brings to the host what is touched; null: all is there
  const DeviceLibrary* device = nullptr;  ///< copies where a buffer lies on a device; null: none does
};

/// One run of a program: a state machine that can be waited for or polled. It allocates only when a
/// program has more messages under way than any before it.
class Execution {
 public:
  /// What the next run works on, to be set before it starts.
  Operands& operands() { return operands_; }
  const Operands& operands() const { return operands_; }

  /// A run from its beginning to its end: `start` and `wait`.
  int run(const Program& program, MPI_Comm comm, int first_tag, HostMemory* memory) {
    if (program.is_straight() && !operands_.staging) [[likely]] {
      take(program, comm, first_tag, memory);
      return run_straight();
    }
    start(program, comm, first_tag, memory);
    bool done = false;
    return wait(done);
  }

  /// Prepares a run on `comm`, and through the memory that the program was bound to. Tags count
  /// from `first_tag` on, as many as a call has; nothing else with those may be under way. The
  /// program has to outlive the run.
  void start(const Program& program, MPI_Comm comm, int first_tag, HostMemory* memory) {
    take(program, comm, first_tag, memory);
    wave_ = 0;
    issued_ = false;
    under_way_ = 0;
    through_memory_.clear();
    if (requests_.size() < program.max_messages() || !program.in_step()) make_room();
  }

  /// Drives it to the end. Returns, as all of these, MPI's error code of the first call that
  /// failed.
  int wait(bool& done);

  /// Drives it as far as it goes without waiting.
  int test(bool& done);

  /// Posts the messages that wait for nothing, and asks for none of them: the MPI library makes no
  /// progress.
  int post(bool& done);

  /// Whether a run that has failed by that error leaves messages in memory that belong to it, or
  /// has not come to all that others wait for there.
  bool leaves_messages(int error) const;

 private:
  void take(const Program& program, MPI_Comm comm, int first_tag, HostMemory* memory) {
    program_ = &program;
    comm_ = comm;
    first_tag_ = first_tag;
    memory_ = memory;
  }
  void make_room();
  Waiting waiting() const { return memory_ ? memory_->waiting(comm_) : Waiting(comm_, false); }

  enum class Patience { not_asking, none, unlimited };

  // A message that goes through memory.
  struct ThroughMemory {
    std::uint32_t index;  // of its instruction
    Outgoing out;         // one of these
    Incoming in;
    std::vector<char> packed;  // where its elements have gaps
    bool done = false;
  };

  int run_straight();
  int advance(Patience patience, bool& done);
  int advance_in_step(Patience patience, bool& done);
  int advance_freely(Patience patience, bool& done);

  bool waits_for_receive(const Instruction& send);
  int exchange(std::uint32_t begin, const Wave& wave);
  int send(const Instruction& send);
  int receive(const Instruction& receive);
  int exchange(const Instruction& receive, const Instruction& send);
  int exchange_by_requests(const Instruction& receive, const Instruction& send);
  int finish_some(bool wait);
  int finish_wave(Patience patience, bool& done);
  int issue(std::uint32_t index);
  int exchange_through_memory(std::uint32_t begin, const Wave& wave);
  int begin_through_memory(std::uint32_t index);
  Outgoing outgoing(const Instruction& send, const char* from) const;
  Incoming incoming(const Instruction& receive, char* into) const;
  const char* posted(const Instruction& send, std::uint32_t index);
  bool pass_on(ThroughMemory& message);
  void hold_back();
  int advance_through_memory(std::size_t& left);
  int advance_through_memory(ThroughMemory& message);
  int work(const Instruction& instruction);
  void before(std::uint32_t begin, std::uint32_t end);
  void after(std::uint32_t begin, std::uint32_t end);
  int complete(std::uint32_t index);
  int reduce(const Instruction& instruction);
  int copy(const Instruction& instruction);
  int copy_on_device(void* into, const void* from, std::size_t bytes) const;
  int native_phase(const Instruction& instruction);
  char* at(Buffer buffer, std::ptrdiff_t offset) const {
    return operands_.base[static_cast<int>(buffer)] + offset;
  }

  const Program* program_ = nullptr;
  Operands operands_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  int first_tag_ = 0;
  HostMemory* memory_ = nullptr;

  InFlight unasked_{0, 0};  // sent since a send waited for its receive, by this and earlier runs
  std::vector<MPI_Request> requests_;
  int under_way_ = 0;                          // requests in use
  std::vector<ThroughMemory> through_memory_;  // under way

  // In step: the wave that is issued next, or waited for.
  std::size_t wave_ = 0;
  bool issued_ = false;

  // Freely: what each instruction still waits for, which may start, which instruction a request
  // belongs to.
  std::vector<std::uint32_t> waiting_for_;
  std::vector<std::uint32_t> ready_;
  std::vector<std::uint32_t> owner_;
  std::vector<int> finished_;
};

}  // namespace tutti::run
