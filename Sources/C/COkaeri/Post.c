// libcurl is loaded when the first notification is sent: a daemon without notifications needs neither the library nor its memory. Debian
// builds it with GnuTLS and with OpenSSL; both have the same interface.

#include "COkaeri.h"

#include <curl/curl.h>
#include <dlfcn.h>
#include <pthread.h>

static struct {
    pthread_mutex_t mutex;
    int is_loaded;
    __typeof__(&curl_global_init) global_init;
    __typeof__(&curl_easy_init) init;
    __typeof__(&curl_easy_setopt) set;
    __typeof__(&curl_easy_perform) perform;
    __typeof__(&curl_easy_getinfo) get;
    __typeof__(&curl_easy_cleanup) cleanup;
    __typeof__(&curl_slist_append) append;
    __typeof__(&curl_slist_free_all) free_all;
} curl = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static int find(void *library, const char *name, void **function) { return (*function = dlsym(library, name)) != NULL; }

static int load_once(void) {
    if (curl.is_loaded) return 1;
    void *library = dlopen("libcurl-gnutls.so.4", RTLD_NOW);
    if (!library) library = dlopen("libcurl.so.4", RTLD_NOW);
    if (!library) return 0;
    curl.is_loaded = find(library, "curl_global_init", (void **)&curl.global_init) &&
                     find(library, "curl_easy_init", (void **)&curl.init) &&
                     find(library, "curl_easy_setopt", (void **)&curl.set) &&
                     find(library, "curl_easy_perform", (void **)&curl.perform) &&
                     find(library, "curl_easy_getinfo", (void **)&curl.get) &&
                     find(library, "curl_easy_cleanup", (void **)&curl.cleanup) &&
                     find(library, "curl_slist_append", (void **)&curl.append) &&
                     find(library, "curl_slist_free_all", (void **)&curl.free_all) &&
                     curl.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
    return curl.is_loaded;
}

static int load(void) {
    pthread_mutex_lock(&curl.mutex);
    int is_loaded = load_once();
    pthread_mutex_unlock(&curl.mutex);
    return is_loaded;
}

// Drops the answer. A return value other than the length ends the request.
static size_t drop(char *bytes, size_t size, size_t count, void *rest) {
    (void)bytes;
    size_t length = size * count, *left = rest;
    if (length > *left) return 0;
    *left -= length;
    return length;
}

// libcurl calls it at least once a second. A value other than 0 ends the request.
static int progress(void *cancelled, curl_off_t all, curl_off_t now, curl_off_t all_sent, curl_off_t sent) {
    (void)all, (void)now, (void)all_sent, (void)sent;
    return __atomic_load_n((const int *)cancelled, __ATOMIC_RELAXED);
}

void okaeri_cancel(int *cancelled) { __atomic_store_n(cancelled, 1, __ATOMIC_RELAXED); }

static int perform(CURL *handle, const struct okaeri_request *request, struct curl_slist *fields, size_t *left) {
    // Option names are macros for numbers: the type of each value is that of curl_easy_setopt(3).
    int code = curl.set(handle, CURLOPT_URL, request->url);
    code |= curl.set(handle, CURLOPT_PROTOCOLS_STR, "http,https");
    code |= curl.set(handle, CURLOPT_FOLLOWLOCATION, 0L);
    code |= curl.set(handle, CURLOPT_SSL_VERIFYPEER, 1L);
    code |= curl.set(handle, CURLOPT_SSL_VERIFYHOST, 2L);
    code |= curl.set(handle, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
    // An empty text: no proxy, whatever the environment has.
    code |= curl.set(handle, CURLOPT_PROXY, "");
    code |= curl.set(handle, CURLOPT_NOSIGNAL, 1L);
    code |= curl.set(handle, CURLOPT_CONNECTTIMEOUT_MS, request->connect_limit);
    code |= curl.set(handle, CURLOPT_TIMEOUT_MS, request->limit);
    code |= curl.set(handle, CURLOPT_HTTPHEADER, fields);
    code |= curl.set(handle, CURLOPT_POST, 1L);
    code |= curl.set(handle, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->length);
    code |= curl.set(handle, CURLOPT_POSTFIELDS, request->body ? request->body : "");
    code |= curl.set(handle, CURLOPT_WRITEFUNCTION, drop);
    code |= curl.set(handle, CURLOPT_WRITEDATA, left);
    code |= curl.set(handle, CURLOPT_NOPROGRESS, 0L);
    code |= curl.set(handle, CURLOPT_XFERINFOFUNCTION, progress);
    code |= curl.set(handle, CURLOPT_XFERINFODATA, request->cancelled);
    if (code != CURLE_OK) return okaeri_no_setting;
    // Since 7.87: a name that is not resolved does not delay the end. An earlier libcurl waits for it.
    curl.set(handle, CURLOPT_QUICK_EXIT, 1L);
    return (int)curl.perform(handle);
}

int okaeri_post(const struct okaeri_request *request, long *status) {
    *status = 0;
    if (!load()) return okaeri_no_library;
    CURL *handle = curl.init();
    if (!handle) return CURLE_OUT_OF_MEMORY;
    int code = CURLE_OK;
    struct curl_slist *fields = NULL;
    for (const char *const *field = request->fields; *field; field++) {
        struct curl_slist *longer = curl.append(fields, *field);
        if (!longer) code = CURLE_OUT_OF_MEMORY;
        else fields = longer;
    }
    size_t left = request->answer_limit;
    if (code == CURLE_OK) code = perform(handle, request, fields, &left);
    curl.get(handle, CURLINFO_RESPONSE_CODE, status);
    curl.cleanup(handle);
    curl.free_all(fields);
    return code;
}
