/* A program of the standard's own ABI, whose handles are small numbers, and, with TUTTI_LIBRARY defined, as much of an
   MPI library behind that ABI as it needs: it says that it is MPICH, as MPICH's does, and takes only its own handles. */

#define WORLD ((void*)0x101)
#define BYTE ((void*)0x207)

int MPI_Init(int* argc, char*** argv);
int MPI_Bcast(void* buffer, int count, void* type, int root, void* comm);
int MPI_Finalize(void);

#ifdef TUTTI_LIBRARY

#include <stdio.h>
#include <string.h>

int MPI_Init(int* argc, char*** argv) {
  (void)argc, (void)argv;
  return 0;
}
int PMPI_Bcast(void* buffer, int count, void* type, int root, void* comm) {
  if (count != 4 || type != BYTE || root != 0 || comm != WORLD) return 1;
  memcpy(buffer, "here", 4);
  return 0;
}
int MPI_Bcast(void* buffer, int count, void* type, int root, void* comm) {
  return PMPI_Bcast(buffer, count, type, root, comm);
}
int PMPI_Finalize(void) {
  printf("standard ABI: all right\n");
  return 0;
}
int MPI_Finalize(void) {
  return PMPI_Finalize();
}
int PMPI_Get_library_version(char* version, int* length) {
  strcpy(version, "MPICH Version:      5.0.2\nMPICH ABI:          18:2:6\n");
  *length = (int)strlen(version);
  return 0;
}

#else

int main(int argc, char** argv) {
  char text[4] = "";
  if (MPI_Init(&argc, &argv) || MPI_Bcast(text, 4, BYTE, 0, WORLD) || text[0] != 'h') return 1;
  return MPI_Finalize();
}

#endif
