/*
 * Reports to the thread sanitizer the order that two libraries without instrumentation keep, by the sanitizer's functions
 * for that purpose: scripts/sanitize loads this before the tests. Without it, the sanitizer reports a race for each Mutex
 * that had to wait, and each job of a GLib thread; to suppress those would hide the real ones beside them.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

// Weak: a process that a test starts may be built without the sanitizer.
extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

static void acquire(void *address) {
    if (__tsan_acquire) __tsan_acquire(address);
}

static void release(void *address) {
    if (__tsan_release) __tsan_release(address);
}

// A process that opens GLib later, as Python does, has it nowhere behind this library.
static void *original(const char *name) {
    void *symbol = dlsym(RTLD_NEXT, name);
    if (!symbol) symbol = dlsym(dlopen("libglib-2.0.so.0", RTLD_LAZY | RTLD_NOLOAD), name);
    if (!symbol) abort();
    return symbol;
}

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *

/*
 * The slow half of Synchronization's Mutex on Linux. The fast half, an atomic exchange of its first word, is inlined
 * where the sanitizer sees it.
 */
SWIFT void lock_slow(uint32_t thread, SELF self) __asm__("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
SWIFT void lock_slow(uint32_t thread, SELF self) {
    SWIFT void (*lock)(uint32_t, SELF) = original("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
    lock(thread, self);
    acquire(self);
}

SWIFT void unlock_slow(SELF self) __asm__("$s15Synchronization12_MutexHandleV11_unlockSlowyyF");
SWIFT void unlock_slow(SELF self) {
    SWIFT void (*unlock)(SELF) = original("$s15Synchronization12_MutexHandleV11_unlockSlowyyF");
    release(self);
    unlock(self);
}

/* A source that one thread gives to the main context of another, under that context's lock: the head of a GSource. */
struct source {
    void *callback_data, *callback_functions;
    const void *functions;
};

typedef int (*source_function)(void *);
typedef void (*destroy_notify)(void *);

struct posted {
    source_function function;
    void *data;
    destroy_notify notify;
};

static int dispatch(void *data) {
    struct posted *posted = data;
    acquire(posted);
    return posted->function(posted->data);
}

static void destroy(void *data) {
    struct posted *posted = data;
    acquire(posted);
    if (posted->notify) posted->notify(posted->data);
    free(posted);
}

void g_source_set_callback(struct source *source, source_function function, void *data, destroy_notify notify) {
    void (*set)(void *, source_function, void *, destroy_notify) = original("g_source_set_callback");
    // The callback of another kind of source may take more than its data.
    if (source->functions != original("g_idle_funcs")
        && source->functions != original("g_timeout_funcs")) {
        set(source, function, data, notify);
        return;
    }
    struct posted *posted = malloc(sizeof *posted);
    if (!posted) abort();
    *posted = (struct posted){function, data, notify};
    release(posted);
    set(source, dispatch, posted, destroy);
}
