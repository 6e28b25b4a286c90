/* Stands in for the component of Open MPI 4 that has a PMIx of its own: functions with a prefix,
 * which it calls itself, and a function that puts a key and commits, and says whether a key of
 * Tutti's came along. */
#include <stdint.h>
#include <string.h>

static int has_own, has_presence;

int OPAL_MCA_PMIX3X_PMIx_Put(uint8_t scope, const char* key, void* value) {
  (void)value;
  has_own |= scope == 3 && strcmp(key, "own") == 0;
  has_presence |= scope == 3 && strcmp(key, "tutti.presence") == 0;
  return 0;
}
int OPAL_MCA_PMIX3X_PMIx_Commit(void) {
  return 0;
}
int OPAL_MCA_PMIX3X_PMIx_Get(const void* process, const char* key, const void* attributes, size_t count,
                             void** value) {
  (void)process, (void)key, (void)attributes, (void)count, (void)value;
  return -1;
}

int puts_both(void) {
  return OPAL_MCA_PMIX3X_PMIx_Put(3, "own", NULL) == 0 && OPAL_MCA_PMIX3X_PMIx_Commit() == 0 && has_own &&
         has_presence;
}
