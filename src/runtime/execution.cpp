#include "runtime/execution.hpp"

#include <cstring>

namespace tutti::runtime {

void Execution::start(const Program& program, const Operands& operands, MPI_Comm comm) {
  program_ = &program;
  operands_ = operands;
  comm_ = comm;
  under_way_ = 0;
  if (requests_.size() < program.max_messages()) requests_.resize(program.max_messages(), MPI_REQUEST_NULL);
  if (program.in_step()) {
    wave_ = 0;
    issued_ = false;
    return;
  }
  waiting_for_ = program.waiting_for();
  owner_.resize(program.max_messages());
  finished_.resize(program.max_messages());
  ready_.clear();
  ready_.reserve(waiting_for_.size());
  for (auto index = static_cast<std::uint32_t>(waiting_for_.size()); index-- > 0;)
    if (waiting_for_[index] == 0) ready_.push_back(index);
}

int Execution::wait() {
  bool done = false;
  return advance(Patience::unlimited, done);
}

int Execution::test(bool& done) { return advance(Patience::none, done); }

int Execution::advance(Patience patience, bool& done) {
  return program_->in_step() ? advance_in_step(patience, done) : advance_freely(patience, done);
}

int Execution::advance_in_step(Patience patience, bool& done) {
  const auto& ends = program_->wave_ends();
  for (done = false; wave_ < ends.size(); ++wave_, issued_ = false) {
    if (!issued_) {
      under_way_ = 0;
      for (std::uint32_t index = wave_ == 0 ? 0 : ends[wave_ - 1]; index < ends[wave_]; ++index)
        if (const int error = issue(index); error != MPI_SUCCESS) return error;
      issued_ = true;
    }
    if (under_way_ == 0) continue;
    if (patience == Patience::unlimited) {
      if (const int error = PMPI_Waitall(under_way_, requests_.data(), MPI_STATUSES_IGNORE); error != MPI_SUCCESS)
        return error;
    } else {
      int all = 0;
      if (const int error = PMPI_Testall(under_way_, requests_.data(), &all, MPI_STATUSES_IGNORE); error != MPI_SUCCESS)
        return error;
      if (!all) return MPI_SUCCESS;
    }
  }
  done = true;
  return MPI_SUCCESS;
}

int Execution::advance_freely(Patience patience, bool& done) {
  done = false;
  while (true) {
    while (!ready_.empty()) {
      const std::uint32_t index = ready_.back();
      ready_.pop_back();
      const int before = under_way_;
      if (const int error = issue(index); error != MPI_SUCCESS) return error;
      if (under_way_ > before)
        owner_[static_cast<std::size_t>(before)] = index;
      else
        complete(index);
    }
    if (under_way_ == 0) break;
    int count = 0;
    const int error = patience == Patience::unlimited
                          ? PMPI_Waitsome(under_way_, requests_.data(), &count, finished_.data(), MPI_STATUSES_IGNORE)
                          : PMPI_Testsome(under_way_, requests_.data(), &count, finished_.data(), MPI_STATUSES_IGNORE);
    if (error != MPI_SUCCESS) return error;
    if (count == 0) return MPI_SUCCESS;
    for (int i = 0; i < count; ++i) complete(owner_[static_cast<std::size_t>(finished_[static_cast<std::size_t>(i)])]);
    // Close the gaps that completed requests left.
    int kept = 0;
    for (int i = 0; i < under_way_; ++i) {
      if (requests_[static_cast<std::size_t>(i)] == MPI_REQUEST_NULL) continue;
      requests_[static_cast<std::size_t>(kept)] = requests_[static_cast<std::size_t>(i)];
      owner_[static_cast<std::size_t>(kept)] = owner_[static_cast<std::size_t>(i)];
      ++kept;
    }
    under_way_ = kept;
  }
  done = true;
  return MPI_SUCCESS;
}

// Starts a message, or does local work at once.
int Execution::issue(std::uint32_t index) {
  const Instruction& i = program_->instructions()[index];
  switch (i.kind) {
    case OperationKind::recv:
      return PMPI_Irecv(at(i.into_buffer, i.into), i.count, i.type, i.peer, i.tag, comm_,
                        &requests_[static_cast<std::size_t>(under_way_++)]);
    case OperationKind::send:
      return PMPI_Isend(at(i.into_buffer, i.into), i.count, i.type, i.peer, i.tag, comm_,
                        &requests_[static_cast<std::size_t>(under_way_++)]);
    case OperationKind::reduce:
      return reduce(i);
    case OperationKind::copy:
      return copy(i);
    case OperationKind::native:
      return native_phase(i);
  }
  return MPI_ERR_INTERN;
}

int Execution::complete(std::uint32_t index) {
  for (const std::uint32_t next : program_->successors()[index])
    if (--waiting_for_[next] == 0) ready_.push_back(next);
  return MPI_SUCCESS;
}

// MPI_Reduce_local computes inout = in ∘ inout: `from` first. The other order is the same if the operation commutes;
// if not, the result appears in `from` and is copied.
int Execution::reduce(const Instruction& i) {
  char* into = at(i.into_buffer, i.into);
  char* from = at(i.from_buffer, i.from);
  if (i.order == OperandOrder::from_first || operands_.commutative)
    return PMPI_Reduce_local(from, into, i.count, operands_.type, operands_.op);
  if (const int error = PMPI_Reduce_local(into, from, i.count, operands_.type, operands_.op); error != MPI_SUCCESS)
    return error;
  return copy(i);
}

int Execution::copy(const Instruction& i) {
  char* into = at(i.into_buffer, i.into);
  const char* from = at(i.from_buffer, i.from);
  if (into == from) return MPI_SUCCESS;  // in place
  if (program_->contiguous()) {
    std::memcpy(into, from, i.bytes);
    return MPI_SUCCESS;
  }
  // Elements with gaps: the gaps are the caller's and stay untouched. No schedule sends to its own rank, so that no
  // message of one can be mistaken for this.
  int self = 0;
  PMPI_Comm_rank(comm_, &self);
  return PMPI_Sendrecv(from, i.count, i.type, self, 0, into, i.count, i.type, self, 0, comm_, MPI_STATUS_IGNORE);
}

int Execution::native_phase(const Instruction& i) {
  const BoundPhase& phase = program_->phases()[static_cast<std::size_t>(i.peer)];
  char* into = at(i.into_buffer, i.into);
  char* from = at(i.from_buffer, i.from);
  const bool in_place = from >= into && from < into + i.bytes;
  const void* given = in_place ? MPI_IN_PLACE : from;
  switch (phase.collective) {
    case Collective::bcast:
      return native().bcast(i.bytes > 0 ? into : from, i.count, i.type, phase.root, phase.comm);
    case Collective::allgather:
      return native().allgather(given, i.count, i.type, into, i.count, i.type, phase.comm);
    case Collective::allreduce:
      return native().allreduce(given, into, i.count, operands_.type, operands_.op, phase.comm);
  }
  return MPI_ERR_INTERN;
}

}  // namespace tutti::runtime
