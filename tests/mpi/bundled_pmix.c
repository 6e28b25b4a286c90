/* Opens a component for itself alone, as Open MPI does, which has a PMIx of its own
 * (bundled_pmix_stand_in.c), and looks whether Tutti announces this rank by that. Usage:
 * bundled_pmix COMPONENT. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int version, subversion;
  MPI_Get_version(&version, &subversion); /* a program of MPI's */
  void* component = argc > 1 ? dlopen(argv[1], RTLD_LAZY | RTLD_LOCAL) : NULL;
  int (*puts_both)(void) = component ? (int (*)(void))dlsym(component, "puts_both") : NULL;
  printf("presence by a bundled PMIx: %s\n", puts_both && puts_both() ? "told" : "NOT TOLD");
  return 0;
}
