#pragma once
#include <gio/gio.h>

/*
 * The calls to GLib and GIO that Swift cannot import: variadic functions, macros, and callbacks behind a cast. Swift calls
 * all other functions directly. The transfer of ownership is that of the wrapped function.
 */

static inline void okaeri_bus_connect_async(const char *address, GCancellable *cancellable,
                                            GAsyncReadyCallback callback, gpointer data) {
    g_dbus_connection_new_for_address(
        address,
        G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION,
        NULL, cancellable, callback, data);
}

/* Runs a callback once on the context's thread, later, even when called there. */
static inline void okaeri_context_post(GMainContext *context, GSourceFunc callback, gpointer data) {
    /* The callback may release the last other reference while this thread is still in g_source_unref, which locks the context. */
    g_main_context_ref(context);
    GSource *source = g_idle_source_new();
    g_source_set_priority(source, G_PRIORITY_DEFAULT);
    g_source_set_callback(source, callback, data, NULL);
    g_source_attach(source, context);
    g_source_unref(source);
    g_main_context_unref(context);
}

/* Runs a callback after `milliseconds`, until g_source_destroy. `release` gets the data when the source is freed. */
static inline GSource *okaeri_context_after(GMainContext *context, guint milliseconds, GSourceFunc callback,
                                            gpointer data, GDestroyNotify release) {
    GSource *source = g_timeout_source_new(milliseconds);
    g_source_set_callback(source, callback, data, release);
    g_source_attach(source, context);
    return source;
}

static inline gulong okaeri_on_notify(gpointer object, void (*callback)(GObject *, GParamSpec *, gpointer),
                                      gpointer data, GClosureNotify release) {
    return g_signal_connect_data(object, "notify", G_CALLBACK(callback), data, release, (GConnectFlags) 0);
}

/* Whether the called name has no owner. */
static inline gboolean okaeri_is_missing_owner(const GError *error) {
    return g_error_matches(error, G_DBUS_ERROR, G_DBUS_ERROR_SERVICE_UNKNOWN)
           || g_error_matches(error, G_DBUS_ERROR, G_DBUS_ERROR_NAME_HAS_NO_OWNER);
}

/* An array of bytes, floating. */
static inline GVariant *okaeri_variant_bytes(const void *bytes, gsize count) {
    return g_variant_new_fixed_array(G_VARIANT_TYPE_BYTE, bytes, count, 1);
}

/* A builder for a container of a type whose string is valid. */
static inline GVariantBuilder *okaeri_variant_builder(const char *type) {
    return g_variant_builder_new(G_VARIANT_TYPE(type));
}
