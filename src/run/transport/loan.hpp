#pragma once

#include <atomic>
#include <cstdint>

#include "run/transport/constants.hpp"

namespace tutti::run {

/// How two ranks share the work of copying a long message that is read where it is: it is cut into
/// chunks, which the lender and the borrower claim one after another. The borrower reads its chunks
/// out of the lender's memory, the lender writes its own into the borrower's. What the lender can't
/// write the borrower reads, what neither can comes in pieces afterwards. Each member function
/// looks at what both see once, or changes it once.
///
/// `Shared` has `claimed()`, `written()` and `unwritten()`, atomic numbers: chunks that were
/// claimed, those of the lender that it is done with, and a bit for each of these that it could not
/// write. The lender begins each loan when the one before is over.
struct Loan {
  static constexpr std::uint32_t most_chunks = transport::most_chunks;
  static constexpr std::uint32_t none = most_chunks;

  /// The next of `chunks` chunks for who asks, or none.
  template <typename Shared>
  static std::uint32_t claim(Shared& shared, std::uint32_t chunks) {
    const std::uint64_t claimed = shared.claimed().fetch_add(1, std::memory_order_acq_rel);
    return claimed < chunks ? static_cast<std::uint32_t>(claimed) : none;
  }

  /// The rank whose memory it is.
  class Lender {
   public:
    /// Says that it could not write a chunk that it claimed, or that it is done with one.
    template <typename Shared>
    static void cannot_write(Shared& shared, std::uint32_t chunk) {
      shared.unwritten().fetch_or(std::uint64_t{1} << chunk, std::memory_order_relaxed);
    }
    template <typename Shared>
    static void is_done_with_one(Shared& shared) {
      shared.written().fetch_add(1, std::memory_order_release);
    }
  };

  /// The rank whose copy it becomes.
  class Borrower {
   public:
    explicit Borrower(std::uint32_t chunks) : chunks_(chunks) {}

    /// Its next chunk, or none when all have been claimed.
    template <typename Shared>
    std::uint32_t claim(Shared& shared) {
      if (all_claimed_) return none;
      const std::uint32_t chunk = Loan::claim(shared, chunks_);
      if (chunk == none)
        all_claimed_ = true;
      else
        own_ |= std::uint64_t{1} << chunk;
      return chunk;
    }
    /// The chunks that the lender is done with and that were not told of before, as bits. All of
    /// them have been claimed: who claims sees only later which ones the other did.
    template <typename Shared>
    std::uint64_t written_by_lender(Shared& shared) {
      if (!all_claimed_) return 0;
      std::uint64_t written = shared.written().load(std::memory_order_acquire), fresh = 0;
      for (std::uint64_t rest = lenders(); rest != 0 && written > told_count_; rest &= rest - 1) {
        const std::uint64_t next = rest & -rest;
        fresh |= next;
        told_ |= next;
        ++told_count_;
      }
      return fresh;
    }
    /// Whether it has been told of all chunks that are not its own.
    bool is_over() const { return all_claimed_ && lenders() == 0; }
    friend bool operator==(const Borrower&, const Borrower&) = default;

   private:
    // The lender's chunks that were not told of yet, which are written in this order.
    std::uint64_t lenders() const {
      const std::uint64_t all =
          chunks_ == most_chunks ? ~std::uint64_t{0} : (std::uint64_t{1} << chunks_) - 1;
      return all & ~own_ & ~told_;
    }

    std::uint32_t chunks_;
    std::uint64_t own_ = 0, told_ = 0;
    std::uint64_t told_count_ = 0;
    bool all_claimed_ = false;
  };
};

}  // namespace tutti::run
