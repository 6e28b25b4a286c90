#include "support/life.hpp"

#include "support/ranks.hpp"

namespace tutti::apps {

void begin_mpi(int& argc, char**& argv) {
  MPI_Init(&argc, &argv);
}

void end_mpi() {
  MPI_Finalize();
}

bool speaks() {
  return rank_in(MPI_COMM_WORLD) == 0;
}

bool is_true_anywhere(bool here) {
  int anywhere = here;
  MPI_Allreduce(MPI_IN_PLACE, &anywhere, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return anywhere != 0;
}

}  // namespace tutti::apps
