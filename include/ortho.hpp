// The C++ face of ORT (ortho.h): a grid that frees itself, lambdas in place of void*, exceptions in
// place of numbers.
//
//     ort::grid grid({columns, rows});
//     grid.rows([&](MPI_Comm row) { ... });
//     std::optional<double> sum = grid.section({ort::parallel, ort::all}, [&](MPI_Comm column) { return ...;
//     });

#ifndef ORTHO_HPP
#define ORTHO_HPP

#include <exception>
#include <initializer_list>
#include <optional>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "ortho.h"

namespace ort {

inline constexpr int all = ORT_ALL;            ///< the group runs along this dimension
inline constexpr int parallel = ORT_PARALLEL;  ///< groups at all its positions work beside each other

/// What a function of ORT returned, with its explanation.
class error : public std::runtime_error {
 public:
  explicit error(int code) : std::runtime_error(ORT_Error_string(code)), code_(code) {}
  int code() const { return code_; }

 private:
  int code_;
};

/// An array of sizes, positions or a selection, one entry a dimension: {2, 3}, a vector, a span.
class per_dimension {
 public:
  per_dimension(std::initializer_list<int> list) : entries_(list.begin(), list.size()) {}
  per_dimension(std::span<const int> entries) : entries_(entries) {}
  per_dimension(const std::vector<int>& entries) : entries_(entries) {}
  int count() const { return static_cast<int>(entries_.size()); }
  const int* data() const { return entries_.data(); }

 private:
  std::span<const int> entries_;
};

/// A grid of the processes of a communicator. Made and destroyed by all of them; destroyed before
/// MPI_Finalize. All members throw `error`.
class grid {
 public:
  explicit grid(per_dimension sizes, MPI_Comm comm = MPI_COMM_WORLD) {
    check(ORT_Init(sizes.count(), sizes.data(), comm, &structure_));
  }
  ~grid() { ORT_Finalize(structure_); }
  grid(grid&& other) noexcept : structure_(std::exchange(other.structure_, {})) {}
  grid& operator=(grid&& other) noexcept {
    std::swap(structure_, other.structure_);
    return *this;
  }

  /// Calls body(MPI_Comm) on every process of the selected groups. What it returns, as an optional
  /// that is empty on other processes; for a body that returns nothing, whether it ran. What it
  /// throws comes through.
  template <class Body>
  auto section(per_dimension selection, Body&& body) {
    return run(std::forward<Body>(body), [&](auto* function, void* call) {
      return ORT_Section(selection.count(), selection.data(), function, call, structure_);
    });
  }

  /// Two dimensions: column k = {k, all}; all columns, or all rows, beside each other; row k =
  /// {all, k}.
  template <class Body>
  auto column(int k, Body&& body) {
    return section({k, all}, std::forward<Body>(body));
  }
  template <class Body>
  auto columns(Body&& body) {
    return section({parallel, all}, std::forward<Body>(body));
  }
  template <class Body>
  auto row(int k, Body&& body) {
    return section({all, k}, std::forward<Body>(body));
  }
  template <class Body>
  auto rows(Body&& body) {
    return section({all, parallel}, std::forward<Body>(body));
  }

  int dimensions() const {
    int count = 0;
    check(ORT_Dimensions(&count, structure_));
    return count;
  }
  std::vector<int> sizes() const { return entries(ORT_Sizes); }
  /// The position of the calling process, which must not be idle.
  std::vector<int> coordinates() const { return entries(ORT_Coordinates); }
  /// The selection of the innermost section that the calling process executes.
  std::vector<int> active() const { return entries(ORT_Active); }
  bool is_idle() const {
    int idle = 0;
    check(ORT_Is_idle(&idle, structure_));
    return idle != 0;
  }
  /// The rank, in the communicator the grid was made from, of the process at a position.
  int rank(per_dimension coordinates) const {
    int rank = 0;
    check(ORT_Rank(coordinates.count(), coordinates.data(), &rank, structure_));
    return rank;
  }
  /// What ORT_Group_ranks gives; empty if the calling process is in no selected group.
  std::optional<std::vector<int>> group_ranks(per_dimension selection) const {
    std::vector<int> ranks(static_cast<std::size_t>(selection.count()));
    check(ORT_Group_ranks(selection.count(), selection.data(), ranks.data(), structure_));
    if (!ranks.empty() && ranks[0] == ORT_NONE) return std::nullopt;
    return ranks;
  }
  /// The group's communicator, which belongs to the grid; MPI_COMM_NULL if the calling process is
  /// in no selected group.
  MPI_Comm group_comm(per_dimension selection) const {
    MPI_Comm comm = MPI_COMM_NULL;
    check(ORT_Group_comm(selection.count(), selection.data(), &comm, structure_));
    return comm;
  }
  int group_size(per_dimension selection) const {
    int size = 0;
    check(ORT_Group_size(selection.count(), selection.data(), &size, structure_));
    return size;
  }
  int group_count(per_dimension selection) const {
    int count = 0;
    check(ORT_Group_count(selection.count(), selection.data(), &count, structure_));
    return count;
  }

  ORT_Structure structure() const { return structure_; }  ///< for the C functions

 private:
  static void check(int code) {
    if (code != ORT_SUCCESS) throw error(code);
  }

  std::vector<int> entries(int (*query)(int, int*, ORT_Structure)) const {
    std::vector<int> result(static_cast<std::size_t>(dimensions()));
    check(query(static_cast<int>(result.size()), result.data(), structure_));
    return result;
  }

  // The C library calls through a plain function: no exception may pass it.
  template <class Body, class Section>
  static auto run(Body&& body, Section&& section) {
    using Value = std::invoke_result_t<Body&, MPI_Comm>;
    constexpr bool is_void = std::is_void_v<Value>;
    struct Call {
      Body& body;
      std::optional<std::conditional_t<is_void, bool, Value>> value;
      std::exception_ptr thrown;
    } call{body, {}, {}};
    const auto function = [](void* argument, MPI_Comm comm) -> void* {
      auto& self = *static_cast<Call*>(argument);
      try {
        if constexpr (is_void) {
          self.body(comm);
          self.value = true;
        } else {
          self.value.emplace(self.body(comm));
        }
      } catch (...) {
        self.thrown = std::current_exception();
      }
      return nullptr;
    };
    check(section(static_cast<void* (*)(void*, MPI_Comm)>(function), &call));
    if (call.thrown) std::rethrow_exception(call.thrown);
    if constexpr (is_void)
      return call.value.has_value();
    else
      return std::move(call.value);
  }

  ORT_Structure structure_{};
};

}  // namespace ort

#endif
