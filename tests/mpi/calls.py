"""Calls every collective that Tutti serves from mpi4py, on buffers and on objects, and checks the results."""

from array import array

from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, ranks = comm.rank, comm.size
everybody = range(ranks)


def ints(values):
    return array("i", values)


def filled(count):
    return ints([-1] * count)


comm.Barrier()

numbers = ints(range(1000)) if rank == 0 else filled(1000)
comm.Bcast([numbers, MPI.INT], root=0)
assert numbers == ints(range(1000))

# Ten numbers from each rank.
own, everything = ints([rank] * 10), ints([r for r in everybody for _ in range(10)])
got = filled(10 * ranks)
comm.Allgather([own, MPI.INT], [got, MPI.INT])
assert got == everything
got = filled(10 * ranks)
comm.Gather([own, MPI.INT], [got, MPI.INT], root=ranks - 1)
assert rank != ranks - 1 or got == everything
got = filled(10)
comm.Scatter([everything, MPI.INT], [got, MPI.INT], root=0)
assert got == own

# r numbers from rank r.
counts, starts = list(everybody), [r * (r - 1) // 2 for r in everybody]
uneven = ints([r for r in everybody for _ in range(r)])
got = filled(len(uneven))
comm.Allgatherv([own, rank, MPI.INT], [got, counts, starts, MPI.INT])
assert got == uneven
got = filled(len(uneven))
comm.Gatherv([own, rank, MPI.INT], [got, counts, starts, MPI.INT], root=0)
assert rank != 0 or got == uneven
got = filled(rank)
comm.Scatterv([uneven, counts, starts, MPI.INT], [got, rank, MPI.INT], root=0)
assert got == ints([rank] * rank)

# Rank i sends 100 i + j to rank j.
given, expected = ints([100 * rank + r for r in everybody]), ints([100 * r + rank for r in everybody])
got = filled(ranks)
comm.Alltoall([given, MPI.INT], [got, MPI.INT])
assert got == expected
got = filled(ranks)
comm.Alltoallv([given, [1] * ranks, list(everybody), MPI.INT], [got, [1] * ranks, list(everybody), MPI.INT])
assert got == expected

places, types = [4 * r for r in everybody], [MPI.INT] * ranks
got = filled(ranks)
comm.Alltoallw([given, [1] * ranks, places, types], [got, [1] * ranks, places, types])
assert got == expected

# On a ring: one number to the rank before, another to the next.
ring = comm.Create_cart([ranks], periods=[True])
got = filled(2)
ring.Neighbor_alltoall([ints([10 * rank, 10 * rank + 1]), MPI.INT], [got, MPI.INT])
assert ranks < 3 or got == ints([10 * ((rank - 1) % ranks) + 1, 10 * ((rank + 1) % ranks)])

total = ranks * (ranks - 1) // 2
sums = array("d", [rank + 0.5] * 100)
comm.Allreduce(MPI.IN_PLACE, [sums, MPI.DOUBLE], op=MPI.SUM)
assert list(sums) == [total + ranks / 2] * 100
got = filled(10)
comm.Reduce([own, MPI.INT], [got, MPI.INT], op=MPI.SUM, root=0)
assert rank != 0 or got == ints([total] * 10)
comm.Scan([own, MPI.INT], [got, MPI.INT], op=MPI.SUM)
assert got == ints([rank * (rank + 1) // 2] * 10)
comm.Exscan([own, MPI.INT], [got, MPI.INT], op=MPI.SUM)
assert rank == 0 or got == ints([rank * (rank - 1) // 2] * 10)
comm.Reduce_scatter_block([everything, MPI.INT], [got, MPI.INT], op=MPI.SUM)
assert got == ints([rank * ranks] * 10)
comm.Reduce_scatter([everything, MPI.INT], [got, MPI.INT], [10] * ranks, op=MPI.SUM)
assert got == ints([rank * ranks] * 10)

assert comm.bcast({"a": [1, 2, 3]} if rank == 0 else None, root=0) == {"a": [1, 2, 3]}
assert comm.allgather(rank) == list(everybody)
assert comm.allreduce(rank, op=MPI.MAX) == ranks - 1
assert comm.alltoall([(rank, r) for r in everybody]) == [(r, rank) for r in everybody]
assert comm.scatter([str(r) for r in everybody] if rank == 0 else None, root=0) == str(rank)
words, sums = array("i", [7 if rank == 0 else -1] * 10), filled(10)
requests = [comm.Ibcast([words, MPI.INT], root=0), comm.Iallreduce([own, MPI.INT], [sums, MPI.INT], op=MPI.SUM)]
MPI.Request.Waitall(requests)
assert words == ints([7] * 10) and sums == ints([total] * 10)
if rank == 0:
    print("python: all right")
