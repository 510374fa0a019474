#include "COkaeri.h"

#include <malloc.h>

void okaeri_return_memory(void) { malloc_trim(0); }
