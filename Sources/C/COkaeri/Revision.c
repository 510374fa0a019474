#include "COkaeri.h"

// Package.swift takes it from the environment: git is not asked there, because SwiftPM would keep an old answer.
#ifndef OKAERI_COMMIT
#define OKAERI_COMMIT ""
#endif

const char *okaeri_commit(void) { return OKAERI_COMMIT; }
