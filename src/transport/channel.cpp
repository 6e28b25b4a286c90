#include "transport/channel.hpp"

#include <algorithm>
#include <cstring>

#include "transport/process_memory.hpp"

namespace tutti::runtime {
namespace {

constexpr std::uint32_t is_lent = std::uint32_t{1} << 31;  // in a label, beside the bytes of a piece
constexpr std::size_t borrowed_at_a_time = 64 << 10;       // bytes, where they are combined

// What a slot says of a message that is read where it is.
struct Loan {
  std::uintptr_t address;
  std::size_t bytes;
};

// The most of so many bytes that is whole units, or all where a unit is longer.
std::size_t whole_units(std::size_t bytes, std::size_t unit) {
  return unit <= bytes ? bytes - bytes % unit : bytes;
}

}  // namespace

bool Outlet::advance(Outgoing& message) {
  if (message.may_lend && message.bytes >= lends_from_) return lend(message);
  while (message.passed_on < message.bytes) {
    if (!writer_.has_room(memory_)) return false;
    const std::uint32_t slot = writer_.slot();
    const char* const from = message.from + message.passed_on;
    const std::size_t left = message.bytes - message.passed_on;
    std::size_t piece = left;
    if (left <= ChannelMemory::short_bytes) {
      std::memcpy(memory_.short_piece(slot), from, left);
    } else {
      piece = std::min(left, whole_units(memory_.cell_bytes(), message.unit));
      std::memcpy(memory_.cell(slot), from, piece);
    }
    message.passed_on += piece;
    writer_.pass_on(memory_, static_cast<std::uint32_t>(piece));
  }
  return true;
}

bool Outlet::lend(Outgoing& message) {
  if (!message.lent) {
    if (!writer_.has_room(memory_)) return false;
    const Loan loan{reinterpret_cast<std::uintptr_t>(message.from), message.bytes};
    std::memcpy(memory_.short_piece(writer_.slot()), &loan, sizeof loan);
    message.lent = true;
    writer_.pass_on(memory_, is_lent);
  }
  if (!writer_.is_taken(memory_, writer_.passed())) return false;
  if (memory_.refused().load(std::memory_order_relaxed) != PieceRing::label(writer_.passed(), is_lent)) {
    message.passed_on = message.bytes;
    return true;
  }
  message.may_lend = false;
  message.passed_on = memory_.refused_from().load(std::memory_order_relaxed);
  return advance(message);
}

int Inlet::advance(Incoming& message, bool& done) {
  for (done = false; message.taken < message.bytes;) {
    std::uint32_t what = 0;
    if (!reader_.has_piece(memory_, what)) return MPI_SUCCESS;
    if (what == is_lent) {
      if (const int error = borrow(message); error != MPI_SUCCESS) return error;
      if (message.taken < message.bytes && !message.refused) return MPI_SUCCESS;
      continue;
    }
    const std::size_t piece = what;
    if (piece > message.bytes - message.taken) return MPI_ERR_TRUNCATE;
    if (message.behind && message.behind->passed_on < message.taken + piece) return MPI_SUCCESS;
    const std::uint32_t slot = reader_.slot();
    const char* const from =
        piece <= ChannelMemory::short_bytes ? memory_.short_piece(slot) : memory_.cell(slot);
    if (const int error = take_in(from, piece, message); error != MPI_SUCCESS) return error;
    reader_.give_back(memory_);
  }
  done = true;
  return MPI_SUCCESS;
}

int Inlet::take_in(const char* piece, std::size_t bytes, Incoming& message) const {
  const Sink& sink = message.sink;
  char* const into = sink.into + message.taken;
  message.taken += bytes;
  if (sink.op == MPI_OP_NULL) {
    std::memcpy(into, piece, bytes);
    return MPI_SUCCESS;
  }
  return PMPI_Reduce_local(piece, into, static_cast<int>(bytes / sink.element), sink.type, sink.op);
}

// Reads a message where it is.
int Inlet::borrow(Incoming& message) {
  Loan loan;
  std::memcpy(&loan, memory_.short_piece(reader_.slot()), sizeof loan);
  if (loan.bytes != message.bytes) return MPI_ERR_TRUNCATE;
  const bool combines = message.sink.op != MPI_OP_NULL;
  while (message.taken < message.bytes) {
    std::size_t now = message.bytes - message.taken;
    if (message.behind) now = std::min(now, message.behind->passed_on - message.taken);
    if (combines) now = whole_units(std::min(now, borrowed_at_a_time), message.sink.element);
    if (now == 0) return MPI_SUCCESS;
    char* const into = (combines ? message.sink.room : message.sink.into) + message.taken;
    if (!read_memory_of(peer_, loan.address + message.taken, now, into)) {
      memory_.refused_from().store(message.taken, std::memory_order_relaxed);
      memory_.refused().store(PieceRing::label(reader_.next(), is_lent), std::memory_order_relaxed);
      message.refused = true;
      break;
    }
    if (!combines)
      message.taken += now;
    else if (const int error = take_in(into, now, message); error != MPI_SUCCESS)
      return error;
  }
  reader_.give_back(memory_);
  return MPI_SUCCESS;
}

}  // namespace tutti::runtime
