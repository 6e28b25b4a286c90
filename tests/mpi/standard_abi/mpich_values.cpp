#include <mpi.h>

#include "values.hpp"

#define NAME(kind, name) (long)(name),
const long mpich_values[] = {
#include "names.inc"
};
#undef NAME
#define NAME(kind, name) Kind::kind,
const Kind kinds[] = {
#include "names.inc"
};
const std::size_t number_of_values = sizeof kinds / sizeof kinds[0];
