#include "run/execution/execution.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "run/execution/device_staging.hpp"
#include "run/execution/in_memory.hpp"
#include "run/execution/staging.hpp"

namespace tutti::run {
namespace {

#ifdef TUTTI_SIMULATED
// SimGrid carries all messages that a rank has handed over side by side, even those of later waves
// and to one peer, where a port sends one after the other. A rank keeps its waves apart by waiting
// until its messages have arrived.
constexpr bool all_sends_wait = true;
// SimGrid's MPI_Waitsome polls, and its polls cost simulated time.
int wait_for_some(int requests, MPI_Request* list, int* count, int* finished) {
  *count = 1;
  return PMPI_Waitany(requests, list, finished, MPI_STATUS_IGNORE);
}
// Its MPI_Waitall looks at all requests whenever one has completed.
int wait_for_all(int requests, MPI_Request* list) {
  for (int i = 0; i < requests; ++i)
    if (const int error = PMPI_Wait(&list[i], MPI_STATUS_IGNORE); error != MPI_SUCCESS) return error;
  return MPI_SUCCESS;
}
#else
constexpr bool all_sends_wait = false;
int wait_for_some(int requests, MPI_Request* list, int* count, int* finished) {
  return PMPI_Waitsome(requests, list, count, finished, MPI_STATUSES_IGNORE);
}
int wait_for_all(int requests, MPI_Request* list) {
  return PMPI_Waitall(requests, list, MPI_STATUSES_IGNORE);
}
#endif

}  // namespace

void Execution::make_room() {
  const std::size_t messages = program_->max_messages();
  if (requests_.size() < messages) requests_.resize(messages, MPI_REQUEST_NULL);
  if (program_->in_step()) return;
  waiting_for_ = program_->waiting_for();
  owner_.resize(messages);
  finished_.resize(messages);
  ready_.clear();
  ready_.reserve(waiting_for_.size());
  for (auto index = static_cast<std::uint32_t>(waiting_for_.size()); index-- > 0;)
    if (waiting_for_[index] == 0) ready_.push_back(index);
}

int Execution::wait(bool& done) {
  return advance(Patience::unlimited, done);
}

int Execution::post(bool& done) {
  return advance(Patience::not_asking, done);
}

int Execution::test(bool& done) {
  return advance(Patience::none, done);
}

[[gnu::always_inline]] inline int Execution::copy(const Instruction& i) {
  char* into = at(i.into_buffer, i.into);
  const char* from = at(i.from_buffer, i.from);
  if (into == from) return MPI_SUCCESS;  // in place
  if (operands_.device) [[unlikely]]
    return copy_on_device(into, from, i.bytes);
  if (program_->contiguous()) {
    if (i.bytes == sizeof(std::uint64_t))
      std::memcpy(into, from, sizeof(std::uint64_t));  // no call
    else
      std::memcpy(into, from, i.bytes);
    return MPI_SUCCESS;
  }
  return copy_elements(from, into, static_cast<std::size_t>(i.count), i.type, false, 0);
}

// Copies between any two of the host's memory and devices'. The program's data are moved as bytes.
// From one device to another a copy goes in the order of the first, and what has begun on the other
// is waited for.
int Execution::copy_on_device(void* into, const void* from, std::size_t bytes) const {
  if (bytes == 0) return MPI_SUCCESS;
  const DeviceLibrary& library = *operands_.device;
  const OnDevice to(library, into), of(library, from);
  if (of.has_entered() && library.holds(into)) {
    const OnDevice other(library, into);
    if (!library.complete()) return MPI_ERR_BUFFER;
  }
  return library.copy(into, from, bytes) ? MPI_SUCCESS : MPI_ERR_BUFFER;
}

// MPI_Reduce_local computes inout = in ∘ inout: `from` first. The other order is the same if the
// operation commutes; if not, the result appears in `from` and is copied.
[[gnu::always_inline]] inline int Execution::reduce(const Instruction& i) {
  char* into = at(i.into_buffer, i.into);
  char* from = at(i.from_buffer, i.from);
  if (i.order == OperandOrder::from_first || operands_.commutative)
    return PMPI_Reduce_local(from, into, i.count, operands_.type, operands_.op);
  if (const int error = PMPI_Reduce_local(into, from, i.count, operands_.type, operands_.op);
      error != MPI_SUCCESS)
    return error;
  return copy(i);
}

[[gnu::always_inline]] inline int Execution::send(const Instruction& s) {
  return (waits_for_receive(s) ? PMPI_Ssend : PMPI_Send)(at(s.into_buffer, s.into), s.count, s.type, s.peer,
                                                         first_tag_ + s.tag, comm_);
}

[[gnu::always_inline]] inline int Execution::receive(const Instruction& r) {
  return PMPI_Recv(at(r.into_buffer, r.into), r.count, r.type, r.peer, first_tag_ + r.tag, comm_,
                   MPI_STATUS_IGNORE);
}

[[gnu::always_inline]] inline int Execution::exchange(const Instruction& r, const Instruction& s) {
  void* into = at(r.into_buffer, r.into);
  const void* from = at(s.into_buffer, s.into);
  // Types that hold places of their own may begin at one address, which SimGrid 4 takes for an
  // overlap.
  if (into == from) return exchange_by_requests(r, s);
  return PMPI_Sendrecv(from, s.count, s.type, s.peer, first_tag_ + s.tag, into, r.count, r.type, r.peer,
                       first_tag_ + r.tag, comm_, MPI_STATUS_IGNORE);
}

int Execution::exchange_by_requests(const Instruction& r, const Instruction& s) {
  MPI_Request requests[2];
  if (const int error =
          PMPI_Irecv(at(r.into_buffer, r.into), r.count, r.type, r.peer, first_tag_ + r.tag, comm_, requests);
      error != MPI_SUCCESS)
    return error;
  const int error =
      PMPI_Isend(at(s.into_buffer, s.into), s.count, s.type, s.peer, first_tag_ + s.tag, comm_, requests + 1);
  return error == MPI_SUCCESS ? PMPI_Waitall(2, requests, MPI_STATUSES_IGNORE) : error;
}

// Runs a straight program, instruction by instruction.
int Execution::run_straight() {
  int error = MPI_SUCCESS;
  const auto& instructions = program_->instructions();
  for (auto i = instructions.begin(); i != instructions.end() && error == MPI_SUCCESS; ++i) {
    switch (i->kind) {
      case OperationKind::recv:
        if (!i->paired) {
          error = receive(*i);
          break;
        }
        error = exchange(*i, *(i + 1));
        ++i;
        break;
      case OperationKind::send:
        error = send(*i);
        break;
      case OperationKind::reduce:
        error = reduce(*i);
        break;
      case OperationKind::copy:
        error = copy(*i);
        break;
      default:
        error = work(*i);
    }
  }
  return error;
}

int Execution::advance(Patience patience, bool& done) {
  return program_->in_step() ? advance_in_step(patience, done) : advance_freely(patience, done);
}

int Execution::advance_in_step(Patience patience, bool& done) {
  const auto& waves = program_->waves();
  for (done = false; wave_ < waves.size(); ++wave_, issued_ = false) {
    const std::uint32_t begin = wave_ == 0 ? 0 : waves[wave_ - 1].end;
    const Wave& wave = waves[wave_];
    if (!issued_) before(begin, wave.end);
    if (patience == Patience::unlimited && wave.simple && !issued_) {
      const int error = wave.through_memory ? exchange_through_memory(begin, wave) : exchange(begin, wave);
      if (error != MPI_SUCCESS) return error;
      after(begin, wave.end);
      continue;
    }
    if (!issued_) {
      under_way_ = 0;
      through_memory_.clear();
      for (std::uint32_t index = begin; index < wave.end; ++index)
        if (const int error = issue(index); error != MPI_SUCCESS) return error;
      hold_back();
      issued_ = true;
    }
    bool finished = false;
    if (const int error = finish_wave(patience, finished); error != MPI_SUCCESS) return error;
    if (!finished) return MPI_SUCCESS;
    after(begin, wave.end);
  }
  done = true;
  return MPI_SUCCESS;
}

// Finishes a wave's messages, those through memory and others side by side.
int Execution::finish_wave(Patience patience, bool& finished) {
  finished = under_way_ == 0 && through_memory_.empty();
  if (patience == Patience::not_asking) return MPI_SUCCESS;
  for (Waiting waiting = this->waiting();;) {
    std::size_t left = 0;
    if (const int error = advance_through_memory(left); error != MPI_SUCCESS) return error;
    if (under_way_ > 0) {
      int all = 1;
      const int error = patience == Patience::unlimited && left == 0
                            ? wait_for_all(under_way_, requests_.data())
                            : PMPI_Testall(under_way_, requests_.data(), &all, MPI_STATUSES_IGNORE);
      if (error != MPI_SUCCESS) return error;
      if (all) under_way_ = 0;
    }
    finished = left == 0 && under_way_ == 0;
    if (finished || patience == Patience::none) return MPI_SUCCESS;
    if (const int error = waiting.pause(); error != MPI_SUCCESS) return error;
  }
}

// Every send of a proven schedule may wait for its receive.
bool Execution::waits_for_receive(const Instruction& send) {
  if (all_sends_wait) return true;
  unasked_.bytes += send.bytes;
  if (++unasked_.messages < unasked.messages && unasked_.bytes < unasked.bytes) return false;
  unasked_ = {0, 0};
  return true;
}

// Exchanges a wave's messages, at most one each way, by one blocking call. Local work of the wave
// waits for none of its messages and comes first.
int Execution::exchange(std::uint32_t begin, const Wave& wave) {
  const Instruction* instructions = program_->instructions().data();
  for (std::uint32_t index = begin; index < wave.end; ++index)
    if (index != wave.receive && index != wave.send)
      if (const int error = work(instructions[index]); error != MPI_SUCCESS) return error;
  const bool sends = wave.send != Wave::none;
  if (wave.receive == Wave::none) return sends ? send(instructions[wave.send]) : MPI_SUCCESS;
  return sends ? exchange(instructions[wave.receive], instructions[wave.send])
               : receive(instructions[wave.receive]);
}

// Exchanges a wave's messages, at most one each way, through shared memory.
int Execution::exchange_through_memory(std::uint32_t begin, const Wave& wave) {
  const Instruction* instructions = program_->instructions().data();
  Outgoing out;
  Incoming in;
  bool left = true, arrived = true;
  for (std::uint32_t index = begin; index < wave.end; ++index) {
    const Instruction& i = instructions[index];
    if (index == wave.send) {
      out = outgoing(i, at(i.into_buffer, i.into));
      left = memory_->outlet(i.channel).advance(out);
    } else if (index == wave.receive) {
      in = incoming(i, at(i.into_buffer, i.into));
      if (i.combines && i.behind != Instruction::none) in.behind = &out;
      arrived = false;
    } else if (const int error = work(i); error != MPI_SUCCESS) {
      return error;
    }
  }
  int error = MPI_SUCCESS;
  for (Waiting waiting = memory_->waiting(comm_);;) {
    if (!arrived) {
      error = memory_->inlet(instructions[wave.receive].channel).advance(in, arrived);
      arrived |= error != MPI_SUCCESS;  // nothing more comes of it, and what is sent still goes
    }
    if (!left) left = memory_->outlet(instructions[wave.send].channel).advance(out);
    if (left && arrived) return error;
    if (const int paused = waiting.pause(); paused != MPI_SUCCESS) return paused;
  }
}

// A message that is too long is let go by to its end, and all ranks find together that they give
// stages other lengths. So nothing is left where what has failed by that, all of a straight program
// or a wave, was the last in memory. A phase comes before what else is in its wave: it has to be
// alone there, for what comes behind it was not begun.
bool Execution::leaves_messages(int error) const {
  const auto is_phase = [](const Instruction& i) { return i.kind == OperationKind::native; };
  const auto reaches_others = [&](const Instruction& i) { return is_message(i.kind) || is_phase(i); };
  const auto is_in_memory = [&](const Instruction& i) {
    if (is_message(i.kind)) return i.channel != HostMemory::none;
    return is_phase(i) && program_->phases()[static_cast<std::size_t>(i.peer)].in_memory;
  };
  int what = MPI_SUCCESS;
  PMPI_Error_class(error, &what);
  if (what != MPI_ERR_TRUNCATE || !program_->in_step()) return true;
  const auto& waves = program_->waves();
  const auto all = program_->instructions().begin(), over = program_->instructions().end();
  if (program_->is_straight() && !operands_.staging) return std::count_if(all, over, reaches_others) > 1;
  if (issued_ || wave_ >= waves.size() || !waves[wave_].simple) return true;
  const auto begin = all + static_cast<std::ptrdiff_t>(wave_ == 0 ? 0 : waves[wave_ - 1].end),
             end = all + static_cast<std::ptrdiff_t>(waves[wave_].end);
  return (std::any_of(begin, end, is_phase) && std::count_if(begin, end, reaches_others) > 1) ||
         std::any_of(end, over, is_in_memory);
}

int Execution::advance_freely(Patience patience, bool& done) {
  done = false;
  for (Waiting waiting = this->waiting();;) {
    while (!ready_.empty()) {
      const std::uint32_t index = ready_.back();
      ready_.pop_back();
      const int already_under_way = under_way_;
      const std::size_t already_in_memory = through_memory_.size();
      before(index, index + 1);
      if (const int error = issue(index); error != MPI_SUCCESS) return error;
      if (under_way_ > already_under_way)
        owner_[static_cast<std::size_t>(already_under_way)] = index;
      else if (through_memory_.size() == already_in_memory)
        complete(index);
    }
    if (under_way_ == 0 && through_memory_.empty()) break;
    if (patience == Patience::not_asking) return MPI_SUCCESS;
    std::size_t left = 0;
    if (const int error = advance_through_memory(left); error != MPI_SUCCESS) return error;
    std::erase_if(through_memory_, [this](const ThroughMemory& message) {
      if (message.done) complete(message.index);
      return message.done;
    });
    if (under_way_ > 0) {
      const bool wait = patience == Patience::unlimited && ready_.empty() && left == 0;
      if (const int error = finish_some(wait); error != MPI_SUCCESS) return error;
    }
    if (!ready_.empty() || (under_way_ == 0 && left == 0)) continue;
    if (patience == Patience::none) return MPI_SUCCESS;
    if (left == 0) continue;
    if (const int error = waiting.pause(); error != MPI_SUCCESS) return error;
  }
  done = true;
  return MPI_SUCCESS;
}

// Completes requests that have, or waits for one.
int Execution::finish_some(bool wait) {
  int count = 0;
  const int error =
      wait ? wait_for_some(under_way_, requests_.data(), &count, finished_.data())
           : PMPI_Testsome(under_way_, requests_.data(), &count, finished_.data(), MPI_STATUSES_IGNORE);
  if (error != MPI_SUCCESS) return error;
  for (int i = 0; i < count; ++i)
    complete(owner_[static_cast<std::size_t>(finished_[static_cast<std::size_t>(i)])]);
  // Close the gaps that completed requests left.
  int kept = 0;
  for (int i = 0; count > 0 && i < under_way_; ++i) {
    if (requests_[static_cast<std::size_t>(i)] == MPI_REQUEST_NULL) continue;
    requests_[static_cast<std::size_t>(kept)] = requests_[static_cast<std::size_t>(i)];
    owner_[static_cast<std::size_t>(kept)] = owner_[static_cast<std::size_t>(i)];
    ++kept;
  }
  if (count > 0) under_way_ = kept;
  return MPI_SUCCESS;
}

// Starts a message, or does local work at once.
int Execution::issue(std::uint32_t index) {
  const Instruction& i = program_->instructions()[index];
  if (i.kind != OperationKind::recv && i.kind != OperationKind::send) return work(i);
  if (i.channel != HostMemory::none) return begin_through_memory(index);
  MPI_Request* const request = &requests_[static_cast<std::size_t>(under_way_++)];
  if (i.kind == OperationKind::recv)
    return PMPI_Irecv(at(i.into_buffer, i.into), i.count, i.type, i.peer, first_tag_ + i.tag, comm_, request);
  return (waits_for_receive(i) ? PMPI_Issend : PMPI_Isend)(at(i.into_buffer, i.into), i.count, i.type, i.peer,
                                                           first_tag_ + i.tag, comm_, request);
}

Outgoing Execution::outgoing(const Instruction& i, const char* from) const {
  return {.from = from,
          .bytes = i.bytes,
          .unit = program_->unit_size(),
          .may_lend = !i.combines,
          .has_time = i.has_time};
}

Incoming Execution::incoming(const Instruction& i, char* into) const {
  if (!i.combines) return {.sink = {.into = into}, .bytes = i.bytes};
  return {.sink = {.into = into,
                   .op = operands_.op,
                   .type = operands_.type,
                   .element = program_->unit_size(),
                   .room = at(i.from_buffer, i.from)},
          .bytes = i.bytes};
}

// Elements with gaps go packed.
int Execution::begin_through_memory(std::uint32_t index) {
  const Instruction& i = program_->instructions()[index];
  ThroughMemory& message = through_memory_.emplace_back(index);
  char* place = at(i.into_buffer, i.into);
  if (!program_->contiguous()) {
    message.packed.resize(i.bytes);
    if (i.kind == OperationKind::send)
      if (const int error =
              pack(place, i.bytes / program_->unit_size(), i.type, *type_info(i.type), message.packed.data());
          error != MPI_SUCCESS)
        return error;
    place = message.packed.data();
  }
  if (i.kind == OperationKind::send) {
    message.out = outgoing(i, place);
    if (i.first != Instruction::none) message.out.posted = posted(i, index);
    message.done = pass_on(message);
  } else {
    message.in = incoming(i, place);
  }
  return MPI_SUCCESS;
}

// What goes to several ranks is put where all of them read it, by the first of its messages.
const char* Execution::posted(const Instruction& i, std::uint32_t index) {
  if (i.first == index) return memory_->post(at(i.into_buffer, i.into), i.bytes, i.alike);
  for (const ThroughMemory& other : through_memory_)
    if (other.index == i.first) return other.out.posted;
  return nullptr;
}

bool Execution::pass_on(ThroughMemory& message) {
  const int channel = program_->instructions()[message.index].channel;
  if (!memory_->outlet(channel).advance(message.out)) return false;
  if (message.out.posted) memory_->told(message.out.posted, channel);
  return true;
}

// What is combined with what is sent stays behind it.
void Execution::hold_back() {
  for (ThroughMemory& message : through_memory_) {
    const Instruction& i = program_->instructions()[message.index];
    if (i.kind != OperationKind::recv || i.behind == Instruction::none || !i.combines) continue;
    for (const ThroughMemory& send : through_memory_)
      if (send.index == i.behind) message.in.behind = &send.out;
  }
}

// Advances what is under way, as far as it goes; `left` messages are not done.
int Execution::advance_through_memory(std::size_t& left) {
  left = 0;
  for (ThroughMemory& message : through_memory_) {
    if (message.done) continue;
    if (const int error = advance_through_memory(message); error != MPI_SUCCESS) return error;
    left += !message.done;
  }
  return MPI_SUCCESS;
}

int Execution::advance_through_memory(ThroughMemory& message) {
  const Instruction& i = program_->instructions()[message.index];
  if (i.kind == OperationKind::send) {
    message.done = pass_on(message);
    return MPI_SUCCESS;
  }
  if (const int error = memory_->inlet(i.channel).advance(message.in, message.done);
      error != MPI_SUCCESS || !message.done || program_->contiguous())
    return error;
  return unpack(message.packed.data(), at(i.into_buffer, i.into), i.bytes / program_->unit_size(), i.type,
                *type_info(i.type));
}

int Execution::work(const Instruction& i) {
  if (i.kind == OperationKind::reduce) return reduce(i);
  if (i.kind == OperationKind::copy) return copy(i);
  if (i.kind == OperationKind::native) return native_phase(i);
  std::memset(at(i.into_buffer, i.into), 0, i.bytes);
  return MPI_SUCCESS;
}

// Where a call's data come from a device, makes sure that what instructions touch is there.
void Execution::before(std::uint32_t begin, std::uint32_t end) {
  if (!operands_.staging) [[likely]]
    return;
  for (std::uint32_t index = begin; index < end; ++index)
    operands_.staging->before(program_->instructions()[index]);
}

// Lets go to the device what no later instructions will write.
void Execution::after(std::uint32_t begin, std::uint32_t end) {
  if (!operands_.staging) [[likely]]
    return;
  for (std::uint32_t index = begin; index < end; ++index)
    operands_.staging->after(program_->instructions()[index]);
}

int Execution::complete(std::uint32_t index) {
  after(index, index + 1);
  for (const std::uint32_t next : program_->successors()[index])
    if (--waiting_for_[next] == 0) ready_.push_back(next);
  return MPI_SUCCESS;
}

// What this rank gives may already lie where the phase will put it.
int Execution::native_phase(const Instruction& i) {
  const BoundPhase& phase = program_->phases()[static_cast<std::size_t>(i.peer)];
  const PhaseBlocks &gives = phase.from, &gets = phase.into;
  static char nowhere;  // libraries refuse equal buffers even for nothing
  char* from = gives.nothing ? &nowhere : at(gives.buffer, gives.begin);
  char* into = gets.nothing ? &nowhere + 1 : at(gets.buffer, gets.begin);
  const int give = gives.count(), get = gets.count();
  // All ranks have the same operation, and elements of the same type.
  if (phase.in_memory && (operands_.predefined || phase.collective == Collective::barrier))
    return InMemory(*memory_, comm_)
        .carry_out(phase.collective, {from, gets.nothing ? nullptr : into, static_cast<std::size_t>(give),
                                      program_->unit_size(), phase.type, operands_.op});
  Call call{.sendbuf = from,
            .sendcount = give,
            .sendcounts = Numbers(gives.counts.data()),
            .senddispls = Numbers(gives.displs.data()),
            .sendtype = phase.type,
            .recvbuf = into,
            .recvcount = get,
            .recvcounts = Numbers(gets.counts.data()),
            .recvdispls = Numbers(gets.displs.data()),
            .recvtype = phase.type,
            .op = operands_.op,
            .root = phase.root};
  const bool root = phase.rank == phase.root;
  const auto own_block_of = [&](char* blocks, const PhaseBlocks& all) {
    return blocks + all.displs[static_cast<std::size_t>(phase.rank)] * phase.extent;
  };
  switch (phase.collective) {
    case Collective::bcast:
      if (root) call.recvbuf = from, call.recvcount = give;
      break;
    case Collective::reduce:
    case Collective::allreduce:
    case Collective::scan:
    case Collective::exscan:
      if (from == into && (root || phase.collective != Collective::reduce)) call.sendbuf = MPI_IN_PLACE;
      call.recvcount = give;
      break;
    case Collective::reduce_scatter:
      call.recvcounts = call.sendcounts;
      break;
    case Collective::gather:
    case Collective::gatherv:
    case Collective::allgather:
    case Collective::allgatherv: {
      const bool gets_all = root || traits(phase.collective).regular == Collective::allgather;
      if (gets_all && from == own_block_of(into, gets)) call.sendbuf = MPI_IN_PLACE;
      break;
    }
    case Collective::scatter:
    case Collective::scatterv:
      if (root && (get == 0 || into == own_block_of(from, gives))) call.recvbuf = MPI_IN_PLACE;
      if (root && phase.collective == Collective::scatter) call.recvcount = give;
      break;
    default:
      break;
  }
  const ChosenForCall chosen(phase.by, phase.setting);
  return run_natively(phase.collective, phase.comm, call);
}

}  // namespace tutti::run
