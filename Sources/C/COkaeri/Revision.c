#include "COkaeri.h"

// Package.swift takes it from the environment and does not run git, because SwiftPM would cache an old answer.
#ifndef OKAERI_COMMIT
#define OKAERI_COMMIT ""
#endif

const char *okaeri_commit(void) { return OKAERI_COMMIT; }
