#pragma once

#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "run/calls/context.hpp"

namespace tutti::run {

class KeptTags;

/// Tags of a request that is started again and again, its own until it is freed.
class TagsOfRequest {
 public:
  TagsOfRequest(TagsOfRequest&& other) noexcept
      : tags_(other.tags_), from_(std::exchange(other.from_, nullptr)), place_(other.place_) {}
  TagsOfRequest& operator=(TagsOfRequest&&) = delete;
  ~TagsOfRequest();  ///< gives them back

  Tags tags() const { return tags_; }
  /// A call has failed, and may have left messages that nobody receives: no other request gets
  /// these tags.
  void spoil() { from_ = nullptr; }

 private:
  friend class KeptTags;
  TagsOfRequest(Tags tags, KeptTags& from, int place) : tags_(tags), from_(&from), place_(place) {}

  Tags tags_;
  KeptTags* from_;
  int place_;
};

/// The tags that a communicator's requests keep, from the last ones of its context on. All ranks
/// take them in one order, and each gives them back when it likes: others get them after the ranks
/// have told each other which of them all have given back.
class KeptTags {
 public:
  /// Calls whose tags are not for other calls any more.
  int count() const { return static_cast<int>(given_back_.size()); }
  bool has_free() const { return !free_.empty(); }
  /// The free ones if there are any, else the next of the context.
  TagsOfRequest take(const Context& context);
  /// Frees what all ranks have given back: collective. Returns whether that is anything.
  bool collect(MPI_Comm users);

 private:
  friend class TagsOfRequest;
  void give_back(int place);

  std::mutex mutex_;  // any thread may free a request
  std::vector<std::uint8_t> given_back_;
  std::vector<int> free_;
};

}  // namespace tutti::run
