/* Who asks decides what RTLD_NEXT means, with a library between that answers for everybody: a library
   of this file asks for the function that comes after its own, and the program for its own and for
   MPI's by a handle. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#ifdef LIBRARY
/* Comes before the C library, which has a function of this name, too. */
int toupper(int c) {
  int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, "toupper");
  return next == toupper ? '!' : next(c);
}
#else
int toupper(int c);
int main(int argc, char** argv) {
  void* const mpi = dlopen(argv[1], RTLD_LAZY | RTLD_LOCAL);
  int (*initialized)(int*) = mpi ? (int (*)(int*))dlsym(mpi, "MPI_Initialized") : NULL;
  int flag = 1;
  if (initialized) initialized(&flag);
  printf("%c, initialized %d, %s\n", toupper('a'), flag, dlsym(RTLD_DEFAULT, "no_such_function") ? "wrong" : "right");
}
#endif
