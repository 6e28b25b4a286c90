/* The error classes that collective operations return for a mistake which all ranks make alike, and how
   often another handler than the communicator's is called for it; argv[1]: which, as a number. Mistakes
   at which a library's own call crashes are left out. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  negative_count,
  no_type,
  no_op,
  no_root,
  output_in_place,
  same_buffer,
  no_output,
  uncommitted,
  strange_type,
  freed_op,
  mistakes
};
static const char* names[] = {"negative count",  "no type",        "no operation", "no root",
                              "output in place", "same buffer",    "no output",    "type not committed",
                              "strange type",    "freed operation"};
static int calls = 0; /* of nobody's handler */

static void count_call(MPI_Comm* comm, int* error, ...) {
  (void)comm, (void)error;
  calls++;
}
static void combine(void* in, void* inout, int* n, MPI_Datatype* type) {
  (void)in, (void)inout, (void)n, (void)type;
}

int main(int argc, char** argv) {
  static int in[1000], out[1000], counts[8], displs[8];
  int rank, size;
  MPI_Comm comm, ring;
  MPI_Datatype pair, strange;
  MPI_Op ended, same;
  MPI_Errhandler counting;
  MPI_Init(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_create_errhandler(count_call, &counting);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, counting);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, counting);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Cart_create(comm, 1, &size, (int[]){1}, 0, &ring);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(ring, MPI_ERRORS_RETURN);
  MPI_Type_contiguous(2, MPI_INT, &pair);
  memcpy(&strange, &(int){77777}, sizeof(int)); /* a handle of MPICH's that means nothing */
  MPI_Op_create(combine, 1, &ended);
  same = ended;
  MPI_Op_free(&ended);
  MPI_Barrier(comm);
  MPI_Barrier(ring);
  const int mistake = argc > 1 ? atoi(argv[1]) % mistakes : 0;
  {
    const int n = mistake == negative_count ? -1 : 2;
    for (int i = 0; i < 8; ++i) counts[i] = n, displs[i] = 4 * i;
    const MPI_Datatype t = mistake == no_type        ? MPI_DATATYPE_NULL
                           : mistake == uncommitted  ? pair
                           : mistake == strange_type ? strange
                                                     : MPI_INT;
    const MPI_Op o = mistake == no_op ? MPI_OP_NULL : mistake == freed_op ? same : MPI_SUM;
    const int root = mistake == no_root ? size : 0;
    void* to = mistake == output_in_place ? MPI_IN_PLACE
               : mistake == same_buffer   ? in
               : mistake == no_output     ? NULL
                                          : out;
    const int of_output = mistake == output_in_place || mistake == same_buffer || mistake == no_output;
    const int is_operation = mistake == no_op || mistake == freed_op,
              is_type = mistake == no_type || mistake == uncommitted || mistake == strange_type;
    MPI_Request request;
#define TRY(name, call)                                                                             \
  do {                                                                                              \
    int class = MPI_SUCCESS;                                                                        \
    calls = 0;                                                                                      \
    request = MPI_REQUEST_NULL;                                                                     \
    const int error = call;                                                                         \
    if (request != MPI_REQUEST_NULL && error == MPI_SUCCESS) MPI_Wait(&request, MPI_STATUS_IGNORE); \
    MPI_Error_class(error, &class);                                                                 \
    printf("rank %d %s %s: %d, %d calls\n", rank, name, names[mistake], class, calls);              \
    fflush(stdout);                                                                                 \
  } while (0)
    /* Reductions judge types by their operation, and MPI libraries differ in what they ask of those not
     * committed. */
    if (!is_operation && mistake != same_buffer && mistake != output_in_place) {
      TRY("bcast", MPI_Bcast(to, n, t, root, comm));
      if (mistake != negative_count) TRY("ibcast", MPI_Ibcast(to, n, t, root, comm, &request));
    }
    if (mistake != uncommitted) {
      if (mistake != no_root) {
        TRY("allreduce", MPI_Allreduce(in, to, n, t, o, comm));
        if (mistake != negative_count) TRY("iallreduce", MPI_Iallreduce(in, to, n, t, o, comm, &request));
        TRY("scan", MPI_Scan(in, to, n, t, o, comm));
        if (mistake != negative_count) TRY("iscan", MPI_Iscan(in, to, n, t, o, comm, &request));
        if (mistake != output_in_place) TRY("exscan", MPI_Exscan(in, to, n, t, o, comm));
        TRY("reduce_scatter_block", MPI_Reduce_scatter_block(in, to, n, t, o, comm));
        if (!of_output) TRY("reduce_scatter", MPI_Reduce_scatter(in, to, counts, t, o, comm));
      }
      if (!of_output) TRY("reduce", MPI_Reduce(in, to, n, t, o, root, comm));
      if (!of_output) TRY("ireduce", MPI_Ireduce(in, to, n, t, o, root, comm, &request));
    }
    if (!is_operation && mistake != no_root) {
      TRY("allgather", MPI_Allgather(in, n, t, to, n, t, comm));
      if (mistake != negative_count) TRY("iallgather", MPI_Iallgather(in, n, t, to, n, t, comm, &request));
      TRY("alltoall", MPI_Alltoall(in, n, t, to, n, t, comm));
      if (mistake != negative_count) TRY("ialltoall", MPI_Ialltoall(in, n, t, to, n, t, comm, &request));
      if (!of_output) {
        TRY("allgatherv", MPI_Allgatherv(in, n, t, to, counts, displs, t, comm));
        TRY("alltoallv", MPI_Alltoallv(in, counts, displs, t, to, counts, displs, t, comm));
        if (!is_type) TRY("neighbor_allgather", MPI_Neighbor_allgather(in, n, t, to, n, t, ring));
      }
    }
    if (!is_operation && !of_output) {
      TRY("gather", MPI_Gather(in, n, t, to, n, t, root, comm));
      if (mistake != negative_count) TRY("igather", MPI_Igather(in, n, t, to, n, t, root, comm, &request));
      TRY("scatter", MPI_Scatter(in, n, t, to, n, t, root, comm));
      if (mistake != negative_count) TRY("iscatter", MPI_Iscatter(in, n, t, to, n, t, root, comm, &request));
      TRY("gatherv", MPI_Gatherv(in, n, t, to, counts, displs, t, root, comm));
      TRY("scatterv", MPI_Scatterv(in, counts, displs, t, to, n, t, root, comm));
    }
  }
  MPI_Finalize();
}
