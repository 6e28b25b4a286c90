// ORT on a number of ranks: every selection of many grids against an enumeration of its groups,
// nested sections, every error. All ranks run everything; each prints what failed, and rank 0 "all
// right" if nothing did anywhere.

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "ortho.hpp"

namespace {

using Ints = std::vector<int>;

int world_rank, world_ranks, failures;

void expect(bool well, const std::string& what) {
  if (well) return;
  std::fprintf(stderr, "rank %d: %s\n", world_rank, what.c_str());
  ++failures;
}

void expect_code(int code, int wanted, const std::string& what) {
  expect(code == wanted,
         what + ": '" + ORT_Error_string(code) + "' in place of '" + ORT_Error_string(wanted) + "'");
}

std::string text(const Ints& list) {
  std::string all = "{";
  for (const int entry : list) all += (all.size() > 1 ? ", " : "") + std::to_string(entry);
  return all + "}";
}

// Calls body for every vector whose i-th entry is one of choices(i).
void for_all(std::size_t length, const std::function<Ints(std::size_t)>& choices,
             const std::function<void(const Ints&)>& body, Ints begun = {}) {
  if (begun.size() == length) return body(begun);
  for (const int entry : choices(begun.size())) {
    begun.push_back(entry);
    for_all(length, choices, body, begun);
    begun.pop_back();
  }
}

Ints numbers(int count) {
  Ints list(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) list[static_cast<std::size_t>(i)] = i;
  return list;
}

// Ranks by position, the last dimension fastest: counted out in order.
std::map<Ints, int> ranks_by_position(const Ints& sizes) {
  std::map<Ints, int> ranks;
  for_all(
      sizes.size(), [&](std::size_t i) { return numbers(sizes[i]); },
      [&](const Ints& position) { ranks.emplace(position, static_cast<int>(ranks.size())); });
  return ranks;
}

void check_selection(ort::grid& grid, const std::map<Ints, int>& ranks, const Ints& mine,
                     const Ints& selection) {
  const std::string where = "grid " + text(grid.sizes()) + ", selection " + text(selection);
  bool is_selected = !mine.empty();
  for (std::size_t i = 0; i < mine.size(); ++i) is_selected &= selection[i] < 0 || selection[i] == mine[i];
  Ints group;
  if (is_selected)
    for (const auto& [position, rank] : ranks) {
      bool is_in_group = true;
      for (std::size_t i = 0; i < mine.size(); ++i)
        is_in_group &= selection[i] == ort::all || position[i] == mine[i];
      if (is_in_group) group.push_back(rank);
    }

  const bool ran = grid.section(selection, [&](MPI_Comm comm) {
    int size = 0;
    MPI_Comm_size(comm, &size);
    Ints gathered(static_cast<std::size_t>(size), -1);
    MPI_Allgather(&world_rank, 1, MPI_INT, gathered.data(), 1, MPI_INT, comm);
    expect(gathered == group, where + ": the group is " + text(gathered) + " in place of " + text(group));
    expect(grid.active() == selection, where + ": another one is active");
    expect(comm == grid.group_comm(selection), where + ": another communicator is asked for");
    expect(grid.group_size(selection) == size, where + ": wrong group size");
  });
  expect(ran == is_selected, where + (ran ? ": ran where it is not selected" : ": did not run"));
  const auto group_ranks = grid.group_ranks(selection);
  expect(group_ranks.has_value() == is_selected, where + ": group ranks of the wrong process");
  if (group_ranks) expect(*group_ranks == mine, where + ": wrong group ranks");
  int groups = 1;
  for (std::size_t i = 0; i < selection.size(); ++i)
    if (selection[i] == ort::parallel) groups *= grid.sizes()[i];
  expect(grid.group_count(selection) == groups, where + ": wrong group count");
}

void check_grid(const Ints& sizes) {
  ort::grid grid(sizes);
  const auto ranks = ranks_by_position(sizes);
  Ints mine;
  for (const auto& [position, rank] : ranks) {
    expect(grid.rank(position) == rank, "grid " + text(sizes) + ": wrong rank of " + text(position));
    if (rank == world_rank) mine = position;
  }
  expect(grid.is_idle() == mine.empty(), "grid " + text(sizes) + ": wrong idle processes");
  expect(grid.sizes() == sizes, "grid " + text(sizes) + ": other sizes");
  if (!mine.empty()) expect(grid.coordinates() == mine, "grid " + text(sizes) + ": wrong coordinates");
  for_all(
      sizes.size(),
      [&](std::size_t i) {
        Ints choices{ORT_ALL, ORT_PARALLEL, 0};
        if (sizes[i] > 1) choices.push_back(sizes[i] - 1);
        return choices;
      },
      [&](const Ints& selection) { check_selection(grid, ranks, mine, selection); });
}

void check_grids() {
  const auto fits = [](const Ints& sizes) {
    int product = 1;
    for (const int size : sizes) product *= size;
    return product <= world_ranks;
  };
  int grids = 0;
  for (std::size_t dimensions = 1; dimensions <= 3; ++dimensions)
    for_all(
        dimensions,
        [](std::size_t) {
          return Ints{1, 2, 3, 4};
        },
        [&](const Ints& sizes) {
          if (!fits(sizes)) return;
          check_grid(sizes);
          ++grids;
        });
  expect(grids >= 3, "no grids");
  check_grid({world_ranks});
  check_grid({1, 1, 1, world_ranks});
  if (world_ranks >= 4) {
    check_grid({2, 1, 2, 1});
    check_grid({1, 2, 1, 1, 2});
  }
  if (world_ranks >= 8) check_grid({2, 2, 1, 1, 2});
}

// Above four dimensions communicators are made when first used, by their own group alone.
void check_late_communicators() {
  if (world_ranks < 4) return;
  ort::grid grid({2, 2, 1, 1, 1});
  if (grid.is_idle()) return;
  // Only column 1 uses this pattern, inside a section that the others are not in.
  const auto inner = grid.section({1, ort::all, 0, 0, 0}, [&](MPI_Comm) {
    return grid.section({1, ort::all, ort::parallel, ort::all, ort::parallel}, [&](MPI_Comm comm) {
      int size = 0;
      MPI_Comm_size(comm, &size);
      return size;
    });
  });
  expect(inner.has_value() == (grid.coordinates()[0] == 1), "late communicators: on the wrong processes");
  if (inner) expect(*inner == 2, "late communicators: another group");
}

void check_nesting() {
  if (world_ranks < 6) return;
  ort::grid grid({3, 2});
  // Groups by the same structure, and by one that is made of a group.
  int sections = 0;
  grid.columns([&](MPI_Comm column) {
    const Ints outer = grid.active();
    grid.rows([&](MPI_Comm row) {
      int size = 0;
      MPI_Comm_size(row, &size);
      expect(size == 3, "nested section: another row");
      expect(grid.active() == (Ints{ort::all, ort::parallel}), "nested section: another one is active");
      ++sections;
    });
    expect(grid.active() == outer, "nested section: the outer one is no longer active");
    ort::grid inner({2}, column);
    inner.section({1}, [&](MPI_Comm) {
      expect(grid.coordinates()[1] == 1, "structure of a section's communicator: on the wrong process");
      expect(grid.active() == outer, "structure of a section's communicator: changes the outer one");
      ++sections;
    });
  });
  const bool is_in_lower_row = !grid.is_idle() && grid.coordinates()[1] == 1;
  expect(sections == (grid.is_idle() ? 0 : is_in_lower_row ? 2 : 1), "nested sections did not run");
}

void check_cpp_face() {
  ort::grid grid({1, world_ranks});
  const auto sum = grid.column(0, [](MPI_Comm comm) {
    int total = 0;
    MPI_Allreduce(&world_rank, &total, 1, MPI_INT, MPI_SUM, comm);
    return total;
  });
  static_assert(std::is_same_v<decltype(sum), const std::optional<int>>);
  expect(sum == world_ranks * (world_ranks - 1) / 2, "a section's value");
  const auto elsewhere = grid.row(world_ranks - 1, [](MPI_Comm) { return 'x'; });
  expect(elsewhere.has_value() == (world_rank == world_ranks - 1), "a row's value");
  std::string caught;
  try {
    grid.rows([](MPI_Comm) { throw std::runtime_error("from the body"); });
  } catch (const std::runtime_error& e) {
    caught = e.what();
  }
  expect(caught == "from the body", "an exception of a body");
  int code = 0;
  try {
    grid.section({ort::all}, [](MPI_Comm) {});
  } catch (const ort::error& e) {
    code = e.code();
    expect(std::strcmp(e.what(), ORT_Error_string(code)) == 0, "what an error says");
  }
  expect_code(code, ORT_ERR_DIMENSION, "a section of one dimension");
  ort::grid moved = std::move(grid);
  expect(moved.dimensions() == 2, "a moved grid");
}

void* nothing(void*, MPI_Comm) {
  return nullptr;
}
void* finalize(void* ort, MPI_Comm) {
  expect_code(ORT_Finalize(*static_cast<ORT_Structure*>(ort)), ORT_ERR_IN_SECTION,
              "ORT_Finalize in a section");
  return nullptr;
}

void check_errors() {
  const int sizes[2] = {1, world_ranks}, bad_size[2] = {1, 0}, large[2] = {2, world_ranks};
  const int vast[4] = {1 << 30, 1 << 30, 1 << 30, 1 << 30};
  ORT_Structure ort, other = {-7};
  int result[2], many[63] = {};
  MPI_Comm comm;
  expect_code(ORT_Init(0, sizes, MPI_COMM_WORLD, &ort), ORT_ERR_DIMENSION, "no dimension");
  expect_code(ORT_Init(63, many, MPI_COMM_WORLD, &ort), ORT_ERR_DIMENSION, "63 dimensions");
  expect_code(ORT_Init(INT_MIN, many, MPI_COMM_WORLD, &ort), ORT_ERR_DIMENSION, "no number of dimensions");
  expect_code(ORT_Init(2, bad_size, MPI_COMM_WORLD, &ort), ORT_ERR_SIZES, "a size of 0");
  expect_code(ORT_Init(2, large, MPI_COMM_WORLD, &ort), ORT_ERR_SIZES, "too many positions");
  expect_code(ORT_Init(4, vast, MPI_COMM_WORLD, &ort), ORT_ERR_SIZES, "far too many positions");
  expect_code(ORT_Init(2, nullptr, MPI_COMM_WORLD, &ort), ORT_ERR_ARGUMENT, "no sizes");
  expect_code(ORT_Init(2, sizes, MPI_COMM_WORLD, nullptr), ORT_ERR_ARGUMENT, "no structure to fill");
  expect_code(ORT_Init(2, sizes, MPI_COMM_NULL, &ort), ORT_ERR_COMM, "MPI_COMM_NULL");
  if (world_ranks > 1) {
    // Each process asks for something else; all are told.
    const int mine[2] = {world_rank == 0 ? 2 : 1, 1};
    expect_code(ORT_Init(2, mine, MPI_COMM_WORLD, &ort), ORT_ERR_MISMATCH, "different sizes");
    expect_code(ORT_Init(world_rank == 0 ? 1 : 2, sizes, MPI_COMM_WORLD, &ort), ORT_ERR_MISMATCH,
                "different dimensions");
    expect_code(ORT_Init(2, world_rank == 0 ? bad_size : sizes, MPI_COMM_WORLD, &ort),
                world_rank == 0 ? ORT_ERR_SIZES : ORT_ERR_MISMATCH, "one process with a bad size");
#ifndef SMPI_H  // SimGrid has no intercommunicators
    MPI_Comm half, between;
    MPI_Comm_split(MPI_COMM_WORLD, world_rank == 0, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, world_rank == 0 ? 1 : 0, 0, &between);
    expect_code(ORT_Init(2, sizes, between, &ort), ORT_ERR_COMM, "an intercommunicator");
    MPI_Comm_free(&between);
    MPI_Comm_free(&half);
#endif
  }

  expect_code(ORT_Init(2, sizes, MPI_COMM_WORLD, &ort), ORT_SUCCESS, "ORT_Init");
  const int rows[2] = {ORT_ALL, ORT_PARALLEL}, strange[2] = {ORT_ALL, -4}, beyond[2] = {0, world_ranks};
  expect_code(ORT_Section(1, rows, nothing, nullptr, ort), ORT_ERR_DIMENSION,
              "a section of another dimension");
  expect_code(ORT_Section(2, nullptr, nothing, nullptr, ort), ORT_ERR_ARGUMENT,
              "a section without selection");
  expect_code(ORT_Section(2, rows, nullptr, nullptr, ort), ORT_ERR_ARGUMENT, "a section without function");
  expect_code(ORT_Section(2, strange, nothing, nullptr, ort), ORT_ERR_SELECTION, "a strange selection");
  expect_code(ORT_Section(2, beyond, nothing, nullptr, ort), ORT_ERR_SELECTION, "a position beyond the grid");
  expect_code(ORT_Section(2, rows, nothing, nullptr, other), ORT_ERR_STRUCTURE, "a section of no structure");
  expect_code(ORT_Vertical_section(1, nothing, nullptr, ort), ORT_ERR_SELECTION, "column 1 of 1");
  expect_code(ORT_Vertical_section(ORT_ALL, nothing, nullptr, ort), ORT_ERR_SELECTION, "column ORT_ALL");
  expect_code(ORT_Horizontal_section(ORT_PARALLEL, nothing, nullptr, ort), ORT_ERR_SELECTION,
              "row ORT_PARALLEL");
  expect_code(ORT_Group_ranks(2, rows, nullptr, ort), ORT_ERR_ARGUMENT, "no room for ranks");
  expect_code(ORT_Group_ranks(2, strange, result, ort), ORT_ERR_SELECTION, "ranks of a strange selection");
  expect_code(ORT_Group_comm(2, rows, nullptr, ort), ORT_ERR_ARGUMENT, "no room for a communicator");
  expect_code(ORT_Group_comm(3, rows, &comm, ort), ORT_ERR_DIMENSION, "a communicator of another dimension");
  expect_code(ORT_Group_size(2, rows, nullptr, ort), ORT_ERR_ARGUMENT, "no room for a size");
  expect_code(ORT_Group_count(2, rows, nullptr, ort), ORT_ERR_ARGUMENT, "no room for a count");
  expect_code(ORT_Active(2, result, ort), ORT_ERR_NO_SECTION, "the active section outside of sections");
  expect_code(ORT_Dimensions(nullptr, ort), ORT_ERR_ARGUMENT, "no room for dimensions");
  expect_code(ORT_Sizes(1, result, ort), ORT_ERR_DIMENSION, "sizes of another dimension");
  expect_code(ORT_Coordinates(2, nullptr, ort), ORT_ERR_ARGUMENT, "no room for coordinates");
  expect_code(ORT_Rank(2, beyond, result, ort), ORT_ERR_COORDINATES, "the rank beyond the grid");
  expect_code(ORT_Rank(2, sizes, nullptr, ort), ORT_ERR_ARGUMENT, "no room for a rank");
  expect_code(ORT_Is_idle(nullptr, ort), ORT_ERR_ARGUMENT, "no room for a flag");
  expect_code(ORT_Section(2, rows, finalize, &ort, ort), ORT_SUCCESS, "a section that tries to finalize");
  expect_code(ORT_Finalize(ort), ORT_SUCCESS, "ORT_Finalize");
  expect_code(ORT_Finalize(ort), ORT_ERR_STRUCTURE, "ORT_Finalize again");
  expect_code(ORT_Section(2, rows, nothing, nullptr, ort), ORT_ERR_STRUCTURE, "a section after ORT_Finalize");

  const int lone[1] = {1};
  ORT_Init(1, lone, MPI_COMM_WORLD, &ort);
  expect_code(ORT_Coordinates(1, result, ort), world_rank == 0 ? ORT_SUCCESS : ORT_ERR_IDLE,
              "coordinates of an idle process");
  ORT_Finalize(ort);

  std::set<std::string> explanations;
  for (int code = 0; code < ORT_ERR_LAST; ++code) explanations.insert(ORT_Error_string(code));
  expect(explanations.size() == ORT_ERR_LAST, "errors that explain themselves alike");
  expect(
      !explanations.contains(ORT_Error_string(ORT_ERR_LAST)) && !explanations.contains(ORT_Error_string(-1)),
      "an error nobody knows has an explanation");
}

// Communicators run out if they are not freed.
void check_leaks(int rounds) {
  for (int i = 0; i < rounds; ++i) ort::grid grid({1, 1, 1, world_ranks});
}

}  // namespace

int main(int argc, char** argv) {
  ORT_Structure ort = {1};
  const int before = ORT_Finalize(ort);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world_ranks);
  expect_code(before, ORT_ERR_MPI_STATE, "before MPI_Init");
  check_errors();
  check_grids();
  check_late_communicators();
  check_nesting();
  check_cpp_face();
  check_leaks(argc > 1 ? std::atoi(argv[1]) : 0);
  int all = 0;
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (world_rank == 0) std::printf(all ? "%d failures\n" : "all right\n", all);
  MPI_Finalize();
  return all != 0;
}
