// A stream of satellite images: the root scatters the rows of each image, all ranks sharpen theirs,
// and the root gathers the result. What a rank has of an image of 512 × 512 bytes is just what
// makes a gather escalate on some clusters. Source: Lastovetsky, O'Flynn, Rychkov, A Performance
// Model of MPI Collective Communications, 2007.

#include "satellite/options.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "support/ranks.hpp"
#include "tutti/hmpi.h"

namespace tutti::apps {
namespace {

using Image = std::vector<unsigned char>;

// Image number `frame`: a pattern that moves.
Image raw_image(int side, int frame) {
  Image image(static_cast<std::size_t>(side) * static_cast<std::size_t>(side));
  for (std::size_t i = 0; i < image.size(); ++i)
    image[i] = static_cast<unsigned char>(
        (i * 31 + i / static_cast<std::size_t>(side) * 17 + static_cast<std::size_t>(frame) * 7) % 251);
  return image;
}

// Every pixel against its neighbours in the row.
void sharpen(unsigned char* rows, std::size_t count, std::size_t side) {
  Image before(rows, rows + count * side);
  for (std::size_t row = 0; row < count; ++row)
    for (std::size_t x = 0; x < side; ++x) {
      const auto at = [&](std::size_t column) {
        return int{before[row * side + std::min(column, side - 1)]};
      };
      const int sharp = 3 * at(x) - at(x == 0 ? 0 : x - 1) - at(x + 1);
      rows[row * side + x] = static_cast<unsigned char>(std::clamp(sharp, 0, 255));
    }
}

class Stream {
 public:
  explicit Stream(const Options& options) : options_(options) {
    rank_ = rank_in(MPI_COMM_WORLD);
    ranks_ = size_of(MPI_COMM_WORLD);
    // Rows that do not divide are sharpened by the root.
    rows_ = options.side / ranks_;
    mine_.resize(static_cast<std::size_t>(rows_) * side());
  }

  // Seconds, and on the root how many images are wrong.
  double run(int& wrong) {
    Image image;
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int frame = 0; frame < options_.frames; ++frame) {
      if (rank_ == 0) image = raw_image(options_.side, frame);
      process(image);
      if (rank_ == 0 && options_.check && image != alone(frame)) ++wrong;
    }
    return MPI_Wtime() - begin;
  }

 private:
  std::size_t side() const { return static_cast<std::size_t>(options_.side); }

  void process(Image& image) {
    const int bytes = static_cast<int>(mine_.size());
    const auto scatter = options_.variant == "hmpi" ? HMPI_Scatter : MPI_Scatter;
    const auto gather = options_.variant == "hmpi" ? HMPI_Gather : MPI_Gather;
    scatter(image.data(), bytes, MPI_BYTE, mine_.data(), bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    sharpen(mine_.data(), static_cast<std::size_t>(rows_), side());
    gather(mine_.data(), bytes, MPI_BYTE, image.data(), bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    const std::size_t done = mine_.size() * static_cast<std::size_t>(ranks_);
    if (rank_ == 0) sharpen(image.data() + done, side() - done / side(), side());
  }

  Image alone(int frame) const {
    Image image = raw_image(options_.side, frame);
    sharpen(image.data(), side(), side());
    return image;
  }

  const Options& options_;
  int rank_ = 0, ranks_ = 1, rows_ = 0;
  Image mine_;
};

}  // namespace

void stream(const Options& options, Report& report) {
  int wrong = 0;
  const double seconds = Stream(options).run(wrong);
  report.tell("images", options.frames);
  report.tell("size", options.side);
  report.tell("frames_per_second", options.frames / seconds);
  if (options.check) report.judge("wrong_images", wrong, 0);
}

}  // namespace tutti::apps
