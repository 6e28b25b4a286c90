// The entry points in which a program waits, or asks whether something is done. While nonblocking collectives
// are under way by plans of ours they are driven on meanwhile; else a call goes on as it came.

#include "interpose/any_points.hpp"
#include "runtime/driven.hpp"
#include "runtime/persistent.hpp"

using tutti::interpose::size_of;
using tutti::interpose::Word;
using namespace tutti::runtime;

// Does `how` while something is under way.
#define TUTTI_DRIVEN(mpi_name, arguments, sent, how) TUTTI_POINT(mpi_name, arguments, sent, drives(), how)
// Does it as it came, after one look at what is under way.
#define TUTTI_LOOKS(mpi_name, arguments) TUTTI_DRIVEN(mpi_name, arguments, 0, (progress(), pass()))
// The same after what is under way is complete: in the MPI library it could not be driven on.
#define TUTTI_BLOCKS(mpi_name, arguments) TUTTI_DRIVEN(mpi_name, arguments, 0, (complete_own(), pass()))

// The same, and the communicator that it makes is prepared for calls that return at once: it may see no
// others.
#define TUTTI_MAKES_NEIGHBORS(mpi_name, arguments, made)                           \
  TUTTI_POINT(mpi_name, arguments, 0, !memo.inside && tutti::interpose::is_ours(), \
              (complete_own(), welcomed(pass(), made)))

namespace {

int welcomed(int error, const MPI_Comm* made) {
  Process* process = error == MPI_SUCCESS ? Process::instance() : nullptr;
  if (process) process->welcome(*made);
  return error;
}

}  // namespace

TUTTI_DRIVEN(Send, 6, size_of(b, c), send(PMPI_Isend, a, b, c, d, e, f))
TUTTI_DRIVEN(Ssend, 6, size_of(b, c), send(PMPI_Issend, a, b, c, d, e, f))
TUTTI_DRIVEN(Rsend, 6, size_of(b, c), send(PMPI_Irsend, a, b, c, d, e, f))
TUTTI_DRIVEN(Recv, 7, 0, receive(a, b, c, d, e, f, g))
TUTTI_DRIVEN(Mrecv, 5, 0, receive_matched(a, b, c, d, e))
TUTTI_DRIVEN(Sendrecv, 12, size_of(b, c), exchange(a, b, c, d, e, f, g, h, i, j, k, l))
TUTTI_DRIVEN(Sendrecv_replace, 9, size_of(b, c), exchange_in_place(a, b, c, d, e, f, g, h, i))
TUTTI_DRIVEN(Probe, 4, 0, probe(a, b, c, d))
TUTTI_DRIVEN(Mprobe, 5, 0, probe_matched(a, b, c, d, e))
TUTTI_DRIVEN(Wait, 2, 0, wait(a, b))
TUTTI_DRIVEN(Waitall, 3, 0, wait_for_all(a, b, c))
TUTTI_DRIVEN(Waitany, 4, 0, wait_for_any(a, b, c, d))
TUTTI_DRIVEN(Waitsome, 5, 0, wait_for_some(a, b, c, d, e))
TUTTI_LOOKS(Iprobe, 5)
TUTTI_LOOKS(Improbe, 6)
TUTTI_LOOKS(Test, 3)
TUTTI_LOOKS(Testall, 4)
TUTTI_LOOKS(Testany, 5)
TUTTI_LOOKS(Testsome, 5)
TUTTI_LOOKS(Request_get_status, 3)

// Collectives that only the MPI library serves.
TUTTI_BLOCKS(Comm_dup, 2)
TUTTI_BLOCKS(Comm_dup_with_info, 3)
TUTTI_BLOCKS(Comm_split, 4)
TUTTI_BLOCKS(Comm_split_type, 5)
TUTTI_BLOCKS(Comm_create, 3)
TUTTI_BLOCKS(Comm_create_group, 4)
TUTTI_BLOCKS(Comm_disconnect, 1)
TUTTI_BLOCKS(Cart_sub, 3)
TUTTI_MAKES_NEIGHBORS(Cart_create, 6, f)
TUTTI_MAKES_NEIGHBORS(Graph_create, 6, f)
TUTTI_MAKES_NEIGHBORS(Dist_graph_create, 9, i)
TUTTI_MAKES_NEIGHBORS(Dist_graph_create_adjacent, 10, j)
TUTTI_BLOCKS(Intercomm_create, 6)
TUTTI_BLOCKS(Intercomm_merge, 3)
#ifndef TUTTI_SIMULATED
TUTTI_BLOCKS(Comm_spawn, 8)
TUTTI_BLOCKS(Comm_accept, 5)
TUTTI_BLOCKS(Comm_connect, 5)
TUTTI_BLOCKS(Win_create, 6)
TUTTI_BLOCKS(Win_allocate, 6)
TUTTI_BLOCKS(Win_allocate_shared, 6)
TUTTI_BLOCKS(Win_create_dynamic, 3)
TUTTI_BLOCKS(Win_free, 1)
TUTTI_BLOCKS(Win_fence, 2)
TUTTI_BLOCKS(Win_start, 3)
TUTTI_BLOCKS(Win_complete, 1)
TUTTI_BLOCKS(Win_wait, 1)
TUTTI_BLOCKS(File_open, 5)
TUTTI_BLOCKS(File_close, 1)
TUTTI_BLOCKS(File_set_size, 2)
TUTTI_BLOCKS(File_preallocate, 2)
TUTTI_BLOCKS(File_set_view, 6)
TUTTI_BLOCKS(File_sync, 1)
TUTTI_BLOCKS(File_read_all, 5)
TUTTI_BLOCKS(File_write_all, 5)
TUTTI_BLOCKS(File_read_at_all, 6)
TUTTI_BLOCKS(File_write_at_all, 6)
TUTTI_BLOCKS(File_read_ordered, 5)
TUTTI_BLOCKS(File_write_ordered, 5)
#endif

// Handles that calls under way, or to be started again, still need go when there are none.
TUTTI_POINT(Type_free, 1, 0, needs_handles(), free_type_later(a))
TUTTI_POINT(Op_free, 1, 0, needs_handles(), free_op_later(a))

#if MPI_VERSION >= 4
// Of persistent collectives. Elsewhere there are none.
TUTTI_POINT(Start, 1, 0, any_persistent() && !memo.inside, start_persistent(a))
TUTTI_POINT(Startall, 2, 0, any_persistent() && !memo.inside, start_all_persistent(a, b))
TUTTI_POINT(Request_free, 1, 0, any_persistent() && !memo.inside, free_persistent(a))
#endif
