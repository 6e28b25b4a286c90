#include "run/execution/device_staging.hpp"

#include <algorithm>
#include <utility>

#include "run/execution/constants.hpp"
#include "run/execution/execution.hpp"

namespace tutti::run {

DeviceStaging::~DeviceStaging() {
  complete();  // nothing arrives in memory that others have by then
}

char* DeviceStaging::as_laid_out(char* buffer, const RowsList& given, const RowsList& results) {
  return stage(buffer, given, results, false);
}

char* DeviceStaging::packed(char* buffer, const RowsList& given, const RowsList& results) {
  return stage(buffer, given, results, true);
}

char* DeviceStaging::stage(char* buffer, const RowsList& given, const RowsList& results, bool is_packed) {
  std::ptrdiff_t lowest = PTRDIFF_MAX, highest = PTRDIFF_MIN;
  const void* there = nullptr;
  for (const RowsList* list : {&given, &results})
    for (const Rows& rows : *list) {
      const auto packed = static_cast<std::ptrdiff_t>(rows.packed);
      const auto reach = static_cast<std::ptrdiff_t>((rows.count - 1) * rows.packed_pitch + rows.width);
      lowest = std::min(lowest, is_packed ? 0 : rows.begin);
      highest = std::max(highest, is_packed ? packed + reach : rows.end());
      there = buffer + rows.begin;
    }
  if (lowest > highest) return buffer;
  const OnDevice on_device(library_, there);
  places_.push_back({there});
  blocks_.emplace_back(library_, static_cast<std::size_t>(highest - lowest));
  char* const here = blocks_.back().begin() - lowest;
  const auto add_all = [&](std::vector<Piece>& list, const RowsList& all) {
    for (const Rows& rows : all)
      add(list, {buffer + rows.begin, rows.pitch,
                 here + (is_packed ? static_cast<std::ptrdiff_t>(rows.packed) : rows.begin),
                 is_packed ? rows.packed_pitch : rows.pitch, rows.width, rows.count});
  };
  for (const Rows& rows : given) gives_.add(buffer + rows.begin, buffer + rows.end());
  for (const Rows& rows : results)
    if (given.empty()) gets_.add(buffer + rows.begin, buffer + rows.end());
  add_all(from_.list, given);
  add_all(into_.list, results);
  ++device_counts.staged;
  return here;
}

// Cuts rows of the last buffer into pieces: one row into stretches of bytes, several into rows.
void DeviceStaging::add(std::vector<Piece>& list, DeviceRows rows) const {
  std::size_t& left = rows.count == 1 ? rows.width : rows.count;
  const bool by_bytes = rows.count == 1;
  const std::size_t at_once = by_bytes ? execution::piece_for_device
                                       : std::max<std::size_t>(execution::piece_for_device / rows.width, 1);
  while (left > 0) {
    DeviceRows piece = rows;
    const std::size_t now = std::min(left, at_once);
    (by_bytes ? piece.width : piece.count) = now;
    list.push_back({piece, places_.size() - 1});
    left -= now;
    rows.there += now * (by_bytes ? 1 : rows.there_pitch);
    rows.here += now * (by_bytes ? 1 : rows.here_pitch);
  }
}

void DeviceStaging::Span::add(const char* from, const char* to) {
  lowest = lowest ? std::min(lowest, from) : from;
  end = std::max(end, to);
}

void DeviceStaging::Pieces::sort() {
  std::ranges::sort(list, {}, &Piece::begin);
  for (const Piece& piece : list)
    longest = std::max(longest, static_cast<std::size_t>(piece.end() - piece.begin()));
}

void DeviceStaging::begin(const Program& program, const Operands& operands) {
  program_ = &program;
  operands_ = &operands;
  from_.sort();
  into_.sort();
  turn_.assign(from_.list.size(), never);
  for (const Instruction& instruction : program.instructions()) {
    for_each_piece(from_, instruction, false, [&](std::size_t piece) {
      if (turn_[piece] != never) return;
      turn_[piece] = order_.size();
      order_.push_back(piece);
    });
    for_each_piece(into_, instruction, true, [&](std::size_t piece) { ++into_.list[piece].writers; });
  }
  if (!order_.empty()) start_next();
}

// Calls visit(begin, end) for the memory that an instruction touches, or writes: all there is,
// where that is not one stretch.
template <typename Visit>
void DeviceStaging::for_each_stretch(const Instruction& i, bool only_written, Visit&& visit) const {
  const auto at = [&](Buffer buffer, std::ptrdiff_t offset) {
    return operands_->base[static_cast<int>(buffer)] + offset;
  };
  const bool message = is_message(i.kind);
  if (i.kind == OperationKind::send && only_written) return;
  if (i.kind == OperationKind::native || !program_->contiguous() || (message && i.type != operands_->type)) {
    for (const PinnedBlock& block : blocks_) visit(block.begin(), block.begin() + block.bytes());
    return;
  }
  const char* const into = at(i.into_buffer, i.into);
  visit(into, into + i.bytes);
  if (message || i.kind == OperationKind::clear) return;
  // A reduction in the other order leaves its result where the operand was.
  if (only_written && i.kind == OperationKind::copy) return;
  const char* const from = at(i.from_buffer, i.from);
  visit(from, from + i.bytes);
}

template <typename Visit>
void DeviceStaging::for_each_piece(Pieces& pieces, const Instruction& i, bool only_written, Visit&& visit) {
  if (pieces.list.empty()) return;
  for_each_stretch(i, only_written, [&](const char* begin, const char* end) {
    const auto first = std::ranges::upper_bound(pieces.list, begin - pieces.longest, {}, &Piece::begin);
    for (auto piece = first; piece != pieces.list.end() && piece->begin() < end; ++piece)
      if (piece->end() > begin) visit(static_cast<std::size_t>(piece - pieces.list.begin()));
  });
}

// What is asked for is waited for, and the next piece comes meanwhile.
void DeviceStaging::arrive(const Instruction& instruction) {
  std::size_t needed = 0;
  for_each_piece(from_, instruction, false,
                 [&](std::size_t piece) { needed = std::max(needed, turn_[piece] + 1); });
  if (needed <= arrived_) return;
  while (begun_ < needed) start_next();
  complete();
  arrived_ = begun_;
  if (begun_ < order_.size()) start_next();
}

void DeviceStaging::start_next() {
  start(from_.list[order_[begun_++]], Towards::host);
}

// Copies go in order: of a call in place, all that it gives is on its way before results take its
// place.
void DeviceStaging::after(const Instruction& instruction) {
  for_each_piece(into_, instruction, true, [&](std::size_t index) {
    Piece& piece = into_.list[index];
    if (--piece.writers > 0) return;
    while (gives_.overlaps(gets_) && begun_ < order_.size()) start_next();
    start(piece, Towards::device);
  });
}

void DeviceStaging::start(const Piece& piece, Towards towards) {
  const OnDevice on_device(library_, piece.rows.there);
  failed_ |= !library_.begin(piece.rows, towards);
  places_[piece.place].is_under_way = true;
  device_counts.bytes += piece.rows.bytes();
}

void DeviceStaging::complete() {
  for (Place& place : places_) {
    if (!std::exchange(place.is_under_way, false)) continue;
    const OnDevice on_device(library_, place.address);
    failed_ |= !library_.complete();
  }
}

int DeviceStaging::finish() {
  complete();
  blocks_.clear();
  return failed_ ? MPI_ERR_BUFFER : MPI_SUCCESS;
}

}  // namespace tutti::run
