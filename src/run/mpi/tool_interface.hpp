#pragma once

#include <mpi.h>

#include <optional>
#include <string>
#include <vector>

namespace tutti::run {

/// MPI's tool interface and its control variables: what the MPI library can be told, and what it
/// was. In Open MPI it is open as long as this lives: version 5 keeps what is open through the end
/// of MPI, and a session that begins later finds no transports. Elsewhere it stays open once it was
/// opened: MPICH 4.0 forgets its variables when it is closed, and crashes when it is opened again.
/// Simulated MPIs have none.
class ToolInterface {
 public:
  ToolInterface();
  ToolInterface(const ToolInterface&) = delete;
  ToolInterface& operator=(const ToolInterface&) = delete;
  ~ToolInterface();

  struct Variable {
    int number = -1;
    std::string name;
    bool is_int = false;
    bool is_bool = false;
    mutable void* kept = nullptr;  ///< its handle, once it was written, where the interface stays open
  };
  /// The library's variables at this moment: what belongs to an unloaded part has gone.
  const std::vector<Variable>& variables() const { return variables_; }
  std::vector<std::string> names() const;
  /// The variable of a name, or null.
  const Variable* find(const std::string& name) const;
  /// What the library says of a variable, for people.
  std::string description(const Variable& variable) const;
  /// The names of a variable's values 0, 1, …; none where it has others.
  std::vector<std::string> values(const Variable& variable) const;
  /// The value of a variable that is an integer, or true or false; nothing where it has none for
  /// the whole process.
  std::optional<int> read(const Variable& variable) const;
  std::optional<int> read(const std::string& name) const;
  /// Sets an integer variable. Returns whether the library took it.
  bool write(const Variable& variable, int value) const;

 private:
  bool is_to_close_ = false;
  std::vector<Variable> variables_;
};

}  // namespace tutti::run
