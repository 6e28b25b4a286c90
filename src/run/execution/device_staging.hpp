#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "run/execution/device.hpp"
#include "run/execution/pinned_block.hpp"
#include "run/execution/program.hpp"
#include "run/execution/rows.hpp"

namespace tutti::run {

/// What calls of this process had on devices: buffers that were copied, the bytes of that, and
/// buffers whose addresses the MPI library was handed.
struct DeviceCounts {
  std::atomic<std::uint64_t> staged{0}, bytes{0}, handed{0};
};
inline DeviceCounts device_counts;

struct Operands;

/// The buffers of a call that the processor can't touch, staged in pinned host memory. Data only
/// are copied, in pieces, each when the call's program first needs it, while messages that do not
/// are under way, and results as soon as the last instruction that writes them is through.
class DeviceStaging {
 public:
  explicit DeviceStaging(const DeviceLibrary& library) : library_(library) {}
  DeviceStaging(const DeviceStaging&) = delete;
  DeviceStaging& operator=(const DeviceStaging&) = delete;
  ~DeviceStaging();

  /// What stands for a buffer, with the data that it gives, and those that it gets: at the same
  /// distances from each other, gaps and all, so that the address stands for the buffer's.
  char* as_laid_out(char* buffer, const RowsList& given, const RowsList& results);
  /// What stands for it where its data are packed.
  char* packed(char* buffer, const RowsList& given, const RowsList& results);

  /// Begins, for a program that is about to run on these operands.
  void begin(const Program& program, const Operands& operands);

  /// Makes sure that the host has what an instruction is about to touch.
  void before(const Instruction& instruction) {
    if (arrived_ < order_.size()) arrive(instruction);
  }
  /// Begins to bring results back that an instruction was the last to write.
  void after(const Instruction& instruction);

  /// Brings back what is left, and gives the memory back. Returns MPI's error code of all that was
  /// copied.
  int finish();

 private:
  // A buffer: some address of it, and whether copies from and to there are under way. Buffers of a
  // call may lie on different devices.
  struct Place {
    const void* address;
    bool is_under_way = false;
  };
  // Data that are copied at once, of one of the buffers.
  struct Piece {
    DeviceRows rows;
    std::size_t place;
    std::size_t writers = 0;  // instructions to come that write there

    const char* begin() const { return rows.here; }
    const char* end() const { return rows.here + (rows.count - 1) * rows.here_pitch + rows.width; }
  };
  // Pieces by their place in host memory.
  struct Pieces {
    std::vector<Piece> list;
    std::size_t longest = 0;  // bytes from a piece's beginning to its end

    void sort();
  };
  // Memory of the device, from its lowest byte to behind its highest.
  struct Span {
    const char *lowest = nullptr, *end = nullptr;
    void add(const char* from, const char* to);
    bool overlaps(const Span& other) const { return lowest < other.end && other.lowest < end; }
  };

  void add(std::vector<Piece>& list, DeviceRows rows) const;
  char* stage(char* buffer, const RowsList& given, const RowsList& results, bool is_packed);
  template <typename Visit>
  void for_each_stretch(const Instruction& instruction, bool only_written, Visit&& visit) const;
  template <typename Visit>
  void for_each_piece(Pieces& pieces, const Instruction& instruction, bool only_written, Visit&& visit);
  void arrive(const Instruction& instruction);
  void start(const Piece& piece, Towards towards);
  void start_next();
  void complete();

  static constexpr std::size_t never = SIZE_MAX;

  const DeviceLibrary& library_;
  std::vector<PinnedBlock> blocks_;
  Pieces from_, into_;                   // what comes from the device, and what goes there
  std::vector<std::size_t> order_;       // of those that come, as the program needs them
  std::vector<std::size_t> turn_;        // of each: its place in that order, or never
  std::size_t begun_ = 0, arrived_ = 0;  // how many of the order
  const Program* program_ = nullptr;
  const Operands* operands_ = nullptr;
  std::vector<Place> places_;
  Span gives_, gets_;  // of what lies in different host memory
  bool failed_ = false;
};

}  // namespace tutti::run
