# What follows from the table of all functions: how many arguments each has, and the entry points
# that only look after what is under way.

# Sets the global property TUTTI_FUNCTIONS_OF_MPI to the functions that the MPI's header declares,
# as PMPI_name, defines TUTTI_PERSISTENT_COLLECTIVES for what is compiled for that MPI if it has
# these (Open MPI 5 has them beside MPI 3), and writes to FOLDER
#   arguments.inc  a constant for each function, the number of its arguments
#   points.inc     a line TUTTI_ASKS(MPI_name, arguments), TUTTI_BLOCKS(MPI_name, arguments),
#                  TUTTI_MEETS(MPI_name, arguments, communicator) or
#                  TUTTI_CREATES(MPI_name, arguments, communicator, made) for each function of these
#                  classes, with MPI_COMM_NULL where not all of a communicator meet; where Tutti is
#                  linked in, for those that the MPI's header declares.
function(tutti_list_points MPI FOLDER)
  set(table ${PROJECT_SOURCE_DIR}/src/run/interpose/functions)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table})
  get_target_property(folders mpi-headers-${MPI} INTERFACE_INCLUDE_DIRECTORIES)
  list(TRANSFORM folders PREPEND -I)
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/includes_mpi.c "#include <mpi.h>\n")
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -E -P -x c ${folders} ${CMAKE_CURRENT_BINARY_DIR}/includes_mpi.c
                  OUTPUT_VARIABLE header COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "PMPI_[A-Za-z0-9_]+" declared "${header}")
  list(REMOVE_DUPLICATES declared)
  set_property(GLOBAL PROPERTY TUTTI_FUNCTIONS_OF_${MPI} "${declared}")
  if(PMPI_Bcast_init IN_LIST declared)
    target_compile_definitions(mpi-headers-${MPI} INTERFACE TUTTI_PERSISTENT_COLLECTIVES)
  endif()
  set(letters a b c d e f g h i j k l m)
  set(points "")
  set(points_of_newer "")
  set(numbers "")
  file(STRINGS ${table} rows REGEX "^[A-Z]")
  foreach(row IN LISTS rows)
    separate_arguments(row)
    list(POP_FRONT row name arguments class)
    string(APPEND numbers "inline constexpr int arguments_of_MPI_${name} = ${arguments};\n")
    if(NOT class MATCHES "^(asks|blocks|meets|creates)$")
      continue()
    endif()
    string(TOUPPER ${class} macro)
    set(more "")
    if(row)
      math(EXPR position "${row} - 1")
      list(GET letters ${position} communicator)
      string(APPEND more ", ${communicator}")
    endif()
    if(class STREQUAL creates)
      if(NOT row)
        string(APPEND more ", MPI_COMM_NULL")
      endif()
      math(EXPR position "${arguments} - 1")
      list(GET letters ${position} made)
      string(APPEND more ", ${made}")
    endif()
    set(point "TUTTI_${macro}(MPI_${name}, ${arguments}${more})\n")
    if(PMPI_${name} IN_LIST declared)
      string(APPEND points "${point}")
    else()
      string(APPEND points_of_newer "${point}")
    endif()
  endforeach()
  file(CONFIGURE OUTPUT ${FOLDER}/points.inc @ONLY
       CONTENT "${points}#ifndef TUTTI_LINKED_IN\n${points_of_newer}#endif\n")
  file(CONFIGURE OUTPUT ${FOLDER}/arguments.inc @ONLY
       CONTENT "namespace tutti::interpose {\n${numbers}}\n")
endfunction()
