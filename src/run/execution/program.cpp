#include "run/execution/program.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "run/execution/binding.hpp"
#include "run/execution/in_flight.hpp"
#include "run/execution/through_memory.hpp"

namespace tutti::run {

/// Sorts the steps of a bound part into the waves of a program.
class Ordering {
 public:
  Ordering(Program& program, std::vector<Step> steps, const Unit& unit, const HostMemory* memory)
      : program_(program), steps_(std::move(steps)), unit_(unit), memory_(memory) {}

  void run() {
    bound_messages(OperationKind::send);
    bound_messages(OperationKind::recv);
    order_into_waves();
    if (!keeps_channels_in_order()) program_.in_step_ = false;
    if (!program_.in_step_) {
      order_channels();
      find_successors();
    } else if (memory_) {
      shorten_ways_through_memory(program_.instructions_, program_.waves_, unit_, memory_->lends_from());
    }
    program_.is_straight_ = program_.in_step_ &&
                            std::all_of(program_.waves_.begin(), program_.waves_.end(),
                                        [](const Wave& wave) { return wave.simple && !wave.through_memory; });
    if (program_.is_straight_) put_into_line();
  }

 private:
  using Index = std::size_t;

  // Cuts the messages of one direction into chunks, in their order, each half as large as what may
  // be under way: a message waits for the chunk before the last one to complete.
  void bound_messages(OperationKind direction) {
    std::vector<std::vector<Index>> chunks;
    std::size_t bytes_of_chunk = 0;
    for (Index i = 0; i < steps_.size(); ++i) {
      const Instruction& message = steps_[i].instruction;
      if (message.kind != direction) continue;
      if (chunks.empty() || chunks.back().size() >= std::max<std::size_t>(in_flight.messages / 2, 1) ||
          bytes_of_chunk + message.bytes > in_flight.bytes / 2) {
        chunks.emplace_back();
        bytes_of_chunk = 0;
      }
      chunks.back().push_back(i);
      bytes_of_chunk += message.bytes;
    }
    for (std::size_t chunk = 2; chunk < chunks.size(); ++chunk) {
      const Index gate = steps_.size();
      steps_.push_back({Instruction::nothing_to_do(), chunks[chunk - 2]});
      for (const Index message : chunks[chunk]) steps_[message].after.push_back(gate);
    }
  }

  // Receives first, then sends, then local work: what others wait for goes out before we compute.
  int priority(Index step) const {
    switch (steps_[step].instruction.kind) {
      case OperationKind::recv:
        return 0;
      case OperationKind::send:
        return 1;
      default:
        return 2;
    }
  }

  // The messages of the latest wave that a step waits for, directly or through local work.
  struct Needs {
    std::size_t wave = 0;
    std::vector<Index> messages = {};  // ascending

    void add(const Needs& more) {
      if (more.messages.empty() || more.wave < wave) return;
      if (messages.empty() || more.wave > wave) {
        *this = more;
        return;
      }
      std::vector<Index> both;
      std::set_union(messages.begin(), messages.end(), more.messages.begin(), more.messages.end(),
                     std::back_inserter(both));
      messages = std::move(both);
    }
  };

  void order_into_waves() {
    std::vector<std::vector<Index>> next(steps_.size());
    std::vector<std::size_t> missing(steps_.size());
    place_.resize(steps_.size());
    wave_of_.resize(steps_.size());
    std::vector<Needs> needs(steps_.size());
    std::set<std::pair<int, Index>> ready;
    for (Index i = 0; i < steps_.size(); ++i) {
      missing[i] = steps_[i].after.size();
      for (const Index earlier : steps_[i].after) next[earlier].push_back(i);
      if (missing[i] == 0) ready.emplace(priority(i), i);
    }
    std::vector<Index> under_way;
    std::size_t wave = 0, last_wave = 0;  // the number of this wave, the messages of the one before
    const auto needs_all_of_last_wave = [&](Index now) {
      const bool some = needs[now].wave + 1 == wave && !needs[now].messages.empty();
      return (some ? needs[now].messages.size() : 0) == last_wave;
    };
    const auto complete = [&](Index done, const Needs& needed) {
      for (const Index successor : next[done]) {
        needs[successor].add(needed);
        if (--missing[successor] == 0) ready.emplace(priority(successor), successor);
      }
    };
    for (; !ready.empty(); ++wave) {
      under_way.clear();
      while (!ready.empty()) {
        const Index now = ready.begin()->second;
        ready.erase(ready.begin());
        place_[now] = static_cast<std::uint32_t>(program_.instructions_.size());
        wave_of_[now] = static_cast<std::uint32_t>(wave);
        program_.instructions_.push_back(steps_[now].instruction);
        if (steps_[now].is_message()) {
          if (!needs_all_of_last_wave(now)) program_.in_step_ = false;
          under_way.push_back(now);
        } else {
          complete(now, needs[now]);
        }
        needs[now] = {};
      }
      program_.waves_.push_back(wave_of_messages(under_way));
      program_.max_messages_ = std::max(program_.max_messages_, under_way.size());
      last_wave = under_way.size();
      for (const Index done : under_way) complete(done, {wave, {done}});
    }
  }

  Wave wave_of_messages(const std::vector<Index>& messages) const {
    Wave wave{.end = static_cast<std::uint32_t>(program_.instructions_.size())};
    for (const Index message : messages) {
      const Instruction& instruction = steps_[message].instruction;
      const bool through_memory = instruction.channel != HostMemory::none;
      std::uint32_t& only = instruction.kind == OperationKind::send ? wave.send : wave.receive;
      if (only != Wave::none || (message != messages.front() && through_memory != wave.through_memory) ||
          (through_memory && !unit_.contiguous))
        wave.simple = false;
      only = place_[message];
      wave.through_memory = through_memory;
    }
    return wave;
  }

  void put_into_line() {
    std::vector<Instruction>& list = program_.instructions_;
    auto begin = list.begin();
    for (Wave& wave : program_.waves_) {
      const auto end = list.begin() + wave.end;
      const auto rank = [](const Instruction& i) {
        return i.kind == OperationKind::recv ? 1 : i.kind == OperationKind::send ? 2 : 0;
      };
      std::stable_sort(begin, end, [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
      const bool sends = wave.send != Wave::none, receives = wave.receive != Wave::none;
      if (sends) wave.send = wave.end - 1;
      if (receives) wave.receive = wave.end - 1 - sends;
      if (sends && receives) list[wave.receive].paired = true;
      begin = end;
    }
  }

  // Steps of messages by direction and channel, in the order of the part's operations.
  std::map<std::pair<OperationKind, std::int32_t>, std::vector<Index>> messages_by_channel() const {
    std::map<std::pair<OperationKind, std::int32_t>, std::vector<Index>> channels;
    for (Index i = 0; i < steps_.size(); ++i)
      if (steps_[i].is_message() && steps_[i].instruction.channel != HostMemory::none)
        channels[{steps_[i].instruction.kind, steps_[i].instruction.channel}].push_back(i);
    return channels;
  }

  // Whether waves have no two messages of a channel, and leave all of one in their order.
  bool keeps_channels_in_order() const {
    for (const auto& [channel, messages] : messages_by_channel())
      for (Index i = 1; i < messages.size(); ++i)
        if (wave_of_[messages[i - 1]] >= wave_of_[messages[i]]) return false;
    return true;
  }

  void order_channels() {
    for (const auto& [channel, messages] : messages_by_channel())
      for (Index i = 1; i < messages.size(); ++i) {
        auto& after = steps_[messages[i]].after;
        if (std::find(after.begin(), after.end(), messages[i - 1]) == after.end())
          after.push_back(messages[i - 1]);
      }
  }

  void find_successors() {
    program_.waiting_for_.resize(steps_.size());
    program_.successors_.resize(steps_.size());
    program_.max_messages_ = 0;
    for (Index i = 0; i < steps_.size(); ++i) {
      if (steps_[i].is_message()) ++program_.max_messages_;
      program_.waiting_for_[place_[i]] = static_cast<std::uint32_t>(steps_[i].after.size());
      for (const Index earlier : steps_[i].after) program_.successors_[place_[earlier]].push_back(place_[i]);
    }
  }

  Program& program_;
  std::vector<Step> steps_;
  const Unit& unit_;
  const HostMemory* memory_;
  std::vector<std::uint32_t> place_;    // by step: its instruction
  std::vector<std::uint32_t> wave_of_;  // by step
};

int PhaseBlocks::count() const {
  return counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
}

Program::Program(const Part& part, const Surroundings& surroundings, const Layout& layout, const Unit& unit)
    : contiguous_(unit.contiguous), unit_size_(unit.size), scratch_blocks_(part.scratch_blocks()) {
  BoundPart bound = bind(part, surroundings, layout, unit);
  phases_ = std::move(bound.phases);
  types_ = std::move(bound.types);
  scratch_units_ = bound.scratch_units;
  reorders_ = bound.reorders;
  Ordering(*this, std::move(bound.steps), unit, surroundings.memory).run();
}

std::size_t Program::bytes_of_plain_messages() const {
  std::size_t messages = 0, bytes = 0;
  for (const Instruction& i : instructions_) {
    if (i.kind == OperationKind::copy) continue;
    if (!is_message(i.kind) || i.channel != HostMemory::none || i.type != MPI_BYTE) return 0;
    ++messages;
    bytes += i.bytes;
  }
  return messages == 0 ? 0 : bytes / messages;
}

std::size_t Program::bytes() const {
  std::size_t total = sizeof *this + instructions_.capacity() * sizeof(Instruction) +
                      waves_.capacity() * sizeof(Wave) + waiting_for_.capacity() * sizeof(std::uint32_t) +
                      types_.capacity() * (sizeof(OwnType) + 256);  // a library's own record of a type
  for (const auto& list : successors_) total += sizeof list + list.capacity() * sizeof(std::uint32_t);
  return total;
}

}  // namespace tutti::run
