# What follows from the table of all functions: how many arguments each has, and the entry points
# that only look after what is under way.

# How a function's arguments are called where they are passed on.
set(letters a b c d e f g h i j k l m)

# Sets VARIABLE to the expression for the bytes that the function NAME moves: as many elements as
# its argument at COUNT says, one where that is 0, of the type at TYPE.
function(tutti_bytes_moved VARIABLE NAME COUNT TYPE)
  math(EXPR position "${TYPE} - 1")
  list(GET letters ${position} type)
  if(COUNT EQUAL 0)
    set(${VARIABLE} "size_of_one(${type})" PARENT_SCOPE)
    return()
  endif()
  math(EXPR position "${COUNT} - 1")
  list(GET letters ${position} count)
  if(NAME MATCHES "_c$")
    set(${VARIABLE} "size_of<MPI_Count>(${count}, ${type})" PARENT_SCOPE)
  else()
    set(${VARIABLE} "size_of(${count}, ${type})" PARENT_SCOPE)
  endif()
endfunction()

# Writes to FILE the names of the functions that access windows, each as a text with a comma.
function(tutti_list_one_sided FILE)
  set(table ${PROJECT_SOURCE_DIR}/src/run/interpose/functions)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table})
  file(STRINGS ${table} rows REGEX "^[A-Z].* moves ")
  list(FILTER rows EXCLUDE REGEX "^File_")
  list(TRANSFORM rows REPLACE "^([^ ]+) .*" "\"MPI_\\1\",\n")
  string(CONCAT names ${rows})
  file(CONFIGURE OUTPUT ${FILE} @ONLY CONTENT "${names}")
endfunction()

# Sets the global property TUTTI_FUNCTIONS_OF_MPI to the functions that the MPI's header declares,
# as PMPI_name, defines TUTTI_PERSISTENT_COLLECTIVES for what is compiled for that MPI if it has
# these (Open MPI 5 has them beside MPI 3), and writes to FOLDER
#   arguments.inc  a constant for each function, the number of its arguments
#   points.inc     a line TUTTI_ASKS(MPI_name, arguments, bytes), TUTTI_BLOCKS(MPI_name, arguments,
#                  bytes), TUTTI_MEETS(MPI_name, arguments, communicator),
#                  TUTTI_FOLLOWS(MPI_name, arguments, communicator, made, request) or
#                  TUTTI_CREATES(MPI_name, arguments, communicator, made) for each function of these
#                  classes, with MPI_COMM_NULL where not all of a communicator meet; where Tutti is
#                  linked in, for those that the MPI's header declares.
#   accesses.inc   a line TUTTI_COUNTED(MPI_name, arguments, bytes) for each other function that
#                  moves something
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
  set(points "")
  set(points_of_newer "")
  set(numbers "")
  set(accesses "")
  file(STRINGS ${table} rows REGEX "^[A-Z]")
  foreach(row IN LISTS rows)
    separate_arguments(row)
    list(POP_FRONT row name arguments class)
    string(APPEND numbers "inline constexpr int arguments_of_MPI_${name} = ${arguments};\n")
    set(bytes 0)
    if("moves" IN_LIST row)
      list(POP_BACK row type count)
      list(REMOVE_ITEM row moves)
      tutti_bytes_moved(bytes ${name} ${count} ${type})
      if(class STREQUAL starts)
        string(APPEND accesses "TUTTI_COUNTED(MPI_${name}, ${arguments}, ${bytes})\n")
      endif()
    endif()
    if(NOT class MATCHES "^(asks|blocks|meets|creates|follows)$")
      continue()
    endif()
    string(TOUPPER ${class} macro)
    set(more "")
    if(class MATCHES "^(asks|blocks)$")
      string(APPEND more ", ${bytes}")
    endif()
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
    if(class STREQUAL follows)
      math(EXPR position "${arguments} - 2")
      list(SUBLIST letters ${position} 2 made_and_request)
      list(JOIN made_and_request ", " made_and_request)
      string(APPEND more ", ${made_and_request}")
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
  file(CONFIGURE OUTPUT ${FOLDER}/accesses.inc @ONLY CONTENT "${accesses}")
  file(CONFIGURE OUTPUT ${FOLDER}/arguments.inc @ONLY
       CONTENT "namespace tutti::interpose {\n${numbers}}\n")
endfunction()
