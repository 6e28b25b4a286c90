/* ORT: orthogonal processor groups for group-SPMD programs on MPI.

   The processes of a communicator are arranged in a grid of any number of dimensions. A section runs a function on groups of
   them: a selection says for each dimension whether a group runs along it (ORT_ALL), whether the groups at all its positions
   work beside each other (ORT_PARALLEL), or that only those at one position k work. Every process of a selected group calls the
   function with the group's communicator. Sections may follow each other with different selections, so that groups of one
   partition work on their own and then exchange across the other.

   Positions follow MPI_Cart_create: the last dimension varies fastest with the rank in the communicator. Processes beyond the
   product of the sizes are idle: sections return at once there.

   In two dimensions {k, ORT_ALL} is the vertical group (column) k, and {ORT_ALL, k} the horizontal group (row) k:

       ORT_Structure ort;
       int sizes[2] = {columns, rows};
       ORT_Init(2, sizes, MPI_COMM_WORLD, &ort);
       ORT_Horall_section(work_in_a_row, &data, ort);
       ORT_Vertall_section(exchange_in_a_column, &data, ort);
       ORT_Finalize(ort);

   All functions return ORT_SUCCESS or an error's number, of which ORT_Error_string says more; on an error nothing was done.
   Errors of MPI itself go to the error handler of the communicator first. A structure may be used by one thread at a time.
   C99 or C++; MPI 3.

   Source: Rauber, Reilein, Rünger, ORT - A Communication Library for Orthogonal Processor Groups, 2001. */

#ifndef ORTHO_H
#define ORTHO_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A grid of processes and the communicators of its groups. Copies name the same grid. */
typedef struct {
  long id;
} ORT_Structure;

/* In selections, instead of a position. */
enum { ORT_ALL = -1, ORT_PARALLEL = -2 };

/* What queries give where there is no position. */
enum { ORT_NONE = -3 };

/* Dimensions a structure may have at most. */
enum { ORT_MAX_DIMENSIONS = 62 };

enum {
  ORT_SUCCESS = 0,
  ORT_ERR_MPI_STATE,  /* MPI is not initialized, or finalized */
  ORT_ERR_STRUCTURE,  /* no structure: never initialized, or finalized */
  ORT_ERR_DIMENSION,  /* the number of dimensions is below 1, above ORT_MAX_DIMENSIONS, or not the structure's */
  ORT_ERR_SIZES,      /* a size below 1, or more positions than processes */
  ORT_ERR_SELECTION,  /* neither ORT_ALL nor ORT_PARALLEL nor a position of the grid */
  ORT_ERR_COORDINATES, /* no position of the grid */
  ORT_ERR_COMM,       /* MPI_COMM_NULL or an intercommunicator */
  ORT_ERR_ARGUMENT,   /* a null pointer */
  ORT_ERR_MISMATCH,   /* the processes of the communicator do not ask for the same grid */
  ORT_ERR_IDLE,       /* the calling process is beyond the product of the sizes */
  ORT_ERR_NO_SECTION, /* no section is being executed by the calling process */
  ORT_ERR_IN_SECTION, /* the structure is in use by a section */
  ORT_ERR_MEMORY,     /* out of memory */
  ORT_ERR_MPI,        /* an MPI function failed */
  ORT_ERR_LAST
};

/* What an error's number means, as one sentence; never null. */
const char* ORT_Error_string(int error);

/* ---- Structures ---- */

/* A grid of proc_dim[0] x ... x proc_dim[dimension - 1] processes of `comm`. Collective over `comm`; all give the same. The
   communicators of all groups are made at once up to four dimensions, else when first used. */
int ORT_Init(int dimension, const int* proc_dim, MPI_Comm comm, ORT_Structure* ort);

/* Frees the structure and its communicators. Collective over the communicator it was made from; before MPI_Finalize. */
int ORT_Finalize(ORT_Structure ort);

/* ---- Sections ---- */

/* Runs f(arg, comm) on every process of the groups that `dim_select` names, `comm` being the communicator of the process' own
   group: ranks in it follow the group's positions, the last dimension fastest. What f returns is ignored. Other processes
   return at once; nobody waits for anybody. Sections may be nested, and f may make structures of its own from `comm`. A group
   of a structure of more than four dimensions that is used for the first time has to be entered by all its processes. */
int ORT_Section(int dimension, const int* dim_select, void* (*f)(void* arg, MPI_Comm comm), void* arg, ORT_Structure ort);

/* Two dimensions: {k, ORT_ALL}, column k alone. */
int ORT_Vertical_section(int k, void* (*f)(void* arg, MPI_Comm comm), void* arg, ORT_Structure ort);
/* {ORT_PARALLEL, ORT_ALL}: all columns beside each other. */
int ORT_Vertall_section(void* (*f)(void* arg, MPI_Comm comm), void* arg, ORT_Structure ort);
/* {ORT_ALL, k}: row k alone. */
int ORT_Horizontal_section(int k, void* (*f)(void* arg, MPI_Comm comm), void* arg, ORT_Structure ort);
/* {ORT_ALL, ORT_PARALLEL}: all rows beside each other. */
int ORT_Horall_section(void* (*f)(void* arg, MPI_Comm comm), void* arg, ORT_Structure ort);

/* ---- Queries; `ndims` is the number of the structure's dimensions, and the length of the arrays ---- */

/* For the group of the calling process among those selected: in dimensions of ORT_ALL the process' position in its group, else
   the group's position. All ORT_NONE if the process is in none of them. */
int ORT_Group_ranks(int ndims, const int* dim_select, int* ranks, ORT_Structure ort);

/* The communicator of the calling process' group; MPI_COMM_NULL if it is in none. It belongs to the structure. */
int ORT_Group_comm(int ndims, const int* dim_select, MPI_Comm* comm, ORT_Structure ort);

/* The number of processes of a selected group, and of the groups that work beside each other. */
int ORT_Group_size(int ndims, const int* dim_select, int* size, ORT_Structure ort);
int ORT_Group_count(int ndims, const int* dim_select, int* count, ORT_Structure ort);

/* The selection of the innermost section of this structure that the calling process executes. */
int ORT_Active(int ndims, int* dim_select, ORT_Structure ort);

int ORT_Dimensions(int* ndims, ORT_Structure ort);

/* The number of positions of each dimension. */
int ORT_Sizes(int ndims, int* sizes, ORT_Structure ort);

/* The position of the calling process. */
int ORT_Coordinates(int ndims, int* coordinates, ORT_Structure ort);

/* The rank, in the communicator the structure was made from, of the process at a position. */
int ORT_Rank(int ndims, const int* coordinates, int* rank, ORT_Structure ort);

/* 1 if the calling process is beyond the product of the sizes, else 0. */
int ORT_Is_idle(int* idle, ORT_Structure ort);

#ifdef __cplusplus
}
#endif

#endif
