#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "choose/evidence/size_class.hpp"
#include "choose/online/constants.hpp"

namespace tutti::inline choose {

/// Which sizes calls are taken to have where each rank knows only what it gives and gets itself:
/// those that earlier calls had, as ranks have told each other. That follows from nothing else, so
/// all ranks take a call for the same. Where it is wrong the call runs by a plan that was chosen
/// for other sizes.
///
/// Programs repeat themselves: the period of the calls that were told last is looked for, and each
/// place in it has the size that moves most. Where there is no period, one size stands for all.
class SizePattern {
 public:
  /// A pattern of calls of which so many go on while ranks tell each other sizes.
  explicit SizePattern(std::int64_t calls_while_told = online::calls_while_sizes_are_told)
      : calls_while_told_(calls_while_told) {}

  /// What size the first call has, where ranks tell each other that in it: later calls are taken to
  /// have it, too, until they have told each other more.
  void begin_with(SizeClass agreed) { places_.assign(1, agreed.number); }

  /// The number of calls so far.
  std::int64_t calls() const { return calls_; }
  /// Counts a call of such a size on this rank.
  void count(SizeClass mine);
  /// The size that the next call is taken to have; nothing where that can't be told yet.
  std::optional<SizeClass> next() const;
  /// The class that calls taken to have such a size are learnt of in: of two next to each other the
  /// one that was there first stands for both.
  SizeClass learnt_as(SizeClass taken);

  /// Whether ranks tell each other sizes before the next call: seldom where the pattern holds.
  bool is_told() const { return calls_ == tell_at_; }
  /// What this rank tells, once: the numbers of the size classes of the last calls. All take in the
  /// maxima.
  std::vector<std::uint8_t> tell();
  /// Whether what ranks told each other is taken in before the next call.
  bool is_heard() const { return calls_ == hear_at_; }
  void hear(std::span<const std::uint8_t> numbers);

 private:
  int taken_at(std::int64_t call) const;
  bool holds() const;

  std::int64_t calls_while_told_;
  std::int64_t calls_ = 0;
  static constexpr std::int64_t never = -1;
  std::int64_t tell_at_ = online::first_sizes, interval_ = online::first_sizes, hear_at_ = never;
  std::vector<std::uint8_t> mine_;   // numbers of the last calls' classes
  std::vector<std::uint8_t> heard_;  // of all ranks
  std::int64_t heard_from_ = 0;      // the first call of these
  std::vector<int> places_;          // numbers of classes in a period; call c is at c modulo its length
  std::vector<int> used_;            // numbers of classes that stand for others
};

}  // namespace tutti::inline choose
