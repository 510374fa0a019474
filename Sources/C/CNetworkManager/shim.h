#pragma once
#include <NetworkManager.h>

/*
 * The calls to libnm that Swift cannot import: variadic functions, macros, and callbacks behind a cast. Swift calls all
 * other functions directly. The transfer of ownership is that of the wrapped function.
 */

/* Creates the client on a private connection; nm_client_new_async would use GLib's shared one. */
static inline void okaeri_client_new_async(GDBusConnection *connection, GCancellable *cancellable,
                                           GAsyncReadyCallback callback, gpointer data) {
    g_async_initable_new_async(NM_TYPE_CLIENT, G_PRIORITY_DEFAULT, cancellable, callback, data,
                               NM_CLIENT_DBUS_CONNECTION, connection, NULL);
}

static inline NMClient *okaeri_client_new_finish(gpointer source, GAsyncResult *result, GError **error) {
    return (NMClient *) g_async_initable_new_finish((GAsyncInitable *) source, result, error);
}

static inline gulong okaeri_on_permission(NMClient *client, void (*callback)(NMClient *, guint, guint, gpointer),
                                          gpointer data, GClosureNotify release) {
    return g_signal_connect_data(client, NM_CLIENT_PERMISSION_CHANGED, G_CALLBACK(callback), data, release,
                                 (GConnectFlags) 0);
}

static inline gulong okaeri_on_device_state(NMDevice *device,
                                            void (*callback)(NMDevice *, guint, guint, guint, gpointer),
                                            gpointer data, GClosureNotify release) {
    return g_signal_connect_data(device, "state-changed", G_CALLBACK(callback), data, release, (GConnectFlags) 0);
}

static inline gboolean okaeri_is_wifi(NMDevice *device) {
    return NM_IS_DEVICE_WIFI(device);
}

/* The options of a scan for one name, hidden or not: {"ssids": [ssid]}, floating. */
static inline GVariant *okaeri_scan_options(const guint8 *ssid, gsize length) {
    GVariantBuilder options, names;
    g_variant_builder_init(&options, G_VARIANT_TYPE_VARDICT);
    g_variant_builder_init(&names, G_VARIANT_TYPE("aay"));
    g_variant_builder_add_value(&names, g_variant_new_fixed_array(G_VARIANT_TYPE_BYTE, ssid, length, 1));
    g_variant_builder_add(&options, "{sv}", "ssids", g_variant_builder_end(&names));
    return g_variant_builder_end(&options);
}

/*
 * The mark of a profile that was made from the passphrase file, which is brought up to date when that changes. Its value is the
 * profile's UUID: a user's copy of the profile has another one.
 */
#define OKAERI_MADE_FROM "okaeri.made-from"

static inline gboolean okaeri_profile_is_from_file(NMConnection *profile) {
    NMSettingUser *user = (NMSettingUser *) nm_connection_get_setting(profile, NM_TYPE_SETTING_USER);
    return user && nm_setting_user_get_data(user, OKAERI_MADE_FROM) != NULL;
}

/* Whether it is the profile itself that was made, and not a copy of it. */
static inline gboolean okaeri_profile_is_original(NMConnection *profile) {
    NMSettingUser *user = (NMSettingUser *) nm_connection_get_setting(profile, NM_TYPE_SETTING_USER);
    return user && g_strcmp0(nm_setting_user_get_data(user, OKAERI_MADE_FROM), nm_connection_get_uuid(profile)) == 0;
}

/* The settings of the profile with another passphrase, floating. */
static inline GVariant *okaeri_profile_renewed(NMConnection *profile, const char *psk) {
    NMConnection *copy = nm_simple_connection_new_clone(profile);
    NMSettingWirelessSecurity *security = nm_connection_get_setting_wireless_security(copy);
    if (security)
        g_object_set(security, NM_SETTING_WIRELESS_SECURITY_PSK, psk, NM_SETTING_WIRELESS_SECURITY_PSK_FLAGS,
                     NM_SETTING_SECRET_FLAG_NONE, NULL);
    GVariant *settings = nm_connection_to_dbus(copy, NM_CONNECTION_SERIALIZE_ALL);
    g_object_unref(copy);
    return settings;
}

/* The passphrase among the secrets of a profile, to be freed; NULL if there is none. */
static inline char *okaeri_secrets_psk(GVariant *secrets) {
    char *psk = NULL;
    GVariant *security = g_variant_lookup_value(secrets, NM_SETTING_WIRELESS_SECURITY_SETTING_NAME, G_VARIANT_TYPE_VARDICT);
    if (security) {
        g_variant_lookup(security, NM_SETTING_WIRELESS_SECURITY_PSK, "s", &psk);
        g_variant_unref(security);
    }
    return psk;
}

/* Sets the property that `nmcli radio wifi` sets. */
static inline void okaeri_switch_wifi_async(NMClient *client, gboolean on, gint milliseconds,
                                            GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data) {
    nm_client_dbus_set_property(client, NM_DBUS_PATH, NM_DBUS_INTERFACE, "WirelessEnabled", g_variant_new_boolean(on),
                                milliseconds, cancellable, callback, data);
}

static inline gboolean okaeri_switch_wifi_finish(NMClient *client, GAsyncResult *result, GError **error) {
    return nm_client_dbus_set_property_finish(client, result, error);
}

/*
 * A new profile of a network with WPA2 or WPA3. `proto` and the ciphers exclude WPA1 and TKIP, `key_mgmt` ("wpa-psk"
 * or "sae") excludes open networks.
 */
static inline NMConnection *okaeri_profile_new(const char *name, const char *uuid, const guint8 *ssid, gsize length,
                                               const char *key_mgmt, const char *psk, gboolean hidden) {
    NMConnection *profile = nm_simple_connection_new();
    NMSetting *connection = nm_setting_connection_new();
    NMSetting *wireless = nm_setting_wireless_new();
    NMSetting *security = nm_setting_wireless_security_new();
    GBytes *bytes = g_bytes_new(ssid, length);

    g_object_set(connection, NM_SETTING_CONNECTION_ID, name, NM_SETTING_CONNECTION_UUID, uuid,
                 NM_SETTING_CONNECTION_TYPE, NM_SETTING_WIRELESS_SETTING_NAME, NULL);
    g_object_set(wireless, NM_SETTING_WIRELESS_SSID, bytes, NM_SETTING_WIRELESS_MODE, NM_SETTING_WIRELESS_MODE_INFRA,
                 NM_SETTING_WIRELESS_HIDDEN, hidden, NULL);
    g_object_set(security, NM_SETTING_WIRELESS_SECURITY_KEY_MGMT, key_mgmt, NM_SETTING_WIRELESS_SECURITY_PSK, psk,
                 NULL);
    nm_setting_wireless_security_add_proto((NMSettingWirelessSecurity *) security, "rsn");
    nm_setting_wireless_security_add_pairwise((NMSettingWirelessSecurity *) security, "ccmp");

    NMSetting *user = nm_setting_user_new();
    nm_setting_user_set_data((NMSettingUser *) user, OKAERI_MADE_FROM, uuid, NULL);

    nm_connection_add_setting(profile, connection);
    nm_connection_add_setting(profile, user);
    nm_connection_add_setting(profile, wireless);
    nm_connection_add_setting(profile, security);
    g_bytes_unref(bytes);
    return profile;
}

/* Whether the request was refused because a permission is missing. */
static inline gboolean okaeri_is_denied(const GError *error) {
    if (g_error_matches(error, NM_MANAGER_ERROR, NM_MANAGER_ERROR_PERMISSION_DENIED)
        || g_error_matches(error, NM_SETTINGS_ERROR, NM_SETTINGS_ERROR_PERMISSION_DENIED)
        || g_error_matches(error, G_DBUS_ERROR, G_DBUS_ERROR_ACCESS_DENIED)
        || g_error_matches(error, G_DBUS_ERROR, G_DBUS_ERROR_AUTH_FAILED))
        return TRUE;
    char *name = g_dbus_error_get_remote_error(error);
    gboolean denied = name && (g_str_has_suffix(name, ".PermissionDenied") || g_str_has_suffix(name, ".NotAuthorized"));
    g_free(name);
    return denied;
}

/* Whether NetworkManager or the bus ended during the request. */
static inline gboolean okaeri_is_gone(const GError *error) {
    return g_error_matches(error, NM_CLIENT_ERROR, NM_CLIENT_ERROR_MANAGER_NOT_RUNNING)
           || g_error_matches(error, G_DBUS_ERROR, G_DBUS_ERROR_NAME_HAS_NO_OWNER)
           || g_error_matches(error, G_DBUS_ERROR, G_DBUS_ERROR_SERVICE_UNKNOWN)
           || g_error_matches(error, G_DBUS_ERROR, G_DBUS_ERROR_NO_REPLY)
           || g_error_matches(error, G_DBUS_ERROR, G_DBUS_ERROR_DISCONNECTED)
           || g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CLOSED);
}

/* The name of a device's reason, as "ssid-not-found"; NULL if libnm is older than the reason. */
static inline const char *okaeri_device_reason_name(guint reason) {
    GEnumClass *type = (GEnumClass *) g_type_class_ref(NM_TYPE_DEVICE_STATE_REASON);
    GEnumValue *value = g_enum_get_value(type, (gint) reason);
    g_type_class_unref(type);
    return value ? value->value_nick : NULL;
}
