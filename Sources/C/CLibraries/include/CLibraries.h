#pragma once

#include <stddef.h>

// The libraries of the daemon and of the desktop are loaded by the first call of one of their functions: a command that asks the
// daemon starts without them. The stubs of Stubs.S have the names of the functions, so that code calls them as the headers of the
// libraries declare them. The list of the functions is Functions.h.

/// A library that cannot be loaded.
struct okaeri_missing_library {
    /// The file, such as `libnm.so.0`; NULL: all are loaded.
    const char *file;
    /// The Debian package that contains it.
    const char *package;
    /// The reason of dlopen(3), in English; valid until the thread calls dlopen or dlsym again.
    const char *reason;
};

/// Sets the function that is called, on any thread, where a library or a function in it is missing, and that ends the program.
/// Without one the reason goes to standard error, and the status is 69.
void okaeri_libraries_on_missing(void (*end)(struct okaeri_missing_library missing));

/// Loads all libraries, for a program that runs for long: an upgrade while it runs may replace them by a version that does not
/// fit those that are loaded. Returns the first one that cannot be loaded.
struct okaeri_missing_library okaeri_libraries_load(void);

/// The number of functions in the list.
size_t okaeri_libraries_count(void);

/// The name of a function of the list, by its position.
const char *okaeri_libraries_name(size_t position);

/// Loads the library of a function of the list, and returns the function's address. It does not return where one is missing.
void *okaeri_libraries_function(size_t position);
