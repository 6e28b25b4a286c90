// MPI_Finalize by the destructor of a static object, with collectives before it; a worker object
// with thread-local state.
#include <mpi.h>
#include <cstdio>
#include <cstdlib>
#include <vector>
struct Session {
  Session() { MPI_Init(nullptr, nullptr); }
  ~Session() {
    std::vector<double> a(5000, 1), b(5000);
    std::vector<int> c(5000, 1), d(5000);
    MPI_Allreduce(a.data(), b.data(), 5000, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Request r;
    MPI_Iallreduce(c.data(), d.data(), 5000, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Comm dup;
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Barrier(dup);
    MPI_Bcast(b.data(), 5000, MPI_DOUBLE, 0, dup);
    std::printf("end: %g %d\n", b[4999], d[4999]);
    MPI_Finalize();
  }
};
Session& session() {
  static Session s;
  return s;
}
int main() {
  session();
  std::vector<double> a(5000, 1), b(5000);
  for (int i = 0; i < 10; ++i) MPI_Allreduce(a.data(), b.data(), 5000, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  std::exit(0);
}
