#include "run/transport/channel.hpp"

#include <bit>
#include <cstring>

#include "run/transport/constants.hpp"
#include "run/transport/process_memory.hpp"

namespace tutti::run {
namespace {

// Flags in a label: instead of the bytes of a piece, or beside them.
constexpr std::uint32_t is_lent = std::uint32_t{1} << 31, is_posted = std::uint32_t{1} << 30,
                        is_last = std::uint32_t{1} << 29;

// What a slot says of a message that is lent.
struct LoanText {
  std::uintptr_t address;
  Chunks chunks;
};

// The most of `bytes` bytes that is whole units, or all where a unit is longer.
std::size_t whole_units(std::size_t bytes, std::size_t unit) {
  return unit <= bytes ? bytes - bytes % unit : bytes;
}

// Chunks of a message; a single one where nobody helps, for each costs a system call.
Chunks chunks_of(const Outgoing& message) {
  const std::size_t bytes = message.bytes, unit = message.unit;
  if (!message.has_time) return {bytes, bytes};
  const std::size_t least =
      std::max(transport::shortest_chunk, (bytes + Loan::most_chunks - 1) / Loan::most_chunks);
  return {bytes, (least + unit - 1) / unit * unit};
}

int take_in(const char* piece, std::size_t bytes, const Sink& sink, std::size_t at) {
  if (sink.op != MPI_OP_NULL)
    return PMPI_Reduce_local(piece, sink.into + at, static_cast<int>(bytes / sink.element), sink.type,
                             sink.op);
  std::memcpy(sink.into + at, piece, bytes);
  return MPI_SUCCESS;
}

std::uint32_t first_of(std::uint64_t chunks) {
  return static_cast<std::uint32_t>(std::countr_zero(chunks));
}

}  // namespace

bool Outlet::advance(Outgoing& message) {
  if (message.posted) return tell(message);
  return message.may_lend && message.bytes >= lends_from_ ? lend(message) : pass_on(message, message.bytes);
}

// Passes a message on in pieces.
bool Outlet::pass_on(Outgoing& message, std::size_t end) {
  while (message.passed_on < end) {
    if (!writer_.has_room(memory_)) return false;
    const std::uint32_t slot = writer_.slot();
    const char* const from = message.from + message.passed_on;
    const std::size_t left = end - message.passed_on;
    std::size_t piece = left;
    if (left <= ChannelMemory::short_bytes) {
      std::memcpy(memory_.short_piece(slot), from, left);
    } else {
      piece = std::min(left, whole_units(memory_.cell_bytes(), message.unit));
      std::memcpy(memory_.cell(slot), from, piece);
    }
    message.passed_on += piece;
    const std::uint32_t last = message.passed_on == message.bytes ? is_last : 0;
    writer_.pass_on(memory_, last | static_cast<std::uint32_t>(piece));
  }
  return true;
}

// Passes on a message of one piece, which lies where all its readers find it.
bool Outlet::tell(Outgoing& message) {
  if (message.passed_on == message.bytes) return true;
  if (!writer_.has_room(memory_)) return false;
  const std::ptrdiff_t place = message.posted - memory_.segment();
  std::memcpy(memory_.short_piece(writer_.slot()), &place, sizeof place);
  message.passed_on = message.bytes;
  writer_.pass_on(memory_, is_posted | is_last | static_cast<std::uint32_t>(message.bytes));
  return true;
}

bool Outlet::lend(Outgoing& message) {
  if (message.lent == Outgoing::Lent::no) {
    if (!writer_.has_room(memory_)) return false;
    message.chunks = chunks_of(message);
    const LoanText text{reinterpret_cast<std::uintptr_t>(message.from), message.chunks};
    std::memcpy(memory_.short_piece(writer_.slot()), &text, sizeof text);
    for (auto* number : {&memory_.wanted_at(), &memory_.claimed(), &memory_.written(), &memory_.unwritten()})
      number->store(0, std::memory_order_relaxed);
    writer_.pass_on(memory_, is_lent);
    message.lent = Outgoing::Lent::yes;
  }
  if (message.lent == Outgoing::Lent::yes) {
    if (!writer_.is_taken(memory_, writer_.passed())) {
      help(message);
      return false;
    }
    message.refused = memory_.refused().load(std::memory_order_relaxed);
    message.lent = Outgoing::Lent::returned;
  }
  for (; message.refused != 0; message.refused &= message.refused - 1) {
    const std::uint32_t chunk = first_of(message.refused);
    message.passed_on = std::max(message.passed_on, message.chunks.begin(chunk));
    if (!pass_on(message, message.chunks.end(chunk))) return false;
  }
  message.passed_on = message.bytes;
  return true;
}

// Writes a chunk that the borrower has not come to yet.
void Outlet::help(const Outgoing& message) {
  const std::uintptr_t into = memory_.wanted_at().load(std::memory_order_acquire);
  if (into == 0 || memory_.claimed().load(std::memory_order_relaxed) >= message.chunks.count()) return;
  const std::uint32_t chunk = Loan::claim(memory_, message.chunks.count());
  if (chunk == Loan::none) return;
  const std::size_t begin = message.chunks.begin(chunk), bytes = message.chunks.end(chunk) - begin;
  if (!write_memory_of(peer_, into + begin, bytes, message.from + begin))
    Loan::Lender::cannot_write(memory_, chunk);
  Loan::Lender::is_done_with_one(memory_);
}

int Inlet::advance(Incoming& message, bool& done) {
  done = false;
  if (message.loan)
    if (const int error = borrow(message); error != MPI_SUCCESS || message.loan) return error;
  while (message.taken < message.bytes) {
    std::uint32_t what = 0;
    if (!reader_.has_piece(memory_, what)) return MPI_SUCCESS;
    if (what == is_lent) {
      if (message.behind && message.behind->passed_on < message.behind->bytes) return MPI_SUCCESS;
      if (const int error = begin_loan(message); error != MPI_SUCCESS || message.loan) return error;
      continue;
    }
    const std::size_t end =
        message.refused != 0 ? message.chunks.end(first_of(message.refused)) : message.bytes;
    const std::size_t piece = what & ~(is_posted | is_last);
    const std::size_t left = end - message.taken;
    message.is_too_long |= piece > left || (message.refused == 0 && piece == left && (what & is_last) == 0);
    if (message.is_too_long) {  // the rest is let go by, so that its sender ends
      reader_.give_back(memory_);
      if ((what & is_last) != 0) return MPI_ERR_TRUNCATE;
      continue;
    }
    if (message.refused == 0 && (what & is_last) != 0) message.bytes = message.taken + piece;
    if (message.behind && message.behind->passed_on < message.taken + piece) return MPI_SUCCESS;
    const char* const from = found(what, piece);
    if (const int error = take_in(from, piece, message.sink, message.taken); error != MPI_SUCCESS)
      return error;
    reader_.give_back(memory_);
    message.taken += piece;
    if (message.refused == 0 || message.taken < end) continue;
    message.refused &= message.refused - 1;
    message.taken = message.refused != 0 ? message.chunks.begin(first_of(message.refused)) : message.bytes;
  }
  done = true;
  return MPI_SUCCESS;
}

// Where a piece is.
const char* Inlet::found(std::uint32_t what, std::size_t bytes) const {
  const std::uint32_t slot = reader_.slot();
  if ((what & is_posted) == 0)
    return bytes <= ChannelMemory::short_bytes ? memory_.short_piece(slot) : memory_.cell(slot);
  std::ptrdiff_t place = 0;
  std::memcpy(&place, memory_.short_piece(slot), sizeof place);
  return memory_.segment() + place;
}

int Inlet::begin_loan(Incoming& message) {
  LoanText text;
  std::memcpy(&text, memory_.short_piece(reader_.slot()), sizeof text);
  if (text.chunks.bytes > message.bytes) {
    memory_.refused().store(0, std::memory_order_relaxed);
    reader_.give_back(memory_);
    return MPI_ERR_TRUNCATE;
  }
  message.bytes = text.chunks.bytes;
  message.address = text.address;
  message.chunks = text.chunks;
  message.loan.emplace(text.chunks.count());
  const char* const wanted = message.sink.op == MPI_OP_NULL ? message.sink.into : message.sink.room;
  memory_.wanted_at().store(reinterpret_cast<std::uintptr_t>(wanted), std::memory_order_release);
  return borrow(message);
}

// Reads what is left to it; then takes in what the lender has written.
int Inlet::borrow(Incoming& message) {
  Loan::Borrower& loan = *message.loan;
  for (std::uint32_t chunk; (chunk = loan.claim(memory_)) != Loan::none;)
    if (const int error = borrow(message, chunk, false); error != MPI_SUCCESS) return error;
  for (std::uint64_t written = loan.written_by_lender(memory_); written != 0; written &= written - 1) {
    const std::uint32_t chunk = first_of(written);
    const bool is_there = (memory_.unwritten().load(std::memory_order_relaxed) >> chunk & 1) == 0;
    if (const int error = borrow(message, chunk, is_there); error != MPI_SUCCESS) return error;
  }
  if (!loan.is_over()) return MPI_SUCCESS;
  memory_.refused().store(message.refused, std::memory_order_relaxed);
  reader_.give_back(memory_);
  message.loan.reset();
  message.taken = message.refused != 0 ? message.chunks.begin(first_of(message.refused)) : message.bytes;
  return MPI_SUCCESS;
}

int Inlet::borrow(Incoming& message, std::uint32_t chunk, bool is_there) {
  const bool combines = message.sink.op != MPI_OP_NULL;
  const std::size_t begin = message.chunks.begin(chunk), bytes = message.chunks.end(chunk) - begin;
  char* const into = (combines ? message.sink.room : message.sink.into) + begin;
  if (!is_there && !read_memory_of(peer_, message.address + begin, bytes, into)) {
    message.refused |= std::uint64_t{1} << chunk;
    return MPI_SUCCESS;
  }
  return combines ? take_in(into, bytes, message.sink, begin) : MPI_SUCCESS;
}

}  // namespace tutti::run
