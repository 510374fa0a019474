#pragma once

#include <stdint.h>

/* How often this process has asked for memory: malloc, calloc, realloc and the aligned ones. */
uint64_t allocations_so_far(void);
