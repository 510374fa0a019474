#include "CLibraries.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sysexits.h>

enum library { z, nettle, glib, gobject, gio, sqlite, mosquitto, nm };

static const struct {
    const char file[24];
    const char package[16];
} libraries[] = {
    [z] = {"libz.so.1", "zlib1g"},
    [nettle] = {"libnettle.so.8", "libnettle8"},
    [glib] = {"libglib-2.0.so.0", "libglib2.0-0"},
    [gobject] = {"libgobject-2.0.so.0", "libglib2.0-0"},
    [gio] = {"libgio-2.0.so.0", "libglib2.0-0"},
    [sqlite] = {"libsqlite3.so.0", "libsqlite3-0"},
    [mosquitto] = {"libmosquitto.so.1", "libmosquitto1"},
    [nm] = {"libnm.so.0", "libnm0"},
};

enum { library_count = sizeof(libraries) / sizeof(*libraries) };

// The names are in the table itself: pointers would be relocated at each start.
static const struct {
    unsigned char library;
    char name[55];
} functions[] = {
#define FUNCTION(library, name) {library, #name},
#include "Functions.h"
#undef FUNCTION
};

enum { function_count = sizeof(functions) / sizeof(*functions) };

/// The addresses that Stubs.S jumps to; NULL: not found yet.
__attribute__((visibility("hidden"))) void *okaeri_library_functions[function_count];

static void *handles[library_count];

static void (*end_program)(struct okaeri_missing_library);

void okaeri_libraries_on_missing(void (*end)(struct okaeri_missing_library)) {
    __atomic_store_n(&end_program, end, __ATOMIC_RELEASE);
}

static struct okaeri_missing_library missing(enum library library) {
    const char *reason = dlerror();
    return (struct okaeri_missing_library){
        libraries[library].file, libraries[library].package, reason ? reason : "unknown"};
}

static _Noreturn void end(enum library library) {
    struct okaeri_missing_library lost = missing(library);
    void (*handler)(struct okaeri_missing_library) = __atomic_load_n(&end_program, __ATOMIC_ACQUIRE);
    if (handler) handler(lost);
    fprintf(stderr, "%s cannot be loaded: %s\n", lost.file, lost.reason);
    exit(EX_UNAVAILABLE);
}

// Two threads may both open the library: they get the same handle. Its symbols are global, as those of a linked library: libmosquitto's
// TLS is looked up among them.
static void *opened(enum library library) {
    void *handle = __atomic_load_n(&handles[library], __ATOMIC_ACQUIRE);
    if (handle) return handle;
    handle = dlopen(libraries[library].file, RTLD_LAZY | RTLD_GLOBAL);
    if (handle) __atomic_store_n(&handles[library], handle, __ATOMIC_RELEASE);
    return handle;
}

struct okaeri_missing_library okaeri_libraries_load(void) {
    for (size_t library = 0; library < library_count; library++)
        if (!opened((enum library)library)) return missing((enum library)library);
    return (struct okaeri_missing_library){NULL, NULL, NULL};
}

size_t okaeri_libraries_count(void) { return function_count; }

const char *okaeri_libraries_name(size_t position) { return functions[position].name; }

void *okaeri_libraries_function(size_t position) {
    enum library library = functions[position].library;
    void *handle = opened(library);
    void *function = handle ? dlsym(handle, functions[position].name) : NULL;
    if (!function) end(library);
    __atomic_store_n(&okaeri_library_functions[position], function, __ATOMIC_RELEASE);
    return function;
}
