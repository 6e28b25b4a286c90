"""A program whose collective calls are known: 200 allreduces of 8 bytes, with a rank that comes 2 ms late to every fourth, 50
broadcasts of 4,000, and on pairs of ranks, a named communicator, 30 allgathers of 16 bytes a rank; on one without
a name 10 barriers."""

import time
from array import array

from mpi4py import MPI

comm = MPI.COMM_WORLD
one, sum_of = array("d", [1.0]), array("d", [0.0])
for call in range(200):
    if comm.rank == 0 and call % 4 == 0:
        time.sleep(0.002)
    comm.Allreduce([one, MPI.DOUBLE], [sum_of, MPI.DOUBLE])
numbers = array("i", [comm.rank] * 1000)
for _ in range(50):
    comm.Bcast([numbers, MPI.INT], root=0)
pairs = comm.Split(comm.rank // 2, comm.rank)
pairs.Set_name("pairs")
own, both = array("d", [1.0, 2.0]), array("d", [0.0] * 4)
for _ in range(30):
    pairs.Allgather([own, MPI.DOUBLE], [both, MPI.DOUBLE])
pairs.Free()
# Round the circle: 7 messages of 400 bytes a rank, and 5 nonblocking reductions.
following, before = (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size
hundred, got = array("i", range(100)), array("i", [0] * 100)
for _ in range(7):
    sent = comm.Isend([hundred, MPI.INT], following)
    comm.Recv([got, MPI.INT], before)
    sent.Wait()
for _ in range(5):
    comm.Iallreduce([one, MPI.DOUBLE], [sum_of, MPI.DOUBLE]).Wait()
unnamed = comm.Dup()
for _ in range(10):
    unnamed.Barrier()
