! MPI_Pcontrol of Fortran programs: by mpif.h with a name that ends in a zero, as IPM's manual has it, and with one that does not;
! levels by mpi_f08 beside it.
program pcontrol
  implicit none
  include 'mpif.h'
  external :: without_names
  integer :: ierror, rank, i
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call begin_phase(1, 'solve'//char(0))
  do i = 1, 3
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
  end do
  call begin_phase(-1, 'solve'//char(0))
  call begin_phase(1, 'write   ')
  do i = 1, 4
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
  end do
  call begin_phase(-1, 'write   ')
  call without_names()
  print '(A,I0)', 'rank ', rank
  call MPI_Finalize(ierror)
contains
  subroutine begin_phase(level, name)
    integer :: level
    character(len=*) :: name
    external :: MPI_Pcontrol
    call MPI_Pcontrol(level, name)
  end subroutine
end program

subroutine without_names()
  use mpi_f08
  implicit none
  integer :: i
  call MPI_Pcontrol(0)
  do i = 1, 100
    call MPI_Barrier(MPI_COMM_WORLD)
  end do
  call MPI_Pcontrol(1)
  call MPI_Pcontrol(6)
  do i = 1, 5
    call MPI_Barrier(MPI_COMM_WORLD)
  end do
  call MPI_Pcontrol(-6)
end subroutine
