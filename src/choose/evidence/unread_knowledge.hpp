#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "choose/evidence/knowledge.hpp"

namespace tutti::inline choose {

/// Which calls are meant in the text of a class of calls.
struct UnreadClass {
  std::string_view called;  ///< name of Called
  Placement placement;
};

/// What is known of a machine, as a program finds it in a file: text, of which a class of calls is
/// read when somebody asks for it. Files that many share have thousands, of which a program needs
/// few.
class UnreadKnowledge {
 public:
  /// Of a file that is not there.
  UnreadKnowledge() = default;
  /// `source` names the file in errors, which are of all but the classes; those of other MPI
  /// libraries than `mpi` (as of Fingerprint) count as read.
  static Result<UnreadKnowledge> of(std::string text, std::string source, const std::string& mpi);

  /// All but the classes, faded to this day.
  const Knowledge& without_classes() const { return known_; }

  /// Reads the classes that `wanted` names and that were not read before, and nothing else, faded
  /// to this day. Of what is no knowledge the error is said once: it counts as read.
  Result<Knowledge> read(const std::function<bool(const UnreadClass&)>& wanted);

 private:
  struct Text {
    UnreadClass of;
    std::string_view text;
  };
  Result<void> find_classes();

  std::string text_, source_, mpi_;
  Knowledge known_;
  Day written_ = 0;            // when the file was
  bool found_classes_ = true;  // those of the text are in `unread_`
  std::vector<Text> unread_;
};

/// The text of a file of knowledge to which news were added, of the same machine. Where it was
/// written today classes of which nothing is new stand there as before, unread.
Result<std::string> with_news(const std::string& text, const std::string& source, const Knowledge& news);

}  // namespace tutti::inline choose
