#include "core/synthesis/scheduled_transfer.hpp"

#include <algorithm>

namespace tutti::inline core {
namespace {

class Writer {
 public:
  explicit Writer(Builder& b)
      : b_(b),
        collective_(b.shape().collective),
        all_(b.blocks()),
        touched_(static_cast<std::size_t>(all_)),
        temporaries_(touched_.size()) {}

  void run(const ScheduledTransfers& transfers) {
    keep_own();
    for (const ScheduledTransfer& t : transfers) {
      if (t.from == b_.rank()) t.in_turn ? send_in_turn(t) : void(b_.send(t.to, source(t)));
      if (t.to == b_.rank()) t.combine ? combine(t) : receive(t);
    }
    if (traits(collective_).reduces)
      for (int block = 0; block < all_; ++block)
        if (is_result(block)) start(block);
  }

 private:
  bool is_root() const { return b_.rank() == b_.root(); }
  bool is_own(int block) const { return block / pieces(b_.shape()) == b_.rank(); }

  // Whether the block belongs to what the caller gets.
  bool is_result(int block) const {
    switch (collective_) {
      case Collective::gather:
      case Collective::reduce:
        return is_root();
      case Collective::scatter:
      case Collective::reduce_scatter_block:
        return is_own(block);
      default:
        return true;
    }
  }

  // Whether the caller gave the block.
  bool is_given(int block) const {
    switch (collective_) {
      case Collective::scatter:
        return is_root();
      case Collective::gather:
      case Collective::allgather:
        return is_own(block);
      default:
        return traits(collective_).reduces;
    }
  }

  void keep_own() {
    if (traits(collective_).reduces) return;
    for (int block = 0; block < all_; ++block)
      if (is_given(block) && is_result(block)) b_.copy(output(block), input(block));
  }

  // Where the block is, or what has been combined of it.
  BlockRange place(int block) const { return is_result(block) ? output(block) : scratch(block); }

  bool is_touched(int block) const { return touched_[static_cast<std::size_t>(block)]; }

  Ranges source(const ScheduledTransfer& t) const {
    Ranges ranges;
    for (int block = t.block; block < t.block + t.blocks; ++block)
      ranges.add(is_given(block) && !is_touched(block) ? input(block) : place(block));
    return ranges;
  }

  void send_in_turn(const ScheduledTransfer& t) { last_in_turn_ = {b_.send(t.to, source(t), last_in_turn_)}; }

  void receive(const ScheduledTransfer& t) {
    Ranges ranges;
    for (int block = t.block; block < t.block + t.blocks; ++block) {
      touched_[static_cast<std::size_t>(block)] = true;
      ranges.add(place(block));
    }
    b_.recv(t.from, ranges);
  }

  // A rank's own contribution goes to where the others are added.
  void start(int block) {
    if (is_touched(block)) return;
    touched_[static_cast<std::size_t>(block)] = true;
    b_.copy(place(block), input(block));
  }

  void combine(const ScheduledTransfer& t) {
    Ranges incoming;
    for (int block = t.block; block < t.block + t.blocks; ++block) {
      start(block);
      // Behind the vector's copy that holds what is combined.
      incoming.add(scratch(++temporaries_[static_cast<std::size_t>(block)] * all_ + block));
    }
    b_.recv(t.from, incoming);
    for (int block = t.block; block < t.block + t.blocks; ++block)
      b_.reduce(place(block), scratch(temporaries_[static_cast<std::size_t>(block)] * all_ + block),
                OperandOrder::into_first);
  }

  Builder& b_;
  Collective collective_;
  int all_;
  std::vector<bool> touched_;              // by block: received, or begun to be combined
  std::vector<int> temporaries_;           // by block: so far
  std::vector<OperationId> last_in_turn_;  // one, or none yet
};

}  // namespace

void write(Builder& builder, const ScheduledTransfers& transfers) {
  Writer(builder).run(transfers);
}

}  // namespace tutti::inline core
