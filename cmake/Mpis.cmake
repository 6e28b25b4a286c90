# Finds every MPI that Tutti is built for, each by its own compiler wrapper, and makes two interface
# targets of each: mpi-openmpi, mpi-mpich for what is linked with it, mpi-headers-openmpi and so on
# for what is only compiled. SMPI programs are compiled by smpicxx as a whole; mpi-smpi carries its
# flags. Sets TUTTI_MPIS to those found.

set(TUTTI_MPIS)

# Every MPI's header is included by way of this one, which makes a system's header of it: warnings
# are of what Tutti says, not of what the header declares, and entry points define with other types
# (run/mpi/words.hpp). Folders given as SYSTEM would come after those of CPATH, where a module may
# have put another MPI's.
set(TUTTI_MPI_HEADER ${PROJECT_BINARY_DIR}/generated/system)
file(CONFIGURE OUTPUT ${TUTTI_MPI_HEADER}/mpi.h CONTENT "#pragma GCC system_header\n#include_next <mpi.h>\n" @ONLY)

# Lets what is linked with an MPI find its library where it lies outside the system's folders, as a
# module's does, of which a program may know by its own path alone. A wrapper in front of that, into
# which Tutti is preloaded, would not start otherwise. LD_LIBRARY_PATH still comes first, and so
# does the library that a program has.
function(tutti_find_at_run_time NAME)
  set(folders ${ARGN})
  list(FILTER folders INCLUDE REGEX "^-L.+")
  list(TRANSFORM folders REPLACE "^-L" "")
  set(names ${ARGN})
  list(FILTER names INCLUDE REGEX "^-l(mpi|mpich|simgrid)$")
  list(TRANSFORM names REPLACE "^-l" "")
  if(NOT folders OR NOT names)
    return()
  endif()
  find_library(TUTTI_${NAME}_LIBRARY NAMES ${names} PATHS ${folders} NO_DEFAULT_PATH)
  mark_as_advanced(TUTTI_${NAME}_LIBRARY)
  if(NOT TUTTI_${NAME}_LIBRARY)
    return()
  endif()
  file(REAL_PATH "${TUTTI_${NAME}_LIBRARY}" library)
  cmake_path(GET library PARENT_PATH folder)
  if(NOT folder MATCHES "^(/usr)?/lib(64)?(/[^/]*-linux-gnu)?$")
    target_link_options(mpi-${NAME} INTERFACE "LINKER:--enable-new-dtags,-rpath,${folder}")
  endif()
endfunction()

function(tutti_find_mpi NAME WRAPPER SHOW_COMPILE SHOW_LINK)
  find_program(TUTTI_${NAME}_CXX ${WRAPPER})
  if(NOT TUTTI_${NAME}_CXX)
    message(STATUS "${WRAPPER} not found: not building for ${NAME}")
    return()
  endif()
  execute_process(COMMAND ${TUTTI_${NAME}_CXX} ${SHOW_COMPILE} OUTPUT_VARIABLE compile OUTPUT_STRIP_TRAILING_WHITESPACE)
  execute_process(COMMAND ${TUTTI_${NAME}_CXX} ${SHOW_LINK} OUTPUT_VARIABLE link OUTPUT_STRIP_TRAILING_WHITESPACE)
  separate_arguments(compile UNIX_COMMAND "${compile}")  # some wrappers print quotes: -I"/opt/an mpi/include"
  separate_arguments(link UNIX_COMMAND "${link}")
  add_library(mpi-headers-${NAME} INTERFACE)
  add_library(mpi-${NAME} INTERFACE)
  target_link_libraries(mpi-${NAME} INTERFACE mpi-headers-${NAME})
  target_include_directories(mpi-headers-${NAME} INTERFACE ${TUTTI_MPI_HEADER})
  foreach(flag IN LISTS compile)
    if(flag MATCHES "^-I(.+)")
      target_include_directories(mpi-headers-${NAME} INTERFACE "${CMAKE_MATCH_1}")
    endif()
  endforeach()
  # The wrapped MPI's C library is all that is needed, which Open MPI 6 has in two; its C++ bindings
  # are not.
  foreach(flag IN LISTS link)
    if(flag MATCHES "^-L" OR flag MATCHES "^-l(mpi|open_mpi|mpich|simgrid)$")
      target_link_libraries(mpi-${NAME} INTERFACE ${flag})
    endif()
  endforeach()
  tutti_find_at_run_time(${NAME} ${link})
  target_compile_definitions(mpi-headers-${NAME} INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  # What all libraries from MPI 3 on have is called, and newer headers call some of that deprecated.
  target_compile_options(mpi-headers-${NAME} INTERFACE -Wno-deprecated-declarations)
  set(TUTTI_MPIS ${TUTTI_MPIS} ${NAME} PARENT_SCOPE)
endfunction()

tutti_find_mpi(openmpi mpicxx.openmpi --showme:compile --showme:link)
tutti_find_mpi(mpich mpicxx.mpich -compile_info -link_info)
tutti_find_mpi(smpi smpicxx -compile-info -link-info)
if(TARGET mpi-smpi)
  target_link_options(mpi-smpi INTERFACE -Wl,-z,defs)  # programs are shared libraries there: find what is missing
endif()

# The standard ABI: a header of our own, and a library to link programs with that does nothing.
# Every MPI that has the ABI brings a library of that name, which is found when a program runs.
set(folder ${PROJECT_SOURCE_DIR}/src/run/mpi/standard_abi)
add_library(mpi-headers-abi INTERFACE)
target_include_directories(mpi-headers-abi INTERFACE ${TUTTI_MPI_HEADER} ${folder})
target_compile_definitions(mpi-headers-abi INTERFACE TUTTI_STANDARD_ABI)
add_library(tutti-stub-abi SHARED ${folder}/stub.cpp)
target_include_directories(tutti-stub-abi PRIVATE ${PROJECT_SOURCE_DIR}/src)
set_target_properties(tutti-stub-abi PROPERTIES OUTPUT_NAME mpi_abi SOVERSION 1
                      LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/generated/abi/stub)

add_library(mpi-abi INTERFACE)
target_link_libraries(mpi-abi INTERFACE mpi-headers-abi)

# What is preloaded for these MPIs is linked with none. A library of MPICH's ABI is libmpich.so.12
# in Debian, libmpi.so.12 where Intel's, MVAPICH's or MPICH's own stands, and something else on
# Crays; one of the standard ABI may be translated. Functions are found when they are first called
# (run/mpi/next_points.cpp): the linker gives __wrap_PMPI_X to what calls PMPI_X.
set(TUTTI_FINDS_MPI mpich abi)
file(STRINGS ${folder}/prototypes.inc prototypes REGEX "^TUTTI_MPI")
list(TRANSFORM prototypes REPLACE "^TUTTI_MPI\\([^,]+, ([^,]+),.*" "-Wl,--wrap=PMPI_\\1")
list(JOIN prototypes "\n" wrapped)
set(TUTTI_NEXT_POINTS ${PROJECT_BINARY_DIR}/generated/next_points.options)
file(CONFIGURE OUTPUT ${TUTTI_NEXT_POINTS} CONTENT "${wrapped}\n" @ONLY)

# Links programs of ours with the MPI that they are compiled for. For the standard ABI that is the
# stub, and an MPI is looked for where the dynamic linker does; for MPICH's ABI it is opened under
# the name that it has.
function(tutti_link_mpi MPI)
  foreach(program IN LISTS ARGN)
    if(MPI STREQUAL abi)
      target_link_libraries(${program} PRIVATE tutti-stub-abi)
      set_target_properties(${program} PROPERTIES SKIP_BUILD_RPATH ON)
    elseif(MPI STREQUAL mpich)
      target_sources(${program} PRIVATE ${PROJECT_SOURCE_DIR}/src/run/mpi/opens_mpi.cpp)
      target_include_directories(${program} PRIVATE ${PROJECT_SOURCE_DIR}/src)
      target_link_libraries(${program} PRIVATE ${CMAKE_DL_LIBS})
      target_link_options(${program} PRIVATE $<TARGET_PROPERTY:mpi-mpich,INTERFACE_LINK_OPTIONS>)
    else()
      target_link_libraries(${program} PRIVATE mpi-${MPI})
    endif()
  endforeach()
endfunction()
