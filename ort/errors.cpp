#include "ortho.h"

extern "C" const char* ORT_Error_string(int error) {
  switch (error) {
    case ORT_SUCCESS:
      return "no error";
    case ORT_ERR_MPI_STATE:
      return "MPI is not initialized, or already finalized";
    case ORT_ERR_STRUCTURE:
      return "no such structure: it was never initialized by ORT_Init, or ORT_Finalize was called";
    case ORT_ERR_DIMENSION:
      return "the number of dimensions is below 1, above ORT_MAX_DIMENSIONS, or not the structure's";
    case ORT_ERR_SIZES:
      return "a size of the grid is below 1, or their product is above the number of processes";
    case ORT_ERR_SELECTION:
      return "an entry of the selection is neither ORT_ALL nor ORT_PARALLEL nor a position of the grid";
    case ORT_ERR_COORDINATES:
      return "the coordinates are no position of the grid";
    case ORT_ERR_COMM:
      return "the communicator is MPI_COMM_NULL or an intercommunicator";
    case ORT_ERR_ARGUMENT:
      return "an argument is a null pointer";
    case ORT_ERR_MISMATCH:
      return "the processes of the communicator do not all ask for the same grid";
    case ORT_ERR_IDLE:
      return "the calling process has no position: it is beyond the product of the sizes";
    case ORT_ERR_NO_SECTION:
      return "the calling process executes no section of the structure";
    case ORT_ERR_IN_SECTION:
      return "the structure can't be finalized in one of its own sections";
    case ORT_ERR_MEMORY:
      return "out of memory";
    case ORT_ERR_MPI:
      return "an MPI function failed";
    default:
      return "no error of ORT has this number";
  }
}
