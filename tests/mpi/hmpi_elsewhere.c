/* Another file of the program of hmpi.c, which includes the header for itself. */

#include "tutti/hmpi.h"

void set_elsewhere(long gather_m1, long gather_m2, long scatter_s);
const HMPI_Thresholds* thresholds_elsewhere(void);

void set_elsewhere(long gather_m1, long gather_m2, long scatter_s) {
  HMPI_Set_thresholds(gather_m1, gather_m2, scatter_s);
}

const HMPI_Thresholds* thresholds_elsewhere(void) {
  return HMPI_thresholds();
}
