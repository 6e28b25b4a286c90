#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "choose/evidence/knowledge.hpp"
#include "choose/evidence/nonblocking_calls.hpp"
#include "choose/evidence/unread_knowledge.hpp"

namespace tutti::inline choose {

/// The folder with what is known of machines, one file each: of a user, or shared by many. Files
/// are as open to others as the folder is.
class KnowledgeStore {
 public:
  explicit KnowledgeStore(std::filesystem::path folder) : folder_(std::move(folder)) {}

  const std::filesystem::path& folder() const { return folder_; }
  /// The file of a machine.
  std::filesystem::path file_of(const std::string& machine) const;
  /// The files there are.
  std::vector<std::filesystem::path> files() const;

  /// What is known of a machine, faded to this day; nothing where there is no file yet.
  Result<Knowledge> load(const std::string& machine) const;

  /// The same for a program with that MPI (as of Fingerprint), which needs little of it.
  Result<UnreadKnowledge> unread(const std::string& machine, const std::string& mpi) const;

  /// What is known of nonblocking calls of programs on a machine with that MPI (as of Fingerprint),
  /// on `most_ranks` ranks or fewer; a look at the text of its file, for every program that begins
  /// may ask.
  KnownNonblocking known_nonblocking(const std::string& machine, const std::string& mpi,
                                     int most_ranks) const;

  /// The groups of hosts that were found on a machine; a look at the text of its file, too.
  std::vector<FoundGroups> found_groups(const std::string& machine) const;

  /// Adds news to the file of their machine, while no other does: what others wrote in between
  /// stays. Gives up after some seconds of waiting for them. A file is left as it is, and the news
  /// with it, where its classes can't be told apart, where those of the news can't be read, and
  /// where the news could not be read again.
  Result<void> add(const Knowledge& news) const;

  /// Adds them without waiting for others. False where another holds the file: nothing is added.
  Result<bool> add_at_once(const Knowledge& news) const;

  /// Drops what is known of a machine in the classes that `drop` names.
  Result<void> forget(const std::string& machine,
                      const std::function<bool(const Knowledge::Key&)>& drop) const;

 private:
  std::filesystem::path lock_of(const std::string& machine) const;
  /// Makes a file's text of what it was before; `source` names the file.
  using Change = std::function<Result<std::string>(const std::string& text, const std::string& source)>;
  Result<void> change_or_fail(const std::string& machine, const Change& how) const;
  Result<bool> change(const std::string& machine, const Change& how,
                      std::chrono::milliseconds patience) const;

  std::filesystem::path folder_;
};

}  // namespace tutti::inline choose
