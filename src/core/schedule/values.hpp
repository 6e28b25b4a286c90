#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/schedule/schedule.hpp"

namespace tutti::inline core {

/// Ranks [first, end).
struct RankInterval {
  Rank first, end;
  friend bool operator==(const RankInterval&, const RankInterval&) = default;
};

/// What a block symbolically holds: one block of the vector, combined from the contributions of
/// some ranks.
struct Value {
  int block;
  /// Disjoint, ascending, not touching. None: the value that changes nothing in a reduction.
  std::vector<RankInterval> contributors;
  /// In what order they were combined, where the table tells orders apart; else 0.
  std::int32_t order = 0;
  friend bool operator==(const Value&, const Value&) = default;
};

/// A number for a value in a ValueTable; equal values have equal numbers.
using ValueId = std::int32_t;

/// Nothing was written here yet, or what was there has been destroyed.
inline constexpr ValueId undefined_value = 0;

/// Interns symbolic values, so that a proof over thousands of ranks moves numbers only.
class ValueTable {
 public:
  /// Whether it tells apart what was combined of the same contributions in different orders:
  /// (0 ∘ 1) ∘ 2 from 0 ∘ (1 ∘ 2), which for floating-point numbers differ.
  explicit ValueTable(bool tells_orders = false) : tells_orders_(tells_orders) {}

  ValueId intern(Value value);
  /// One block of the contributions of ranks [first, end), in the fixed order: that of recursive
  /// doubling, which combines the first 2^k of them, for the largest 2^k below their number, with
  /// what is combined of the others.
  ValueId combined(int block, Rank first, Rank end);
  /// One block of the contributions of ranks [0, end), in the fixed order of prefixes: one after
  /// the other.
  ValueId combined_in_turn(int block, Rank end);
  const Value& operator[](ValueId id) const { return values_[static_cast<std::size_t>(id)]; }

  struct Combination {
    ValueId value = undefined_value;
    std::string error;  ///< why the two can't be combined; empty if they can
  };
  /// What it is at `taken` where it is the value at its representative. Not where the table tells
  /// orders apart; all calls are of one symmetry and one shape.
  ValueId moved_back(ValueId value, const Symmetry& symmetry, Rank taken, const Shape& shape);
  /// left ∘ right. Without commutativity only neighbouring intervals of ranks can still become the
  /// right result.
  Combination combine(ValueId left, ValueId right, bool commutative);

 private:
  struct Hash {
    std::size_t operator()(const Value& value) const;
  };
  void grow();
  Combination combine_anew(const Value& left, const Value& right, bool commutative);
  std::int32_t fixed_order(Rank first, Rank end);
  std::int32_t order_of(std::int32_t left, std::int32_t right);

  bool tells_orders_;
  // Single ranks' orders are below 0, that of two others combined is in orders_.
  std::unordered_map<std::uint64_t, std::int32_t> orders_;
  std::unordered_map<std::uint64_t, std::int32_t> fixed_orders_;  // by first and end
  std::vector<std::int32_t> prefixes_;                            // in turn, by end − 1
  std::vector<Value> values_{Value{-1, {}}};                      // undefined_value
  std::vector<ValueId> slots_;  // by hash, next ones where taken; a power of two
  std::unordered_map<std::uint64_t, ValueId> combined_, moved_back_;
};

/// "block 3 of ranks 0-4 and 7"
std::string describe(const Value& value);

}  // namespace tutti::inline core
