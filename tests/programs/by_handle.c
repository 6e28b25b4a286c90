/* Who asks decides what RTLD_NEXT means, with a library between that answers for everybody: a library
   of this file asks for the function that comes after its own, and the program for its own and for
   MPI's by a handle, among them one that the MPI library may not have. */
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
  /* What the library lacks nobody else has, whatever its version is. */
  if (mpi) printf("%s large counts\n", dlsym(mpi, "MPI_Bcast_c") ? "has" : "has no");
  printf("%c, initialized %d, %s\n", toupper('a'), flag, dlsym(RTLD_DEFAULT, "no_such_function") ? "wrong" : "right");
}
#endif
