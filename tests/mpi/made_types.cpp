// Types that few programs make, in ordinary collectives: of Fortran's types of some precision,
// which are predefined and may not be freed, and made with large counts, which only the large-count
// functions describe.

#include <mpi.h>

#include <cstdio>
#include <vector>

namespace {

int wrong = 0;
void check(bool right, const char* what) {
  if (right) return;
  std::printf("%s: wrong\n", what);
  ++wrong;
}

// Elements of four numbers each, in all that moves data.
template <typename Number>
void move(MPI_Datatype four, const char* what) {
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Type_commit(&four);
  for (int turn = 0; turn < 3; ++turn) {
    std::vector<Number> vector(8, static_cast<Number>(rank == 0 ? turn + 1 : 0));
    MPI_Bcast(vector.data(), 2, four, 0, MPI_COMM_WORLD);
    for (const Number number : vector) check(number == static_cast<Number>(turn + 1), what);
    std::vector<Number> own(4, static_cast<Number>(rank)), all(static_cast<std::size_t>(4 * ranks));
    MPI_Allgather(own.data(), 1, four, all.data(), 1, four, MPI_COMM_WORLD);
    for (std::size_t i = 0; i < all.size(); ++i) check(all[i] == static_cast<Number>(i / 4), what);
  }
  MPI_Type_free(&four);
}

template <typename Number>
void sum(MPI_Datatype type, const char* what) {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const std::vector<Number> ones(5, static_cast<Number>(1));
  std::vector<Number> sums(5);
  MPI_Allreduce(ones.data(), sums.data(), 5, type, MPI_SUM, MPI_COMM_WORLD);
  for (const Number number : sums) check(number == static_cast<Number>(ranks), what);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Datatype real, integer, four, copy;
  MPI_Type_create_f90_real(15, 307, &real);
  MPI_Type_create_f90_integer(9, &integer);
  sum<double>(real, "a sum of Fortran's reals");
  sum<int>(integer, "a sum of Fortran's integers");
  MPI_Type_contiguous(4, real, &four);
  move<double>(four, "contiguous, of Fortran's reals");
  MPI_Type_dup(integer, &copy);
  MPI_Type_contiguous(4, copy, &four);
  MPI_Type_free(&copy);
  move<int>(four, "contiguous, of a duplicate of Fortran's integers");
#if MPI_VERSION >= 4
  MPI_Type_contiguous_c(4, MPI_INT, &four);
  move<int>(four, "contiguous, by a large count");
  MPI_Type_contiguous_c(4, real, &four);
  move<double>(four, "contiguous, by a large count, of Fortran's reals");
  MPI_Type_vector_c(2, 2, 2, MPI_INT, &four);
  move<int>(four, "a vector, by large counts");
  const MPI_Count length = 4, displacement = 0;
  MPI_Type_create_struct_c(1, &length, &displacement, &integer, &four);
  move<int>(four, "a struct, by large counts");
#endif
  int all = 0, rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) std::printf("made types: %s\n", all == 0 ? "all right" : "WRONG");
  MPI_Finalize();
  return all;
}
