/* Makes an MPI library one whose persistent sums, irregular exchanges and broadcasts, and nonblocking
   broadcasts, are slow: a start of one takes milliseconds. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <unistd.h>

enum { microseconds = 5000, most = 64 };
static MPI_Request slow[most];
static int made;

static int noted(int error, const MPI_Request* request) {
  if (error == MPI_SUCCESS && made < most) slow[made++] = *request;
  return error;
}

int PMPI_Allreduce_init(const void* given, void* total, int count, MPI_Datatype type, MPI_Op op,
                        MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  int (*own)(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info, MPI_Request*);
  *(void**)&own = dlsym(RTLD_NEXT, "PMPI_Allreduce_init");
  return noted(own(given, total, count, type, op, comm, info, request), request);
}

int PMPI_Bcast_init(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Info info,
                    MPI_Request* request) {
  int (*own)(void*, int, MPI_Datatype, int, MPI_Comm, MPI_Info, MPI_Request*);
  *(void**)&own = dlsym(RTLD_NEXT, "PMPI_Bcast_init");
  return noted(own(data, count, type, root, comm, info, request), request);
}

int PMPI_Alltoallv_init(const void* given, const int sent[], const int from[], MPI_Datatype given_type,
                        void* got, const int received[], const int to[], MPI_Datatype got_type, MPI_Comm comm,
                        MPI_Info info, MPI_Request* request) {
  int (*own)(const void*, const int*, const int*, MPI_Datatype, void*, const int*, const int*, MPI_Datatype,
             MPI_Comm, MPI_Info, MPI_Request*);
  *(void**)&own = dlsym(RTLD_NEXT, "PMPI_Alltoallv_init");
  return noted(own(given, sent, from, given_type, got, received, to, got_type, comm, info, request), request);
}

int PMPI_Ibcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request) {
  int (*own)(void*, int, MPI_Datatype, int, MPI_Comm, MPI_Request*);
  *(void**)&own = dlsym(RTLD_NEXT, "PMPI_Ibcast");
  usleep(microseconds);
  return own(data, count, type, root, comm, request);
}

int PMPI_Start(MPI_Request* request) {
  int (*own)(MPI_Request*);
  int i;
  *(void**)&own = dlsym(RTLD_NEXT, "PMPI_Start");
  for (i = 0; i < made; ++i)
    if (slow[i] == *request) usleep(microseconds);
  return own(request);
}
