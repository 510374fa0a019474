#pragma once

#include <stdint.h>

/* The number of allocations of this process: malloc, calloc, realloc and the aligned ones. */
uint64_t allocations_so_far(void);
