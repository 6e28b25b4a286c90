#pragma once

#include <atomic>
#include <bitset>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/schedule/schedule.hpp"
#include "run/calls/constants.hpp"
#include "run/execution/constants.hpp"
#include "run/execution/in_flight.hpp"
#include "run/mpi/handles.hpp"

namespace tutti::run {

/// Tags, one after the other.
struct Tags {
  int first, count;
};

/// How urgent a context is: for a call that is to run, or for calls that may come or not.
enum class Wanted { now, by_few };

/// A number of a context, which is its holder's alone on this rank.
class ContextNumber {
 public:
  ContextNumber(ContextNumber&& other) noexcept : value_(std::exchange(other.value_, none)) {}
  ContextNumber& operator=(ContextNumber&&) = delete;
  ~ContextNumber();  ///< gives it back

  int value() const { return value_; }
  /// Nobody gets it any more.
  void spoil() { value_ = none; }

 private:
  friend class Contexts;
  static constexpr int none = -1;
  explicit ContextNumber(int value) : value_(value) {}

  int value_;
};

/// Where the messages of plans on one of the user's communicators travel: on a communicator that
/// the user does not see, with tags that no other context has there. One of all processes serves as
/// many contexts as there are tags for; a context of its own communicator has all of them.
class Context {
 public:
  /// On a communicator on which nobody else sends.
  static std::unique_ptr<Context> on(MPI_Comm comm);
  /// On a communicator of its own.
  explicit Context(OwnComm own);
  /// One of those that a communicator of all processes serves. `ranks`: the numbers there of the
  /// ranks here.
  Context(MPI_Comm shared, ContextNumber number, std::vector<Rank> ranks, bool in_order);
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context();

  MPI_Comm comm() const { return comm_; }
  /// A rank's number in `comm()`.
  Rank number_of(Rank rank) const { return ranks_.empty() ? rank : ranks_[static_cast<std::size_t>(rank)]; }
  std::vector<Rank> numbers_of(const std::vector<Rank>& ranks) const;
  /// The numbers of all ranks; nothing where they are their ranks.
  std::span<const Rank> numbers() const { return ranks_; }
  /// Whether all contexts have these numbers, and ranks come to calls on different ones in one
  /// order: none has several threads that call.
  bool is_in_order() const { return in_order_; }

  /// The first of the `tags_of_a_call` tags of blocking calls.
  int first_tag() const { return first_tag_; }
  /// How many other calls tags can tell apart at a time, from 1 on.
  int calls() const { return calls_ - 1; }
  Tags tags_of_call(int call) const {
    return {first_tag_ + call * execution::tags_of_a_call, execution::tags_of_a_call};
  }

  /// A communicator of the ranks with some numbers, made by them alone; none where MPI has none
  /// left.
  OwnComm among(const std::vector<Rank>& numbers) const;

  /// A call has failed, and may have left messages that nobody receives: nobody else gets these
  /// tags.
  void spoil() {
    if (number_) number_->spoil();
  }

 private:
  OwnComm own_;
  MPI_Comm comm_;
  std::optional<ContextNumber> number_;
  int calls_, first_tag_ = 0;
  std::vector<Rank> ranks_;
  bool in_order_ = false;
};

/// The contexts of this process.
class Contexts {
 public:
  static Contexts& instance();

  /// A context for a communicator of processes of MPI_COMM_WORLD. Collective; null on all ranks
  /// where one of them can't have it. It travels with others on a communicator of all processes,
  /// which is made when all meet first, as long as a number is free on all of its ranks; else on
  /// one of its own, of which a process has some at most. What few will want gets one of the first
  /// half of the numbers, or nothing.
  std::unique_ptr<Context> take(MPI_Comm users, Wanted wanted);

  /// Whether there is a communicator of all processes.
  bool are_open() const {
    const std::lock_guard lock(mutex_);
    return static_cast<bool>(everybody_);
  }

  /// Numbers that are free on all ranks of a communicator, which will make others: at most as many
  /// as wanted, and none beyond the first half. Collective; ranks get the same.
  std::vector<ContextNumber> reserve(MPI_Comm users, int wanted);
  /// Numbers that are free on this rank, of the first half: as many as wanted, or all of them.
  std::vector<ContextNumber> hold(int wanted);
  /// The context with a number that all ranks of a communicator have from the one that it was made
  /// of. Waits for nobody.
  std::unique_ptr<Context> with(ContextNumber number, MPI_Comm users);

  /// Gives the communicator of all processes back. MPI is still running, and no context is left.
  void release();

 private:
  friend class Context;
  friend class ContextNumber;
  struct Offer;

  static int count();         // of contexts that tags tell apart
  static int calls_of_one();  // that the tags of one tell apart

  Offer offer(Wanted wanted);
  std::optional<ContextNumber> claim(int number);
  void give_back(int number);
  void open(MPI_Comm users);

  mutable std::mutex mutex_;  // guards what follows; never held in a collective
  OwnComm everybody_;
  std::bitset<calls::most_contexts> taken_;
  std::atomic<int> own_ = 0;  // contexts on communicators of their own
};

}  // namespace tutti::run
