#pragma once

#include <memory>
#include <string>

#include "ode/blocks.hpp"
#include "ortho.hpp"

namespace tutti::apps {

/// How the stage vectors of a method, each of n components, are shared out among processes, and the
/// communication this takes. Every process computes a block of components of some stages. Members are
/// collective over the processes that are not idle.
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
  /// Of every stage, block for block, makes what one process computed known to those that compute the same
  /// block of other stages. values[stage]: count() components.
  virtual void exchange(std::vector<Vector>& values) = 0;
  /// The largest value of all.
  virtual double max(double value) = 0;
};

/// All processes compute all stages, one after the other: communication is an allgather over all of them.
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

 private:
  Blocks blocks_;
  int stages_;
  MPI_Comm comm_;
};

/// The same with the allgather by hand, in the columns and then in the rows of a grid of all processes.
class OrthogonalDataParallel : public DataParallel {
 public:
  OrthogonalDataParallel(int n, int stages, MPI_Comm comm)
      : DataParallel(n, stages, comm), grid_(sides(comm), comm) {
    const int ranks = size_of(comm);
    block_ = (n + ranks - 1) / ranks;
    padded_.resize(at(block_ * ranks));
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
  int rank_ = grid_.rank(grid_.coordinates()), block_ = 0;
  Vector padded_;
};

/// A group of processes for each stage. With `is_orthogonal` those with the same block of different stages
/// are groups, too, in which values are exchanged; else all processes exchange all they have. Processes
/// beyond a multiple of the stages are idle.
class TaskParallel : public Distribution {
 public:
  TaskParallel(int n, int stages, bool is_orthogonal, MPI_Comm comm)
      : grid_({group_size(stages, comm), stages}, comm),
        stages_(stages),
        is_orthogonal_(is_orthogonal),
        blocks_(n, grid_.is_idle() ? MPI_COMM_SELF : grid_.group_comm({ort::all, ort::parallel})) {
    block_ = (n + grid_.sizes()[0] - 1) / grid_.sizes()[0];
    mine_.resize(at(block_));
    gathered_.resize(at(block_ * (is_orthogonal ? stages : stages * grid_.sizes()[0])));
    if (!grid_.is_idle()) stage_ = grid_.coordinates()[1];
  }

  bool is_idle() const override { return grid_.is_idle(); }
  int first_stage() const override { return stage_; }
  int last_stage() const override { return stage_ + 1; }
  int begin() const override { return blocks_.begin(); }
  int count() const override { return blocks_.count(); }

  void complete(Vector& whole) override {
    grid_.rows([&](MPI_Comm) { blocks_.gather(whole); });
  }

  void exchange(std::vector<Vector>& values) override {
    std::copy_n(values[at(stage_)].data(), count(), mine_.data());
    // In the whole grid, those with the same block stand together: the stage varies fastest.
    const int first = is_orthogonal_ ? 0 : stages_ * grid_.coordinates()[0];
    grid_.section({is_orthogonal_ ? ort::parallel : ort::all, ort::all}, [&](MPI_Comm comm) {
      MPI_Allgather(mine_.data(), block_, MPI_DOUBLE, gathered_.data(), block_, MPI_DOUBLE, comm);
    });
    for (int stage = 0; stage < stages_; ++stage)
      std::copy_n(gathered_.data() + (first + stage) * block_, count(), values[at(stage)].data());
  }

  double max(double value) override {
    grid_.section({ort::all, ort::all},
                  [&](MPI_Comm comm) { MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, comm); });
    return value;
  }

  /// The communicator of the processes that compute the same stage.
  MPI_Comm group() const { return grid_.group_comm({ort::all, ort::parallel}); }

 private:
  static int group_size(int stages, MPI_Comm comm) {
    if (size_of(comm) < stages)
      throw Refusal("task-parallel variants need a process for each of the " + std::to_string(stages) +
                    " stages, but there are " + std::to_string(size_of(comm)));
    return size_of(comm) / stages;
  }

  ort::grid grid_;
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
