/* What programs may ask Tutti, and tell it. For those that want to: no program needs it.

   Tutti is preloaded (tutti run) or linked in (simulated programs). This header is all that a program needs to speak to it:
   nothing is linked, and where Tutti is not there the functions do nothing and say TUTTI_NOT_LOADED. C99 or C++
   (tutti/tutti.hpp has a face for that), any MPI.

   Operations are named as everywhere in Tutti: "bcast", "iallreduce", "allgather_init"; plans are texts such as "ring" or
   "grid(node)[binomial]" (docs/research.md). Sizes are bytes, as `tutti list` says of each operation. All functions but those that
   say otherwise are local: no other rank has to call them. They may be called from any thread that may call MPI, those about a
   communicator while no other thread is in a collective on it.

   The interface only grows at its end: a program built with an older header runs with every later library. */

#ifndef TUTTI_TUTTI_H
#define TUTTI_TUTTI_H

#include <mpi.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum tutti_status {
  TUTTI_SUCCESS = 0,
  TUTTI_NOT_LOADED = 1, /* Tutti is not in this process, or switched off, or older than what is asked */
  TUTTI_NOT_RUNNING,    /* MPI is not initialized yet, or already finalized */
  TUTTI_NO_OPERATION,   /* there is no operation of that name */
  TUTTI_NO_PLAN,        /* the plan's text is wrong, or it can't serve this communicator */
  TUTTI_NOT_SERVED,     /* calls on this communicator can only go natively: between groups, of one rank, of two worlds */
  TUTTI_NOT_ALIKE,      /* the ranks of the communicator said different things */
  TUTTI_NO_PHASE,       /* no phase has begun */
  TUTTI_FAILED          /* no memory, or the like */
};

/* What this rank has run of an operation by one plan so far, on all communicators together. */
struct tutti_use {
  const char* operation; /* "MPI_Bcast"; texts live until the visit returns */
  const char* plan;      /* "native (nothing gains)", as the statistics print it */
  unsigned long long calls;
  unsigned long long bytes; /* these two while calls are timed only */
  double seconds;           /* in the calls, of this rank */
};
typedef void tutti_visit_use(const struct tutti_use* use, void* context);

/* A variable of the environment that Tutti reads. */
struct tutti_setting {
  const char* name;    /* "TUTTI_TABLE" */
  const char* value;   /* as this process was started with it; null: not set */
  const char* meaning; /* a sentence */
};
typedef void tutti_visit_setting(const struct tutti_setting* setting, void* context);

/* What the library hands out. Programs use the functions below. */
struct tutti_interface {
  size_t size; /* of this structure, as the library knows it */
  const char* version;
  const char* (*error)(void);
  int (*set_plan)(MPI_Comm comm, const char* operation, const char* plan);
  int (*get_plan)(MPI_Comm comm, const char* operation, size_t size, char* text, size_t capacity);
  int (*explain)(MPI_Comm comm, const char* operation, size_t size, char* text, size_t capacity);
  int (*time_calls)(int on);
  int (*visit_uses)(tutti_visit_use* visit, void* context);
  int (*visit_settings)(tutti_visit_setting* visit, void* context);
  int (*begin_phase)(const char* name);
  int (*end_phase)(void);
};

/* Looked up when the program is loaded. GCC has to be told to do so in programs at fixed addresses (-no-pie), too; with other compilers
   those don't find Tutti. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)
extern const struct tutti_interface* tutti_get_interface(void) __attribute__((weak, noplt));
#else
extern const struct tutti_interface* tutti_get_interface(void) __attribute__((weak));
#endif

static inline const struct tutti_interface* tutti_loaded(size_t with) {
  const struct tutti_interface* loaded = tutti_get_interface ? tutti_get_interface() : (const struct tutti_interface*)0;
  return loaded && loaded->size >= with ? loaded : (const struct tutti_interface*)0;
}

/* The interface if it has a function, as later ones may. */
#define TUTTI_LOADED(function) tutti_loaded(offsetof(struct tutti_interface, function) + sizeof(void (*)(void)))

/* Tutti's version, such as "0.1.0"; "" where it is not loaded. */
static inline const char* tutti_version(void) {
  const struct tutti_interface* loaded = TUTTI_LOADED(version);
  return loaded ? loaded->version : "";
}

/* What was wrong with this thread's last call of a function below that did not return TUTTI_SUCCESS: a sentence. */
static inline const char* tutti_error(void) {
  const struct tutti_interface* loaded = TUTTI_LOADED(error);
  return loaded ? loaded->error() : "Tutti is not loaded";
}

/* From the next call on, an operation on a communicator runs by that plan and nothing else: nothing is tried, no table asked.
   Null or "" gives it back to what serves it usually. Collective over the communicator: every rank has to say the same, which
   is looked at (one native allreduce of 16 bytes); if they do not, or the plan can't serve the communicator, nothing changes.
   Calls that this plan can't serve, such as a reduction with an operation that does not commute, run natively, are counted and
   reported. Copies of the communicator are others. */
static inline int tutti_set_plan(MPI_Comm comm, const char* operation, const char* plan) {
  const struct tutti_interface* loaded = TUTTI_LOADED(set_plan);
  return loaded ? loaded->set_plan(comm, operation, plan) : TUTTI_NOT_LOADED;
}

/* The plan that would serve a call of that size now, "native" or another, as text of at most `capacity` bytes with its end.
   Of a communicator on which no blocking collective has run yet nothing is known, nor, in a distributed graph, of an
   operation between neighbours before its first call: TUTTI_NOT_SERVED. */
static inline int tutti_get_plan(MPI_Comm comm, const char* operation, size_t size, char* text, size_t capacity) {
  const struct tutti_interface* loaded = TUTTI_LOADED(get_plan);
  return loaded ? loaded->get_plan(comm, operation, size, text, capacity) : TUTTI_NOT_LOADED;
}

/* Why that plan: a sentence such as "chosen by the program" or "native (not tuned for 6 ranks on one host)". */
static inline int tutti_explain(MPI_Comm comm, const char* operation, size_t size, char* text, size_t capacity) {
  const struct tutti_interface* loaded = TUTTI_LOADED(explain);
  return loaded ? loaded->explain(comm, operation, size, text, capacity) : TUTTI_NOT_LOADED;
}

/* Whether calls are timed from now on, and bytes counted, as with TUTTI_STATS=1: some 20 ns a call. */
static inline int tutti_time_calls(int on) {
  const struct tutti_interface* loaded = TUTTI_LOADED(time_calls);
  return loaded ? loaded->time_calls(on) : TUTTI_NOT_LOADED;
}

/* Calls visit(use, context) for every operation and plan that this rank has run. No other thread is in a collective meanwhile. */
static inline int tutti_statistics(tutti_visit_use* visit, void* context) {
  const struct tutti_interface* loaded = TUTTI_LOADED(visit_uses);
  return loaded ? loaded->visit_uses(visit, context) : TUTTI_NOT_LOADED;
}

/* Calls visit(setting, context) for every variable that Tutti reads. */
static inline int tutti_settings(tutti_visit_setting* visit, void* context) {
  const struct tutti_interface* loaded = TUTTI_LOADED(visit_settings);
  return loaded ? loaded->visit_settings(visit, context) : TUTTI_NOT_LOADED;
}

/* What follows belongs to a phase of the program, until that ends; phases nest. Profiles tell phases apart ("solve",
   "solve/exchange"). Of the whole process: phases of several threads are one another's. */
static inline int tutti_begin_phase(const char* name) {
  const struct tutti_interface* loaded = TUTTI_LOADED(begin_phase);
  return loaded ? loaded->begin_phase(name) : TUTTI_NOT_LOADED;
}
static inline int tutti_end_phase(void) {
  const struct tutti_interface* loaded = TUTTI_LOADED(end_phase);
  return loaded ? loaded->end_phase() : TUTTI_NOT_LOADED;
}

/* Names a communicator in profiles and statistics: MPI's own function, so that debuggers see it, too. */
static inline int tutti_name(MPI_Comm comm, const char* name) {
  return MPI_Comm_set_name(comm, name) == MPI_SUCCESS ? TUTTI_SUCCESS : TUTTI_NOT_RUNNING;
}

#ifdef __cplusplus
}
#endif

#endif
