#pragma once

#include <memory>
#include <string>

#include "ode/blocks.hpp"
#include "ortho.hpp"

namespace tutti::apps {

/// How the stage vectors of a method, each of n components, are shared out among processes, and the
/// communication this takes. Every process computes a block of components of some stages. Members
/// are collective over the processes that are not idle.
class Distribution {
 public:
  virtual ~Distribution() = default;
  virtual bool is_idle() const { return false; }
  /// Stages from first to last - 1 are computed here, of each the block's components.
  virtual int first_stage() const = 0;
  virtual int last_stage() const = 0;
  /// Calls body(stage) for each of them.
  template <class Body>
  void for_stages(const Body& body) const {
    for (int stage = first_stage(); stage < last_stage(); ++stage) body(stage);
  }
  virtual int begin() const = 0;
  virtual int count() const = 0;
  /// Makes a whole vector of the blocks of all who compute the same stages, known to all of them.
  virtual void complete(Vector& whole) = 0;
  /// Makes, stage by stage and block by block, what one process computed known to those that
  /// compute the same block of other stages. values[stage]: count() components.
  virtual void exchange(std::vector<Vector>& values) = 0;
  /// The largest value of all.
  virtual double max(double value) = 0;
};

/// All processes compute all stages, one after the other: communication is an allgather over all of
/// them.
class DataParallel : public Distribution {
 public:
  DataParallel(int n, int stages, MPI_Comm comm) : blocks_(n, comm), stages_(stages), comm_(comm) {}
  int first_stage() const override { return 0; }
  int last_stage() const override { return stages_; }
  int begin() const override { return blocks_.begin(); }
  int count() const override { return blocks_.count(); }
  void complete(Vector& whole) override { blocks_.gather(whole); }
  void exchange(std::vector<Vector>&) override {}
  double max(double value) override {
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, comm_);
    return value;
  }

 protected:
  int largest_block() const { return blocks_.largest(); }

 private:
  Blocks blocks_;
  int stages_;
  MPI_Comm comm_;
};

/// Shares out like DataParallel, with the allgather by hand, in the columns and then in the rows of
/// a grid of all processes.
class OrthogonalDataParallel : public DataParallel {
 public:
  OrthogonalDataParallel(int n, int stages, MPI_Comm comm)
      : DataParallel(n, stages, comm), grid_(sides(comm), comm) {
    padded_.resize(at(block_ * size_of(comm)));
  }

  void complete(Vector& whole) override {
    const int column = grid_.coordinates()[0], column_size = grid_.sizes()[1] * block_;
    std::copy_n(whole.data() + begin(), count(), padded_.data() + rank_ * block_);
    grid_.columns([&](MPI_Comm comm) {
      MPI_Allgather(MPI_IN_PLACE, 0, MPI_DOUBLE, padded_.data() + column * column_size, block_, MPI_DOUBLE,
                    comm);
    });
    grid_.rows([&](MPI_Comm comm) {
      MPI_Allgather(MPI_IN_PLACE, 0, MPI_DOUBLE, padded_.data(), column_size, MPI_DOUBLE, comm);
    });
    std::copy_n(padded_.data(), whole.size(), whole.data());
  }

 private:
  static std::vector<int> sides(MPI_Comm comm) {
    std::vector<int> both{0, 0};
    MPI_Dims_create(size_of(comm), 2, both.data());
    return both;
  }

  ort::grid grid_;
  int rank_ = grid_.rank(grid_.coordinates()), block_ = largest_block();
  Vector padded_;
};

/// A group of processes for each stage. With `is_orthogonal` those with the same block of different
/// stages are groups, too, in which values are exchanged; else all processes exchange all they
/// have. All processes form a grid whose last dimension are the stages; a group is a row of it, or
/// with `in_planes` a plane of a grid of three dimensions. Processes beyond a multiple of the
/// stages are idle.
class TaskParallel : public Distribution {
 public:
  TaskParallel(int n, int stages, bool is_orthogonal, MPI_Comm comm, bool in_planes = false)
      : grid_(sides(stages, in_planes, comm), comm),
        group_(at(grid_.dimensions()), ort::all),
        partners_(at(grid_.dimensions()), is_orthogonal ? ort::parallel : ort::all),
        stages_(stages),
        is_orthogonal_(is_orthogonal) {
    group_.back() = ort::parallel;
    partners_.back() = ort::all;
    blocks_ = Blocks(n, is_idle() ? MPI_COMM_SELF : group());
    block_ = blocks_.largest();
    mine_.resize(at(block_));
    gathered_.resize(at(block_ * grid_.group_size(partners_)));
    if (!is_idle()) stage_ = grid_.coordinates().back();
  }

  bool is_idle() const override { return grid_.is_idle(); }
  int first_stage() const override { return stage_; }
  int last_stage() const override { return stage_ + 1; }
  int begin() const override { return blocks_.begin(); }
  int count() const override { return blocks_.count(); }

  void complete(Vector& whole) override {
    grid_.section(group_, [&](MPI_Comm) { blocks_.gather(whole); });
  }

  void exchange(std::vector<Vector>& values) override {
    std::copy_n(values[at(stage_)].data(), count(), mine_.data());
    grid_.section(partners_, [&](MPI_Comm comm) {
      MPI_Allgather(mine_.data(), block_, MPI_DOUBLE, gathered_.data(), block_, MPI_DOUBLE, comm);
    });
    // In the whole grid, those with the same block stand together: the stage varies fastest.
    const int first = is_orthogonal_ ? 0 : stages_ * rank_in(group());
    for (int stage = 0; stage < stages_; ++stage)
      std::copy_n(gathered_.data() + (first + stage) * block_, count(), values[at(stage)].data());
  }

  double max(double value) override {
    grid_.section(std::vector<int>(group_.size(), ort::all),
                  [&](MPI_Comm comm) { MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, comm); });
    return value;
  }

  /// The communicator of the processes that compute the same stage, and the sides of their part of
  /// the grid.
  MPI_Comm group() const { return grid_.group_comm(group_); }
  std::vector<int> group_sides() const {
    std::vector<int> sides = grid_.sizes();
    sides.pop_back();
    return sides;
  }

 private:
  static std::vector<int> sides(int stages, bool in_planes, MPI_Comm comm) {
    const int group_size = size_of(comm) / stages;
    if (group_size == 0)
      throw Refusal("task-parallel variants need a process for each of the " + std::to_string(stages) +
                    " stages, but there are " + std::to_string(size_of(comm)));
    std::vector<int> all(in_planes ? 2 : 1, 0);
    MPI_Dims_create(group_size, static_cast<int>(all.size()), all.data());
    all.push_back(stages);
    return all;
  }

  ort::grid grid_;
  std::vector<int> group_, partners_;  // selections
  int stages_, stage_ = 0, block_ = 0;
  bool is_orthogonal_;
  Blocks blocks_;
  Vector mine_, gathered_;
};

/// By the name of a variant: data-parallel, orthogonal-data-parallel, task-parallel,
/// orthogonal-task-parallel.
inline std::unique_ptr<Distribution> distribution_named(const std::string& variant, int n, int stages,
                                                        MPI_Comm comm) {
  if (variant == "data-parallel") return std::make_unique<DataParallel>(n, stages, comm);
  if (variant == "orthogonal-data-parallel") return std::make_unique<OrthogonalDataParallel>(n, stages, comm);
  return std::make_unique<TaskParallel>(n, stages, variant == "orthogonal-task-parallel", comm);
}

}  // namespace tutti::apps
