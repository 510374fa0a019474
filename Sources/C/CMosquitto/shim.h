#pragma once

#include <dlfcn.h>

#include <mosquitto.h>
#include <mqtt_protocol.h>

/* The state of TLS that libmosquitto does not report. libmosquitto links OpenSSL; these functions look its symbols up by name,
 * because linking OpenSSL too would require the same version. Add no others. */

/* The reason why the broker's certificate was refused, an X509_V_ERR_ number (openssl/x509_vfy.h); 0 if it was not. */
static inline long okaeri_tls_verification(struct mosquitto *client) {
    long (*verification)(const void *) = (long (*)(const void *)) dlsym((void *) 0, "SSL_get_verify_result");
    void *session = mosquitto_ssl_get(client);
    return verification && session ? verification(session) : 0;
}

/* The number of bytes that OpenSSL has read and libmosquitto has not: poll(2) does not report them. */
static inline int okaeri_tls_pending(struct mosquitto *client) {
    void *session = mosquitto_ssl_get(client);
    if (!session) return 0;
    int (*pending)(const void *) = (int (*)(const void *)) dlsym((void *) 0, "SSL_pending");
    return pending ? pending(session) : 0;
}
