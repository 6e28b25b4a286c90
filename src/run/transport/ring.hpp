#pragma once

#include <atomic>
#include <cstdint>

namespace tutti::run {

/// How pieces of messages pass from one rank to another through memory that both see: a ring of
/// slots that one writes and the other reads, in the order of the pieces. A slot's label says what
/// is in it: the number of the piece, and what its users make of the rest. Who reads says how many
/// pieces it has taken; slots that were taken are written again. There are no locks, and nobody
/// waits in here: each member function looks at what both see once, or changes it once.
///
/// `Sequence` counts pieces and may wrap around; it has to count to more than twice the slots.
/// `Shared` has `label(slot)` and `taken()`, atomic numbers that are 0 at first.
///
/// Source: Lamport, Specifying concurrent program modules, 1983 (one writer, one reader).
template <typename Sequence, std::uint32_t slots>
struct Ring {
  static_assert((slots & (slots - 1)) == 0, "numbers wrap around at a multiple of the slots");

  static constexpr std::uint64_t label(Sequence number, std::uint32_t what) {
    return (std::uint64_t{what} << 32) | number;
  }

  /// Fills slots and passes them on.
  class Writer {
   public:
    /// Whether the next slot may be filled.
    template <typename Shared>
    bool has_room(Shared& shared) {
      if (static_cast<Sequence>(passed_ - taken_) < slots) return true;
      look(shared);
      return static_cast<Sequence>(passed_ - taken_) < slots;
    }
    std::uint32_t slot() const { return passed_ % slots; }
    template <typename Shared>
    void pass_on(Shared& shared, std::uint32_t what) {
      const std::uint32_t filled = slot();
      ++passed_;
      shared.label(filled).store(label(passed_, what), std::memory_order_release);
    }
    /// How many pieces were passed on.
    Sequence passed() const { return passed_; }
    /// Whether all pieces up to that number, which was passed on, have been taken.
    template <typename Shared>
    bool is_taken(Shared& shared, Sequence number) {
      if (reaches(number)) return true;
      look(shared);
      return reaches(number);
    }

   private:
    template <typename Shared>
    void look(Shared& shared) {
      taken_ = static_cast<Sequence>(shared.taken().load(std::memory_order_acquire));
    }
    bool reaches(Sequence number) const {
      return static_cast<Sequence>(passed_ - taken_) <= static_cast<Sequence>(passed_ - number);
    }

    Sequence passed_ = 0, taken_ = 0;  // as far as known
  };

  /// Reads slots and gives them back.
  class Reader {
   public:
    /// Whether the next slot holds a piece, and what its label says.
    template <typename Shared>
    bool has_piece(Shared& shared, std::uint32_t& what) const {
      const std::uint64_t found = shared.label(slot()).load(std::memory_order_acquire);
      what = static_cast<std::uint32_t>(found >> 32);
      return static_cast<Sequence>(found) == next();
    }
    std::uint32_t slot() const { return taken_ % slots; }
    /// The number of the piece that is awaited.
    Sequence next() const { return static_cast<Sequence>(taken_ + 1); }
    template <typename Shared>
    void give_back(Shared& shared) {
      ++taken_;
      shared.taken().store(taken_, std::memory_order_release);
    }

   private:
    Sequence taken_ = 0;
  };
};

}  // namespace tutti::run
