/* Has an MPI library say that it has MPI 3.1, whatever it has, and brings none along. */

int PMPI_Get_version(int* version, int* subversion) {
  *version = 3;
  *subversion = 1;
  return 0;
}
int MPI_Get_version(int* version, int* subversion) { return PMPI_Get_version(version, subversion); }
