/* Preloaded into programs of MPICH that have more ranks than processors: it waits busily in UCX, and a rank that waits
   keeps the processor from the one that it waits for, for as long as the system lets it. Here a rank that has looked
   for messages some times in vain lets others run. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>

unsigned ucp_worker_progress(void* worker) {
  static unsigned (*next)(void*);
  static _Thread_local unsigned in_vain;
  const unsigned patience = 20;
  if (!next) next = (unsigned (*)(void*))dlsym(RTLD_NEXT, "ucp_worker_progress");
  if (!next) {
    /* UCX has been loaded for an MPI alone that a program has opened for itself. */
    void* ucx = dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD);
    next = (unsigned (*)(void*))dlsym(ucx, "ucp_worker_progress");
  }
  const unsigned events = next(worker);
  if (events) {
    in_vain = 0;
  } else if (++in_vain > patience) {
    sched_yield();
  }
  return events;
}
