#include "structure.hpp"

namespace tutti::ort {
namespace {

// Up to this number of dimensions all groups' communicators are made at once.
constexpr std::size_t eager_dimensions = 4;

int checked(int code) {
  return code == MPI_SUCCESS ? ORT_SUCCESS : ORT_ERR_MPI;
}

}  // namespace

int Structure::make(std::span<const int> sizes, MPI_Comm comm, std::unique_ptr<Structure>& made) {
  std::unique_ptr<Structure> structure(new Structure(sizes));
  const std::vector<int> not_periodic(sizes.size(), 0);
  const int dimensions = static_cast<int>(sizes.size());
  if (MPI_Cart_create(comm, dimensions, sizes.data(), not_periodic.data(), 0, &structure->grid_) !=
      MPI_SUCCESS)
    return ORT_ERR_MPI;
  if (!structure->is_idle()) {
    int rank = 0;
    structure->coordinates_.resize(sizes.size());
    if (MPI_Comm_rank(structure->grid_, &rank) != MPI_SUCCESS ||
        MPI_Cart_coords(structure->grid_, rank, dimensions, structure->coordinates_.data()) != MPI_SUCCESS)
      return ORT_ERR_MPI;
    if (sizes.size() <= eager_dimensions)
      if (const int error = structure->make_all()) return error;
  }
  made = std::move(structure);
  return ORT_SUCCESS;
}

Structure::~Structure() {
  for (auto& [pattern, comm] : groups_) MPI_Comm_free(&comm);
  if (grid_ != MPI_COMM_NULL) MPI_Comm_free(&grid_);
}

int Structure::make_all() {
  // The process on its own is left for later: MPICH's MPI_Cart_sub gives no communicator there.
  for (Pattern pattern = 1; pattern < Pattern{1} << sizes_.size(); ++pattern) {
    std::vector<int> remain(sizes_.size());
    for (std::size_t i = 0; i < remain.size(); ++i) remain[i] = runs_along(pattern, i);
    MPI_Comm comm = MPI_COMM_NULL;
    if (MPI_Cart_sub(grid_, remain.data(), &comm) != MPI_SUCCESS) return ORT_ERR_MPI;
    groups_[pattern] = comm;
  }
  return ORT_SUCCESS;
}

int Structure::communicator(Pattern pattern, MPI_Comm& comm) {
  if (const auto found = groups_.find(pattern); found != groups_.end()) {
    comm = found->second;
    return ORT_SUCCESS;
  }
  if (const int error = make_one(pattern, comm)) return error;
  groups_[pattern] = comm;
  return ORT_SUCCESS;
}

// Only the group itself takes part: its process may be in a section that others are not in, where
// MPI_Cart_sub would wait for all of the grid.
int Structure::make_one(Pattern pattern, MPI_Comm& comm) const {
  const std::vector<int> ranks = members(pattern);
  std::vector<int> extents;
  for (std::size_t i = 0; i < sizes_.size(); ++i)
    if (runs_along(pattern, i)) extents.push_back(sizes_[i]);
  const std::vector<int> not_periodic(extents.size(), 0);

  MPI_Group all = MPI_GROUP_NULL, some = MPI_GROUP_NULL;
  MPI_Comm plain = MPI_COMM_NULL;
  int code = MPI_Comm_group(grid_, &all);
  if (code == MPI_SUCCESS) code = MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &some);
  if (code == MPI_SUCCESS) code = MPI_Comm_create_group(grid_, some, 0, &plain);
  if (some != MPI_GROUP_NULL) MPI_Group_free(&some);
  if (all != MPI_GROUP_NULL) MPI_Group_free(&all);
  // MPI_Cart_sub would leave the communicator with such a topology.
  if (code == MPI_SUCCESS)
    code = MPI_Cart_create(plain, static_cast<int>(extents.size()), extents.data(), not_periodic.data(), 0,
                           &comm);
  if (plain != MPI_COMM_NULL) MPI_Comm_free(&plain);
  return checked(code);
}

int Structure::rank_at(std::span<const int> position) const {
  int rank = 0;
  for (std::size_t i = 0; i < sizes_.size(); ++i) rank = rank * sizes_[i] + position[i];
  return rank;
}

// Ranks in the grid of the calling process' group.
std::vector<int> Structure::members(Pattern pattern) const {
  std::vector<int> position = coordinates_, ranks;
  for (std::size_t i = 0; i < sizes_.size(); ++i)
    if (runs_along(pattern, i)) position[i] = 0;
  for (;;) {
    ranks.push_back(rank_at(position));
    std::size_t i = sizes_.size();
    while (i > 0 && (!runs_along(pattern, i - 1) || ++position[i - 1] == sizes_[i - 1])) {
      if (runs_along(pattern, i - 1)) position[i - 1] = 0;
      --i;
    }
    if (i == 0) return ranks;
  }
}

}  // namespace tutti::ort
