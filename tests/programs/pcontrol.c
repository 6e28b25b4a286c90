/* MPI_Pcontrol as programs call it for the profilers that they were written for: with names and without, with numbers, nested,
   ended in another order than begun, with words for names that point nowhere. Outside MPI both libraries end the program. */

#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int sum(void) {
  int one = 1, all = 0;
  MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

static void calls(int count) {
  char byte = 1;
  for (; count > 0; --count) MPI_Bcast(&byte, 1, MPI_CHAR, 0, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  int rank, i, size;
  long page = sysconf(_SC_PAGESIZE);
  char* edge;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  size = sum();
  MPI_Pcontrol(0); /* mpiP's users switch off, and on again for what matters */
  calls(1000);
  MPI_Pcontrol(1);
  calls(1);
  MPI_Pcontrol(2);
  MPI_Pcontrol(1, "solve"); /* IPM's and Intel's */
  calls(2);
  MPI_Pcontrol(1, "exchange");
  calls(3);
  MPI_Pcontrol(1, "solve"); /* it is under way */
  calls(1);
  MPI_Pcontrol(-1, "exchange");
  calls(4);
  MPI_Pcontrol(1, "exchange");
  MPI_Pcontrol(-1, "solve"); /* ends both */
  calls(5);
  MPI_Pcontrol(7); /* Application Performance Snapshot's */
  calls(6);
  MPI_Pcontrol(-7);
  MPI_Pcontrol(-9); /* has not begun */
  MPI_Pcontrol(-1, "nothing of that name");
  calls(7);
  /* No names: nothing, nowhere, not printable, too long, an empty one. */
  MPI_Pcontrol(1, (char*)0);
  MPI_Pcontrol(1, (char*)1);
  MPI_Pcontrol(1, (char*)~0ul);
  MPI_Pcontrol(1, "\x80\xff");
  MPI_Pcontrol(1, "a name that is longer than those are that anybody would give to a phase of a program");
  MPI_Pcontrol(1, "");
  calls(8);
  /* The last text of a page behind which there is no memory, ended and not. */
  edge = mmap(0, (size_t)(2 * page), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  munmap(edge + page, (size_t)page);
  memcpy(edge + page - 5, "edge", 5);
  MPI_Pcontrol(1, edge + page - 5);
  calls(9);
  MPI_Pcontrol(-1, edge + page - 5);
  edge[page - 1] = 'x';
  MPI_Pcontrol(1, edge + page - 5);
  calls(10);
  for (i = 0; i < 100000; ++i) MPI_Pcontrol(3);
  printf("rank %d of %d\n", rank, size);
  MPI_Finalize();
  return 0;
}
