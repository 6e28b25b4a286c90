# Declares one test of the build tree, as all are but the unit tests:
#
#   tutti_test(NAME [ALONE] [SLOW | FAST] [MPI] [MAY_SKIP] [TIMEOUT SECONDS] [PROCESSORS N]
#              COMMAND …)
#
# Nothing runs beside a test that is ALONE, because it judges times or changes the system. Others
# run beside each other: their ranks give processors away when they wait. FAST and SLOW are labels
# of what one runs before each commit, and of what takes more than a few seconds; tests with MPI
# start ranks. One that keeps N PROCESSORS busy, as a build does, takes the place of as many others.
# With MAY_SKIP exit status 77 says that a test can't run here. The command finds the trees in
# BUILD_TREE and SOURCE_TREE. Open MPI takes ob1 on a machine without a fabric anyway; being told so
# spares each start a fifth of a second in which it looks for one. By default it asks the kernel
# which addresses are within reach, which answers nothing in some containers; their networks tell as
# well. It starts nothing for root unless told twice that it may, and its ranks give processors away
# when told to.
set(of_open_mpi OMPI_MCA_pml=ob1 OMPI_MCA_reachable=weighted OMPI_MCA_mpi_yield_when_idle=1
                OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1)
function(tutti_test NAME)
  cmake_parse_arguments(TEST "ALONE;FAST;SLOW;MPI;MAY_SKIP" "TIMEOUT;PROCESSORS" "COMMAND" ${ARGN})
  add_test(NAME ${NAME} COMMAND ${TEST_COMMAND})
  set(labels "")
  foreach(label FAST SLOW MPI)
    if(TEST_${label})
      string(TOLOWER ${label} label)
      list(APPEND labels ${label})
    endif()
  endforeach()
  if(NOT TEST_TIMEOUT)
    set(TEST_TIMEOUT 600)
  endif()
  set_tests_properties(${NAME} PROPERTIES TIMEOUT ${TEST_TIMEOUT} LABELS "${labels}" RUN_SERIAL ${TEST_ALONE}
                       ENVIRONMENT "BUILD_TREE=${PROJECT_BINARY_DIR};SOURCE_TREE=${PROJECT_SOURCE_DIR};PYTHONDONTWRITEBYTECODE=1;${of_open_mpi}")
  if(TEST_PROCESSORS)
    set_tests_properties(${NAME} PROPERTIES PROCESSORS ${TEST_PROCESSORS})
  endif()
  if(TEST_MAY_SKIP)
    set_tests_properties(${NAME} PROPERTIES SKIP_RETURN_CODE 77)
  endif()
endfunction()
