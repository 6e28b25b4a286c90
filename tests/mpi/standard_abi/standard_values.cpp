#include "run/mpi/standard_abi/mpi.h"

#include "values.hpp"

#define NAME(kind, name) (long)(name),
const long standard_values[] = {
#include "names.inc"
};
