/* Stands in for the MPI libraries that have MPICH's handles: says in place of MPICH what STAND_IN_TEXT is, and that it has
   MPI STAND_IN_STANDARD. */

#include <stdlib.h>
#include <string.h>

int PMPI_Get_library_version(char* version, int* length) {
  const char* text = getenv("STAND_IN_TEXT");
  strcpy(version, text ? text : "");
  *length = (int)strlen(version);
  return 0;
}
int MPI_Get_library_version(char* version, int* length) { return PMPI_Get_library_version(version, length); }

int PMPI_Get_version(int* version, int* subversion) {
  const char* standard = getenv("STAND_IN_STANDARD");
  *version = standard ? atoi(standard) : 3;
  *subversion = 1;
  return 0;
}
