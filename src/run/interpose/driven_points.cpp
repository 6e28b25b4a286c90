// The entry points in which a program waits, or asks whether something is done. While nonblocking
// collectives are under way by plans of ours they are driven on meanwhile; else a call goes on as
// it came. Which functions these are the table of all functions says; what is not here by its name
// follows from that.

#include "run/calls/freeing.hpp"
#include "run/calls/named_handles.hpp"
#include "run/interpose/any_points.hpp"
#include "run/online/measured_requests.hpp"
#include "run/process/process.hpp"
#include "run/requests/driven.hpp"
#include "run/requests/persistent.hpp"

using tutti::interpose::size_of;
using tutti::interpose::size_of_one;
using tutti::run::Word;
using namespace tutti::run;

// Does `how` while something is under way.
#define TUTTI_DRIVEN(mpi_name, arguments, sent, how) TUTTI_POINT(mpi_name, arguments, sent, drives(), how)
// Passes a call on as it came, after a look at what is under way.
#define TUTTI_ASKS(mpi_name, arguments, moved) TUTTI_DRIVEN(mpi_name, arguments, moved, (progress(), pass()))
// Passes a call on as it came, in which the MPI library blocks.
#define TUTTI_BLOCKS(mpi_name, arguments, moved) \
  TUTTI_DRIVEN(mpi_name, arguments, moved, blocking(MPI_COMM_NULL, pass))
#define TUTTI_MEETS(mpi_name, arguments, comm) TUTTI_DRIVEN(mpi_name, arguments, 0, blocking(comm, pass))
// Begins to make a communicator from `comm`, behind the collectives there that begin later than
// they were started, and prepares it for calls that return at once.
#define TUTTI_FOLLOWS(mpi_name, arguments, comm, made, request)                    \
  TUTTI_POINT(mpi_name, arguments, 0, !memo.inside && tutti::interpose::is_ours(), \
              duplicated(comm, made, request, pass))
// Passes a call on as TUTTI_MEETS does, and prepares the communicator that it makes from `comm` for
// calls that return at once: it may see no others. From version 5 on Open MPI takes numbers of
// communicators from the launcher, and drives nothing on while it waits for that.
#define TUTTI_CREATES(mpi_name, arguments, comm, made)                             \
  TUTTI_POINT(mpi_name, arguments, 0, !memo.inside && tutti::interpose::is_ours(), \
              welcomed(blocking(comm, pass, true), comm, made))
// Frees a communicator; does `how` with `comm` while something is under way.
#define TUTTI_FREES(mpi_name, how)                                         \
  TUTTI_POINT(mpi_name, 1, 0, !memo.inside && tutti::interpose::is_ours(), \
              freed(a, [&]([[maybe_unused]] MPI_Comm comm) { return drives() ? how : pass(); }))

namespace {

int welcomed(int error, MPI_Comm from, const MPI_Comm* made) {
  Process* process = error == MPI_SUCCESS ? Process::instance() : nullptr;
  if (process) process->welcome(from, *made);
  return error;
}

template <typename Pass>
int duplicated(MPI_Comm from, MPI_Comm* made, MPI_Request* request, Pass&& pass) {
  begin_held_calls_of(from);
  Process* process = Process::running();
  return process ? process->duplicate(from, made, request, pass) : pass();
}

template <typename Free>
int freed(const MPI_Comm* comm, Free&& free) {
  if (!comm || *comm == MPI_COMM_NULL) return free(MPI_COMM_NULL);
  if (Process* process = Process::running()) process->forsake(*comm);
  const Freeing freeing(*comm);
  return free(*comm);
}

}  // namespace

#include "points.inc"

// Calls the MPI library's own function of a name, which every library has that has the one in whose
// place it is called.
#define TUTTI_CALL(mpi_name, ...)                                  \
  [&] {                                                            \
    static constinit const NextNative<void*> there{"P" #mpi_name}; \
    return tutti::run::pass_on(there.get(), __VA_ARGS__);          \
  }()

// Messages, with counts as int and as large ones.
#define TUTTI_SENDS(mpi_name, nonblocking, suffix, Count)                           \
  TUTTI_DRIVEN(mpi_name##suffix, 6, size_of<Count>(b, c),                           \
               started(MPI_STATUS_IGNORE, [&](MPI_Request* request) {               \
                 return TUTTI_CALL(nonblocking##suffix, a, b, c, d, e, f, request); \
               }))
#define TUTTI_MESSAGES(suffix, Count)                                                                       \
  TUTTI_SENDS(MPI_Send, MPI_Isend, suffix, Count)                                                           \
  TUTTI_SENDS(MPI_Ssend, MPI_Issend, suffix, Count)                                                         \
  TUTTI_SENDS(MPI_Rsend, MPI_Irsend, suffix, Count)                                                         \
  TUTTI_DRIVEN(MPI_Recv##suffix, 7, 0, started(g, [&](MPI_Request* request) {                               \
                 return TUTTI_CALL(MPI_Irecv##suffix, a, b, c, d, e, f, request);                           \
               }))                                                                                          \
  TUTTI_DRIVEN(MPI_Mrecv##suffix, 5, 0, started(e, [&](MPI_Request* request) {                              \
                 return TUTTI_CALL(MPI_Imrecv##suffix, a, b, c, d, request);                                \
               }))                                                                                          \
  TUTTI_DRIVEN(MPI_Sendrecv##suffix, 12, size_of<Count>(b, c),                                              \
               exchanged(                                                                                   \
                   l, [&](MPI_Request* in) { return TUTTI_CALL(MPI_Irecv##suffix, f, g, h, i, j, k, in); }, \
                   [&](MPI_Request* out) { return TUTTI_CALL(MPI_Isend##suffix, a, b, c, d, e, k, out); }))

#define TUTTI_REPLACES(suffix, Count)                                                                 \
  TUTTI_DRIVEN(MPI_Sendrecv_replace##suffix, 9, size_of<Count>(b, c),                                 \
               can_be_packed(static_cast<Count>(b), c) ? exchange_in_place(a, b, c, d, e, f, g, h, i) \
                                                       : blocking(MPI_COMM_NULL, pass))

TUTTI_MESSAGES(, int)
TUTTI_REPLACES(, int)
TUTTI_DRIVEN(MPI_Probe, 4, 0, drive_until([&](int* done) { return PMPI_Iprobe(a, b, c, done, d); }))
TUTTI_DRIVEN(MPI_Mprobe, 5, 0, drive_until([&](int* done) { return PMPI_Improbe(a, b, c, done, d, e); }))

// What completes requests: `requests`, of which there are `count`, may be of calls that are timed.
#define TUTTI_COMPLETES(mpi_name, arguments, count, requests, how)  \
  TUTTI_POINT(mpi_name, arguments, 0, drives() || times_requests(), \
              timed_for(count, requests, [&] { return drives() ? how : pass(); }))
#define TUTTI_TESTS(mpi_name, arguments, count, requests) \
  TUTTI_COMPLETES(mpi_name, arguments, count, requests, (InWait(), progress(), pass()))

TUTTI_COMPLETES(MPI_Wait, 2, 1, a, wait(a, b))
TUTTI_COMPLETES(MPI_Waitall, 3, a, b, wait_for_all(a, b, c))
TUTTI_COMPLETES(MPI_Waitany, 4, a, b, wait_for_any(a, b, c, d))
TUTTI_COMPLETES(MPI_Waitsome, 5, a, b, wait_for_some(a, b, c, d, e))
TUTTI_TESTS(MPI_Test, 3, 1, a)
TUTTI_TESTS(MPI_Testall, 4, a, b)
TUTTI_TESTS(MPI_Testany, 5, a, b)
TUTTI_TESTS(MPI_Testsome, 5, a, b)

// Handles that calls under way, or to be started again, still need go with the last of these.
TUTTI_POINT(MPI_Type_free, 1, 0, may_be_named() && take_type(a), MPI_SUCCESS)
TUTTI_POINT(MPI_Op_free, 1, 0, may_be_named() && take_op(a), MPI_SUCCESS)
// What ranks tell each other on a communicator ends before it is freed: MPICH frees one on which
// something is under way when that is complete, in the middle of a look at it.
TUTTI_FREES(MPI_Comm_free, (finish_errands_before(comm), pass()))
TUTTI_FREES(MPI_Comm_disconnect, blocking(comm, pass))

// Requests that are started again, of persistent collectives among them.
TUTTI_POINT(MPI_Start, 1, 0, any_persistent() && !memo.inside, start_persistent(a))
TUTTI_POINT(MPI_Startall, 2, 0, any_persistent() && !memo.inside, start_all_persistent(a, b))
TUTTI_POINT(MPI_Request_free, 1, 0, any_persistent() && !memo.inside, free_persistent(a))

#ifdef TUTTI_DEFINES_MPI_4
TUTTI_MESSAGES(_c, MPI_Count)
TUTTI_REPLACES(_c, MPI_Count)
#endif
