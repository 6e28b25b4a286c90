/* Stands in for hosts that have several sockets, NUMA domains and caches: by the rank on its host a
   process is bound to two processors, or where UNBOUND is set, may run on all. A socket has the
   processors of RANKS_OF_SOCKET ranks, or of two, and so have the other parts, of which there are
   none by default. Put behind Tutti, which asks the system. */

#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <dlfcn.h>

enum { all_processors = 64, processors_of_rank = 2 };

int sched_getaffinity(pid_t process, size_t bytes, cpu_set_t* set) {
  (void)process;
  const char* rank = getenv("OMPI_COMM_WORLD_LOCAL_RANK");
  if (!rank) rank = getenv("MPI_LOCALRANKID");
  const int bound = rank ? atoi(rank) : 0;
  CPU_ZERO_S(bytes, set);
  for (int processor = 0; processor < all_processors; ++processor)
    if (getenv("UNBOUND") || processor / processors_of_rank == bound) CPU_SET_S(processor, bytes, set);
  return 0;
}

/* Processors of a part; 0: there are none. */
static int size_of(const char* part, int ranks) {
  const char* const told = getenv(part);
  return processors_of_rank * (told ? atoi(told) : ranks);
}

static void print_range(char* text, int first, int size) {
  if (size > 0) sprintf(text, "%d-%d", first, first + size - 1);
}

static int is_whole(const char* path, int end) {
  return end > 0 && path[end] == '\0';
}

/* Whether a file is about parts of hosts, and then what it says. */
static int is_of_parts(const char* path, char* text) {
  const int of_socket = size_of("RANKS_OF_SOCKET", 2), of_numa = size_of("RANKS_OF_NUMA", 0),
            of_cache = size_of("RANKS_OF_CACHE", 0);
  int number = 0, index = 0, end = 0;
  *text = '\0';
  sscanf(path, "/sys/devices/system/cpu/cpu%d/topology/core_siblings_list%n", &number, &end);
  if (is_whole(path, end)) return print_range(text, number / of_socket * of_socket, of_socket), 1;
  sscanf(path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list%n", &number, &end);
  if (is_whole(path, end)) return sprintf(text, "%d", number), 1;
  sscanf(path, "/sys/devices/system/node/has_cpu%n", &end);
  if (is_whole(path, end)) return print_range(text, 0, of_numa ? all_processors / of_numa : 0), 1;
  sscanf(path, "/sys/devices/system/node/node%d/cpulist%n", &number, &end);
  if (is_whole(path, end)) return print_range(text, number * of_numa, of_numa), 1;
  sscanf(path, "/sys/devices/system/cpu/cpu%d/cache/index%d/level%n", &number, &index, &end);
  if (is_whole(path, end)) return sprintf(text, "%s", of_cache && index == 0 ? "3" : ""), 1;
  sscanf(path, "/sys/devices/system/cpu/cpu%d/cache/index%d/shared_cpu_list%n", &number, &index, &end);
  if (is_whole(path, end)) return print_range(text, of_cache ? number / of_cache * of_cache : 0, of_cache), 1;
  return 0;
}

static FILE* opened(const char* function, const char* path, const char* mode) {
  char text[64];
  if (!is_of_parts(path, text)) {
    FILE* (*next)(const char*, const char*);
    *(void**)&next = dlsym(RTLD_NEXT, function);
    return next(path, mode);
  }
  FILE* file = fdopen(memfd_create("parts", 0), "w+");
  fprintf(file, "%s\n", text);
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
