#include "COkaeri.h"

#include <malloc.h>

// glibc raises both thresholds with the first large block that is freed, up to 32 and 64 MB, and malloc_trim leaves the end of a
// thread's heap alone: memory that a day's picture has taken once would never return to the system. Fixed thresholds stay.
__attribute__((constructor)) static void keep_thresholds(void) {
    mallopt(M_MMAP_THRESHOLD, 128 * 1024);
    mallopt(M_TRIM_THRESHOLD, 128 * 1024);
}

void okaeri_return_memory(void) { malloc_trim(0); }
