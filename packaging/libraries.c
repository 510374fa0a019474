// A shared object that needs each function which the program loads on demand. No program loads it: dpkg-shlibdeps reads it, because the
// program itself does not name those libraries. scripts/package makes it.

#define FUNCTION(library, name) extern char name[];
#include "../Sources/C/CLibraries/Functions.h"
#undef FUNCTION

char *const okaeri_functions[] = {
#define FUNCTION(library, name) name,
#include "../Sources/C/CLibraries/Functions.h"
};
