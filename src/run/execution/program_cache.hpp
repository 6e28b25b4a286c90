#pragma once

#include <atomic>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "run/execution/program.hpp"

namespace tutti::run {

/// What a program was made for, on its communicator.
struct ProgramKey {
  int plan;  ///< Plan::id
  Rank root;
  std::size_t units;      ///< bytes moved, or elements reduced
  std::uint64_t type_id;  ///< of the elements reduced, 0 where bytes are moved
  bool commutative;
  bool whole;  ///< reductions: vectors are combined whole
  /// Hash of the layout where counts and displacements make it, else 0.
  std::uint64_t layout_hash;
  std::uint64_t network;  ///< fingerprint of that whose schedule it is, 0 where it is of none
  /// For how many bytes an irregular call's schedule was computed (Shape::bytes), else 0.
  std::size_t computed_for;
  friend bool operator==(const ProgramKey&, const ProgramKey&) = default;
};

/// The cached programs of this process, all communicators together.
struct CacheTotals {
  std::size_t limit = std::size_t{64} << 20;  ///< bytes; beyond, the least recently used ones go
  std::atomic<std::size_t> bytes{0};
  std::atomic<std::size_t> programs{0};
  std::atomic<std::size_t> evicted{0};
};
inline CacheTotals cache_totals;

/// The programs of one communicator, the least recently used ones dropped when the process holds
/// too much.
class ProgramCache {
 public:
  ProgramCache() = default;
  ProgramCache(const ProgramCache&) = delete;
  ProgramCache& operator=(const ProgramCache&) = delete;
  ~ProgramCache() { clear(); }
  /// Forgets all programs.
  void clear();
  /// A number that changes when a program is dropped: those found before may be gone.
  std::uint64_t era() const { return era_; }

  /// The program of that key, made by `make` if there is none. Valid until the next call, and
  /// longer for who shares it (shared_from_this).
  template <typename Make>
  const Program& find(const ProgramKey& key, Make&& make) {
    if (last_key_ == key && key.layout_hash == 0) [[likely]]
      return *last_;
    return find_elsewhere(key, Layout{}, make);
  }

  /// The program of a key and of a layout that counts and displacements make, whose hash is in the
  /// key.
  template <typename Make>
  const Program& find(const ProgramKey& key, const Layout& layout, Make&& make) {
    return find_elsewhere(key, layout, make);
  }

 private:
  struct Entry {
    ProgramKey key;
    Layout layout;  // of irregular calls
    std::shared_ptr<const Program> program;
    std::size_t bytes() const;
  };

  template <typename Make>
  [[gnu::noinline]] const Program& find_elsewhere(const ProgramKey& key, const Layout& layout, Make&& make) {
    const auto known = index_.find(key);
    if (known != index_.end() && known->second->layout == layout) {
      entries_.splice(entries_.begin(), entries_, known->second);
    } else {
      if (known != index_.end()) drop(known->second);  // two layouts of one hash
      insert({key, layout, std::make_shared<const Program>(make())});
    }
    last_key_ = key;
    last_ = entries_.front().program.get();
    return *last_;
  }

  struct Hash {
    std::size_t operator()(const ProgramKey& key) const {
      auto hash = static_cast<std::size_t>(key.plan);
      for (const std::size_t part :
           {static_cast<std::size_t>(key.root), key.units, static_cast<std::size_t>(key.type_id),
            static_cast<std::size_t>(key.layout_hash), static_cast<std::size_t>(key.network),
            key.computed_for, static_cast<std::size_t>(key.commutative), static_cast<std::size_t>(key.whole)})
        hash = (hash ^ part) * 0x9e3779b97f4a7c15ULL;
      return hash ^ (hash >> 32);
    }
  };
  using Entries = std::list<Entry>;

  void insert(Entry entry);
  void drop(Entries::iterator entry);

  std::uint64_t era_ = 1;
  ProgramKey last_key_{};  // no program has it: no plan has number 0
  const Program* last_ = nullptr;
  Entries entries_;  // the most recently used first
  std::unordered_map<ProgramKey, Entries::iterator, Hash> index_;
};

/// Programs of one communicator that several threads look for.
class SharedProgramCache {
 public:
  /// Does what ProgramCache::find does. What makes a program must not look for another one. Whoever
  /// has the program may keep it.
  template <typename... What>
  std::shared_ptr<const Program> find(What&&... what) {
    const std::lock_guard lock(mutex_);
    return cache_.find(std::forward<What>(what)...).shared_from_this();
  }

 private:
  std::mutex mutex_;
  ProgramCache cache_;
};

}  // namespace tutti::run
