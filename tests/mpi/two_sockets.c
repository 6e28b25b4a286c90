/* Stands in for hosts whose sockets have two processors each: by the rank on its host a process is
   bound to one of them, or where UNBOUND is set, may run on all. Put behind Tutti, which asks the
   system. */

#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <dlfcn.h>

int sched_getaffinity(pid_t process, size_t bytes, cpu_set_t* set) {
  (void)process;
  const char* rank = getenv("OMPI_COMM_WORLD_LOCAL_RANK");
  if (!rank) rank = getenv("MPI_LOCALRANKID");
  const int bound = rank ? atoi(rank) : 0;
  CPU_ZERO_S(bytes, set);
  for (int processor = 0; processor < 16; ++processor)
    if (getenv("UNBOUND") || processor == bound) CPU_SET_S(processor, bytes, set);
  return 0;
}

static FILE* opened(const char* function, const char* path, const char* mode) {
  int processor = 0, end = 0;
  sscanf(path, "/sys/devices/system/cpu/cpu%d/topology/core_siblings_list%n", &processor, &end);
  if (end == 0 || path[end] != '\0') {
    FILE* (*next)(const char*, const char*);
    *(void**)&next = dlsym(RTLD_NEXT, function);
    return next(path, mode);
  }
  FILE* file = fdopen(memfd_create("siblings", 0), "w+");
  fprintf(file, "%d-%d\n", processor / 2 * 2, processor / 2 * 2 + 1);
  rewind(file);
  return file;
}

/* What the C++ library calls depends on its version. */
FILE* fopen(const char* path, const char* mode) {
  return opened("fopen", path, mode);
}

FILE* fopen64(const char* path, const char* mode) {
  return opened("fopen64", path, mode);
}
