#pragma once

#include <stddef.h>

// Capabilities.c and QuietDispatch.c run before main and declare no functions, and Memory.c sets the allocator up there.

/// Forbids dumps of the memory. It runs before main; call it again after each change of user, which may allow them (prctl(2)).
void okaeri_forbid_memory_dumps(void);

/// The commit of the build, with "-dirty" if files had been changed; empty if it is unknown.
const char *okaeri_commit(void);

/// Returns freed memory of all threads to the system.
void okaeri_return_memory(void);

/// A POST request. All pointers stay valid during okaeri_post.
struct okaeri_request {
    const char *url;
    /// The header fields, `Name: value`, with NULL at the end.
    const char *const *fields;
    const void *body;
    size_t length;
    /// The limits of the connection and of the whole request, in milliseconds.
    long connect_limit;
    long limit;
    /// The request ends with CURLE_WRITE_ERROR if the answer is longer, in bytes.
    size_t answer_limit;
    /// The request ends if the value is not 0.
    const int *cancelled;
};

enum {
    okaeri_no_library = -1,
    okaeri_no_setting = -2,
};

/// Sends a request with libcurl, which the first call loads. Blocking.
///
/// Returns a CURLcode, or one of the values above. `status` is the HTTP status of the answer, 0 without one.
int okaeri_post(const struct okaeri_request *request, long *status);

/// Sets a value that okaeri_post reads on another thread.
void okaeri_cancel(int *cancelled);

/// Writes the IPv4 addresses of the interfaces that are up, in network order, 4 bytes each. Returns their number, at most `count` and
/// at most 256.
size_t okaeri_ipv4_addresses(unsigned char *addresses, size_t count);

/// Whether the interface is up: 1 or 0.
int okaeri_is_up(const char *interface);
