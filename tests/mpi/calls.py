"""Calls every collective that Tutti serves from mpi4py, on buffers and on objects, and checks the results."""

from array import array

from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, ranks = comm.rank, comm.size

numbers = array("i", range(1000)) if rank == 0 else array("i", [0] * 1000)
comm.Bcast([numbers, MPI.INT], root=0)
assert numbers == array("i", range(1000))

everything = array("i", [0] * (10 * ranks))
comm.Allgather([array("i", [rank] * 10), MPI.INT], [everything, MPI.INT])
assert list(everything) == [r for r in range(ranks) for _ in range(10)]

sums = array("d", [rank + 0.5] * 100)
comm.Allreduce(MPI.IN_PLACE, [sums, MPI.DOUBLE], op=MPI.SUM)
assert list(sums) == [ranks * (ranks - 1) / 2 + ranks / 2] * 100

assert comm.bcast({"a": [1, 2, 3]} if rank == 0 else None, root=0) == {"a": [1, 2, 3]}
assert comm.allgather(rank) == list(range(ranks))
assert comm.allreduce(rank, op=MPI.MAX) == ranks - 1
if rank == 0:
    print("python: all right")
