# One test of the build tree, as all but the unit tests are declared:
#
#   tutti_test(NAME [ALONE] [SLOW | FAST] [MPI] [MAY_SKIP] [TIMEOUT SECONDS] COMMAND …)
#
# ALONE: it judges times, or changes the system, and nothing runs beside it. Others do, as many as there are processors:
# their ranks give processors away when they wait. FAST and SLOW are labels: what one runs before each commit, and what
# takes more than a few seconds; MPI: it starts ranks. MAY_SKIP: exit status 77 says that it can't run here.
# The command finds the trees in BUILD_TREE and SOURCE_TREE. Open MPI takes ob1 on a machine without a fabric anyway; to be
# told so spares each start a fifth of a second in which it looks for one.
function(tutti_test NAME)
  cmake_parse_arguments(TEST "ALONE;FAST;SLOW;MPI;MAY_SKIP" "TIMEOUT" "COMMAND" ${ARGN})
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
                       ENVIRONMENT "BUILD_TREE=${PROJECT_BINARY_DIR};SOURCE_TREE=${PROJECT_SOURCE_DIR};PYTHONDONTWRITEBYTECODE=1;OMPI_MCA_pml=ob1")
  if(TEST_MAY_SKIP)
    set_tests_properties(${NAME} PROPERTIES SKIP_RETURN_CODE 77)
  endif()
endfunction()
