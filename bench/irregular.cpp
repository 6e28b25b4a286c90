// A program of alltoallvs for bench/learning-irregular: an iteration has some of them, as a
// transform has that goes to and fro between layouts, each with counts at random and ranks that
// have more than others. The counts are drawn once, or anew for each call. Prints what all
// iterations took, as JSON.
//
// Usage: irregular once|anew ITERATIONS SEED.

#include <mpi.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

namespace {

// Counts of bytes, as one rank has them, of a matrix that all ranks draw alike.
class Exchange {
 public:
  Exchange(int rank, int ranks) : rank_(rank), ranks_(ranks) {}

  // Counts about a mean, by who gives, who gets, and at random; one in ten is 0.
  void draw(double mean, std::mt19937& random) {
    std::lognormal_distribution<double> share(0, 0.7);
    std::uniform_real_distribution<double> part(0, 1);
    const auto p = static_cast<std::size_t>(ranks_), me = static_cast<std::size_t>(rank_);
    std::vector<double> gets(p);
    for (double& one : gets) one = share(random);
    sent_.assign(p, 0), received_.assign(p, 0);
    for (std::size_t from = 0; from < p; ++from) {
      const double gives = share(random);
      for (std::size_t to = 0; to < p; ++to) {
        const double bytes = mean * gives * gets[to] * share(random);
        const int count = part(random) < 0.1 ? 0 : static_cast<int>(bytes);
        if (from == me) sent_[to] = count;
        if (to == me) received_[from] = count;
      }
    }
    lay_out(sent_, send_at_, out_);
    lay_out(received_, receive_at_, in_);
  }

  void run() {
    MPI_Alltoallv(out_.data(), sent_.data(), send_at_.data(), MPI_BYTE, in_.data(), received_.data(),
                  receive_at_.data(), MPI_BYTE, MPI_COMM_WORLD);
  }

 private:
  static void lay_out(const std::vector<int>& counts, std::vector<int>& at, std::vector<char>& buffer) {
    at.clear();
    int total = 0;
    for (const int count : counts) at.push_back(total), total += count;
    buffer.resize(static_cast<std::size_t>(total) + 1);
  }

  int rank_, ranks_;
  std::vector<int> sent_, received_, send_at_, receive_at_;
  std::vector<char> out_, in_;
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const bool anew = argc > 1 && std::string(argv[1]) == "anew";
  const int iterations = argc > 2 ? std::atoi(argv[2]) : 100;
  std::mt19937 random(argc > 3 ? static_cast<unsigned>(std::atoi(argv[3])) : 1);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::vector<double> means(1 + random() % 3);  // one to three exchanges an iteration
  std::vector<Exchange> exchanges(means.size(), {rank, ranks});
  for (std::size_t i = 0; i < means.size(); ++i) {
    means[i] = std::exp2(std::uniform_real_distribution(5.0, 13.0)(random));
    exchanges[i].draw(means[i], random);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int iteration = 0; iteration < iterations; ++iteration)
    for (std::size_t i = 0; i < means.size(); ++i) {
      if (anew) exchanges[i].draw(means[i], random);
      exchanges[i].run();
    }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) std::printf("{\"seconds\": %.9f, \"exchanges\": %zu}\n", MPI_Wtime() - begin, means.size());
  MPI_Finalize();
  return 0;
}
