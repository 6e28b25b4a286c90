/* HMPI_Gather and HMPI_Scatter: MPI_Gather and MPI_Scatter as series of smaller ones where a single one would stall.

   On switched clusters with TCP a gather of medium messages (more than M1 bytes a rank, up to M2) overflows a queue on its way
   to the root and waits for retransmissions; a scatter leaps to a slower line above S bytes. HMPI_Gather then gathers pieces of
   at most M1 bytes with barriers between them, HMPI_Scatter scatters pieces of at most S. All other messages go as they are.
   `tutti probe --collective gather,scatter` finds M1, M2 and S; HMPI_GATHER_M1, HMPI_GATHER_M2 and HMPI_SCATTER_S hold them, in
   bytes, or the program calls HMPI_Set_thresholds. All ranks need the same. Without them nothing is split.

   They take MPI's arguments, all of them, and return its error codes. C99 or C++, any MPI; nothing to link.

   Source: Lastovetsky, O'Flynn, Rychkov, Optimization of Collective Communications in HeteroMPI, 2007. */

#ifndef TUTTI_HMPI_H
#define TUTTI_HMPI_H

#include <mpi.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  long gather_m1, gather_m2, scatter_s; /* bytes; 0: not known */
} HMPI_Thresholds;

/* One object in a program of several files, even with hidden symbols: what one sets holds in all. */
extern HMPI_Thresholds HMPI_thresholds_of_program __attribute__((weak, visibility("default")));
HMPI_Thresholds HMPI_thresholds_of_program = {-1, 0, 0};

static inline long HMPI_bytes_in(const char* variable) {
  const char* text = getenv(variable);
  const long bytes = text ? atol(text) : 0;
  return bytes > 0 ? bytes : 0;
}

/* Several threads may come here first: gather_m1, which says that the others are there, is written last. */
static inline HMPI_Thresholds* HMPI_thresholds(void) {
  HMPI_Thresholds* all = &HMPI_thresholds_of_program;
  if (__atomic_load_n(&all->gather_m1, __ATOMIC_ACQUIRE) < 0) {
    __atomic_store_n(&all->gather_m2, HMPI_bytes_in("HMPI_GATHER_M2"), __ATOMIC_RELAXED);
    __atomic_store_n(&all->scatter_s, HMPI_bytes_in("HMPI_SCATTER_S"), __ATOMIC_RELAXED);
    __atomic_store_n(&all->gather_m1, HMPI_bytes_in("HMPI_GATHER_M1"), __ATOMIC_RELEASE);
  }
  return all;
}

/* Bytes; 0: no splitting. On all ranks alike. */
static inline void HMPI_Set_thresholds(long gather_m1, long gather_m2, long scatter_s) {
  HMPI_Thresholds* all = HMPI_thresholds();
  all->gather_m1 = gather_m1 > 0 ? gather_m1 : 0;
  all->gather_m2 = gather_m2 > 0 ? gather_m2 : 0;
  all->scatter_s = scatter_s > 0 ? scatter_s : 0;
}

/* Whether elements of the type lie in memory as they travel. Of types that are made of several parts that is not known: without
   gaps these may still follow each other in another order, or overlap. What is made of no type is MPI's own, also where it has no
   name, as Fortran's reals of some precision; it is not to be freed. */
static inline int HMPI_is_dense(MPI_Datatype type) {
  MPI_Aint lb, extent, address;
  MPI_Datatype inner = MPI_DATATYPE_NULL;
  int size, integers, addresses, types = 1, combiner = MPI_UNDEFINED, count, dense;
  MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  if (types == 0) {
    MPI_Type_size(type, &size);
    MPI_Type_get_extent(type, &lb, &extent);
    return lb == 0 && extent == size;
  }
  if (combiner != MPI_COMBINER_CONTIGUOUS && combiner != MPI_COMBINER_DUP) return 0;
  MPI_Type_get_contents(type, integers, addresses, types, &count, &address, &inner);
  dense = HMPI_is_dense(inner);
  MPI_Type_get_envelope(inner, &integers, &addresses, &types, &combiner);
  if (types > 0) MPI_Type_free(&inner);
  return dense;
}

/* `bytes` of each of the ranks' blocks, which are `block` bytes apart: one element a rank. */
static inline int HMPI_piece_type(int bytes, MPI_Aint block, MPI_Datatype* type) {
  MPI_Datatype piece;
  int error = MPI_Type_contiguous(bytes, MPI_BYTE, &piece);
  if (error != MPI_SUCCESS) return error;
  error = MPI_Type_create_resized(piece, 0, block, type);
  MPI_Type_free(&piece);
  return error == MPI_SUCCESS ? MPI_Type_commit(type) : error;
}

/* One rank's block, and at the root all ranks': `whole` has them one after another. In place the root's block is where it
   belongs. */
static inline int HMPI_series(int gather, char* own, int in_place, char* whole, int block, int piece, int root,
                              MPI_Comm comm) {
  int rank, error = MPI_SUCCESS;
  MPI_Comm_rank(comm, &rank);
  for (int at = 0; at < block && error == MPI_SUCCESS; at += piece) {
    const int bytes = block - at < piece ? block - at : piece;
    MPI_Datatype pieces = MPI_BYTE;
    if (rank == root && (error = HMPI_piece_type(bytes, block, &pieces)) != MPI_SUCCESS) return error;
    void* mine = in_place ? MPI_IN_PLACE : (void*)(own + at);
    void* all = rank == root ? (void*)(whole + at) : NULL;
    if (gather) {
      if (at > 0) MPI_Barrier(comm);
      error = MPI_Gather(mine, bytes, MPI_BYTE, all, 1, pieces, root, comm);
    } else {
      error = MPI_Scatter(all, 1, pieces, mine, bytes, MPI_BYTE, root, comm);
    }
    if (rank == root) MPI_Type_free(&pieces);
  }
  return error;
}

/* m pieces such that each is at most `threshold` and m − 1 would not do. */
static inline int HMPI_piece(long bytes, long threshold) {
  const long pieces = (bytes + threshold - 1) / threshold;
  return (int)((bytes + pieces - 1) / pieces);
}

/* Whether a call whose rank's block is `count` elements of `type` is to be split; then the block's bytes. */
static inline int HMPI_splits(MPI_Comm comm, int count, MPI_Datatype type, long above, long up_to, int* rank, int* ranks,
                              int* block) {
  int size, inter;
  if (above == 0 || MPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS || inter) return 0;
  MPI_Comm_rank(comm, rank);
  MPI_Comm_size(comm, ranks);
  if (*ranks == 1 || MPI_Type_size(type, &size) != MPI_SUCCESS) return 0;
  const long bytes = (long)size * count;
  *block = (int)bytes;
  return bytes > above && (up_to == 0 || bytes <= up_to) && bytes <= 0x7fffffffL / *ranks;
}

/* Memory for what is packed, or what is given if nothing is; NULL where there is none left. */
static inline char* HMPI_room(int packs, size_t bytes, const void* given) {
  return packs ? (char*)malloc(bytes) : (char*)given;
}

/* MPI_Gather; messages between M1 and M2 bytes in pieces of at most M1, with barriers between them. */
static inline int HMPI_Gather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                              MPI_Datatype recvtype, int root, MPI_Comm comm) {
  const HMPI_Thresholds* limits = HMPI_thresholds();
  const int in_place = sendbuf == MPI_IN_PLACE;
  int rank, ranks, block, error = MPI_SUCCESS;
  if (!HMPI_splits(comm, in_place ? recvcount : sendcount, in_place ? recvtype : sendtype, limits->gather_m1,
                   limits->gather_m2, &rank, &ranks, &block))
    return MPI_Gather((void*)sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);

  const int pack = !in_place && !HMPI_is_dense(sendtype), unpack = rank == root && !HMPI_is_dense(recvtype);
  char* own = HMPI_room(pack, (size_t)block, sendbuf);
  char* whole = HMPI_room(unpack, (size_t)block * (size_t)ranks, recvbuf);
  MPI_Aint lb, extent;
  int position = 0;
  if ((pack && !own) || (unpack && !whole)) MPI_Abort(comm, MPI_ERR_NO_MEM); /* the others have begun */
  if (pack) MPI_Pack((void*)sendbuf, sendcount, sendtype, own, block, &position, comm);
  if (unpack) MPI_Type_get_extent(recvtype, &lb, &extent);
  if (unpack && in_place) {
    position = rank * block;
    MPI_Pack((char*)recvbuf + extent * recvcount * rank, recvcount, recvtype, whole, block * ranks, &position, comm);
  }
  error = HMPI_series(1, own, in_place, whole, block, HMPI_piece(block, limits->gather_m1), root, comm);
  position = 0;
  for (int i = 0; unpack && error == MPI_SUCCESS && i < ranks; ++i)
    error = MPI_Unpack(whole, block * ranks, &position, (char*)recvbuf + extent * recvcount * i, recvcount, recvtype, comm);
  if (pack) free(own);
  if (unpack) free(whole);
  return error;
}

/* MPI_Scatter; messages above S bytes in pieces of at most S. */
static inline int HMPI_Scatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                               MPI_Datatype recvtype, int root, MPI_Comm comm) {
  const HMPI_Thresholds* limits = HMPI_thresholds();
  const int in_place = recvbuf == MPI_IN_PLACE;
  int rank, ranks, block, error = MPI_SUCCESS;
  if (!HMPI_splits(comm, in_place ? sendcount : recvcount, in_place ? sendtype : recvtype, limits->scatter_s, 0, &rank, &ranks,
                   &block))
    return MPI_Scatter((void*)sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);

  const int unpack = !in_place && !HMPI_is_dense(recvtype), pack = rank == root && !HMPI_is_dense(sendtype);
  char* own = HMPI_room(unpack, (size_t)block, recvbuf);
  char* whole = HMPI_room(pack, (size_t)block * (size_t)ranks, sendbuf);
  int position = 0;
  if ((unpack && !own) || (pack && !whole)) MPI_Abort(comm, MPI_ERR_NO_MEM); /* the others have begun */
  if (pack) {
    MPI_Aint lb, extent;
    MPI_Type_get_extent(sendtype, &lb, &extent);
    for (int i = 0; error == MPI_SUCCESS && i < ranks; ++i)
      error = MPI_Pack((char*)sendbuf + extent * sendcount * i, sendcount, sendtype, whole, block * ranks, &position, comm);
  }
  if (error == MPI_SUCCESS)
    error = HMPI_series(0, own, in_place, whole, block, HMPI_piece(block, limits->scatter_s), root, comm);
  position = 0;
  if (unpack && error == MPI_SUCCESS) error = MPI_Unpack(own, block, &position, recvbuf, recvcount, recvtype, comm);
  if (unpack) free(own);
  if (pack) free(whole);
  return error;
}

#ifdef __cplusplus
}
#endif

#endif
