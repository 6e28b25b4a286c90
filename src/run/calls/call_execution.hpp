#pragma once

#include <memory>

#include "run/calls/block_buffers.hpp"
#include "run/calls/bound_call.hpp"
#include "run/execution/device_staging.hpp"
#include "run/mpi/datatype.hpp"

namespace tutti::run {

/// The execution of a call by a plan that is not native: the programs to be run for it, one after
/// the other, with what has to be done before and after each. Counts, types, operation and root
/// have to be valid. Arrays of the call have to stay as they are until it is complete.
///
/// Where its buffers lie only this rank knows. Those on a device are staged in host memory; or,
/// where data are only moved, and the MPI library takes such addresses, they are handed to it.
class CallExecution {
 public:
  /// `commutative` says whether operands may change places. Messages of all but persistent calls
  /// may go through memory that the ranks of a host share. `device` is the library of devices that
  /// is loaded, or null. `network` is what schedules are computed for, on all ranks, or null.
  CallExecution(Communicator& communicator, Workspace& workspace, const Plan& plan, const Call& call,
                bool commutative, Mode mode, const DeviceLibrary* device, const KnownNetwork* network)
      : c_(communicator),
        w_(workspace),
        plan_(plan),
        call_(call),
        commutative_(commutative),
        mode_(mode),
        device_(device),
        network_(network),
        memory_at_once_(mode == Mode::nonblocking && plan.uses_memory() ? communicator.memory_at_once()
                                                                        : nullptr) {}

  /// Prepares the first program. It and `go_on` are collective for plans that leave phases to the
  /// MPI library, and that use memory. `knows_sizes`: a call with the same arguments has told this
  /// workspace the sizes that irregular calls go by, on all ranks. Returns MPI's error code.
  int begin(bool knows_sizes = false);

  /// Whether that holds for whatever begins after this call. It is the same on all ranks.
  bool knows_sizes() const { return knows_sizes_; }

  /// The memory through which its messages go; null where they go by MPI's.
  HostMemory* memory() const { return mode_ == Mode::blocking ? c_.memory() : memory_at_once_; }

  /// What the workspace's execution has to run next; null when the call is complete.
  const Program* program() const { return has_arrived_ ? nullptr : program_; }

  /// Goes on with the call when that program has run, to the next one if there is one. Returns
  /// MPI's error code.
  int go_on() {
    const auto then = std::exchange(then_, nullptr);
    has_arrived_ = true;  // unless it says otherwise
    return then ? (this->*then)() : MPI_SUCCESS;
  }

  /// Begins again, by the same program with the same buffers. False where more is done than to run
  /// one.
  bool repeats() {
    if (!only_executes_) return false;
    has_arrived_ = false;
    return true;
  }

  /// How another call with the same arguments can be carried out. Nothing where more is done than
  /// to run a program, or another may be computed at any time.
  BoundCall bound() const;

 private:
  char*& base(Buffer buffer) { return w_.execution.operands().base[static_cast<int>(buffer)]; }
  int execute(const Program& program, int (CallExecution::*then)() = nullptr);
  ProgramKey key_of(const Plan& plan, std::size_t units, std::uint64_t type_id) const;
  ProgramKey key(std::size_t units, std::uint64_t type_id = 0) const { return key_of(plan_, units, type_id); }
  bool combines_whole() const;
  Setting setting() const;
  // Finds or makes a program, as ProgramCache::find does, where such calls have theirs.
  template <typename... What>
  const Program& find(What&&... what) {
    if (mode_ == Mode::blocking) return c_.programs().find(std::forward<What>(what)...);
    auto& programs = memory_at_once_ ? c_.programs_at_once() : c_.programs_without_memory();
    return *(held_ = programs.find(std::forward<What>(what)...));
  }
  Part part(std::size_t bytes) const;
  Program program_of(const Plan& plan, const Part& part, const Layout& layout, const Unit& unit);
  Program program(const Part& part, const Layout& layout, const Unit& unit) {
    return program_of(plan_, part, layout, unit);
  }
  const Program& vector_program(const Plan& plan, std::size_t units, const Unit& unit, std::uint64_t type_id);
  int barrier();
  int bcast();
  int unpack_vector();
  bool is_on_device(const void* address) const { return device_ && address && device_->holds(address); }
  bool may_hand_over(std::size_t bytes_of_messages) const;
  DeviceStaging& device_staging();
  RowsList rows_of_vector(std::size_t elements) const;
  int finish_device_staging();
  int bcast_on_device(const Program& moves);
  void decide_staging();
  void hand_over_or_stage(const Program& moves);
  void place_blocks();
  bool is_staged(const BlockBuffer& buffer) const;
  bool overwrites_input() const;
  int move_blocks();
  int move_as_laid_out();
  int move_by(const Program& moves);
  bool output_stays() const;
  int unpack_output();
  const Program& regular_program(const BlockBuffers& buffers);
  int blocks() const;
  int pieces(std::size_t bytes) const;
  void place_in_a_row(const BlockBuffer& buffer, int pieces, Blocks& blocks) const;
  void place_as_displaced(const BlockBuffer& buffer, int pieces, Blocks& blocks) const;
  int find_bytes();
  int go_by_bytes();
  int tell_sizes();
  int go_by_sizes();
  const Program& irregular_program();
  static std::uint64_t hash_of(const Layout& layout);
  char* room_for_elements(std::size_t count, const TypeInfo& type);
  const void* input_of_reduction() const;
  void place_operands(std::size_t given, std::size_t got);
  void set_operation(MPI_Datatype type, MPI_Op op);
  int reduce_vector();
  int reduce_scatter();
  int bring_own_block();
  std::size_t elements_of(Rank rank) const;
  std::size_t elements_of_all() const;
  const Program& reduce_scatter_program(const Unit& unit, const TypeInfo& type);
  void lay_out_elements();

  Communicator& c_;
  Workspace& w_;
  const Plan& plan_;
  Call call_;
  bool commutative_;
  Mode mode_;
  const DeviceLibrary* device_;
  const KnownNetwork* network_;
  HostMemory* const memory_at_once_;               // as it was when the call began, for all of its programs
  std::unique_ptr<DeviceStaging> device_staging_;  // where a buffer is staged for a device
  BlockBuffers buffers_;                           // of calls that move blocks
  bool input_on_device_ = false, output_on_device_ = false;
  bool hands_over_ = false;                          // what lies on a device is the MPI library's affair
  bool stage_input_ = false, stage_output_ = false;  // whether blocks are not moved where they lie
  std::size_t agreed_bytes_ = 0, longer_ = 0;        // of irregular calls, see find_bytes
  const Program* program_ = nullptr;                 // the last one
  std::shared_ptr<const Program> held_;              // that one, of calls that do not block
  int (CallExecution::*then_)() = nullptr;
  bool has_arrived_ = false;
  bool knows_sizes_ = false;
  bool only_executes_ = true;  // nothing is done but to run that program
};

}  // namespace tutti::run
