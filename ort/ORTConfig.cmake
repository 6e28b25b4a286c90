# find_package(ORT [COMPONENTS openmpi|mpich|smpi]) gives ORT::openmpi, ORT::mpich and ORT::smpi,
# those that were installed. The MPI itself comes from its compiler wrapper or from FindMPI.
include(${CMAKE_CURRENT_LIST_DIR}/ORTTargets.cmake)
foreach(component IN LISTS ORT_FIND_COMPONENTS)
  if(TARGET ORT::${component})
    set(ORT_${component}_FOUND TRUE)
  elseif(ORT_FIND_REQUIRED_${component})
    set(ORT_FOUND FALSE)
    set(ORT_NOT_FOUND_MESSAGE "ORT was not built for ${component}")
  endif()
endforeach()
