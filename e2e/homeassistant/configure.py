"""Writes the configuration of a Home Assistant after its onboarding: configure.py FOLDER HTTP_PORT MQTT_PORT.

It contains a user, a long-lived token (FOLDER/token) and the MQTT integration, so that nothing must be clicked.
"""

import base64
import datetime
import hashlib
import hmac
import json
import pathlib
import secrets
import sys
import time

NOW = datetime.datetime.now(datetime.timezone.utc).isoformat()


def store(folder, key, version, data, minor=1):
    (folder / ".storage").mkdir(parents=True, exist_ok=True)
    (folder / ".storage" / key).write_text(
        json.dumps({"version": version, "minor_version": minor, "key": key, "data": data}), encoding="utf-8")


def users(folder):
    """Creates a user and a token."""
    user, token, key = secrets.token_hex(16), secrets.token_hex(16), secrets.token_hex(64)
    groups = [{"id": f"system-{name}", "name": name} for name in ("admin", "users", "read-only")]
    store(folder, "auth", 1, {
        "users": [{
            "id": user, "group_ids": ["system-admin"], "is_owner": True, "is_active": True, "name": "Test",
            "system_generated": False, "local_only": False}],
        "groups": groups, "credentials": [],
        "refresh_tokens": [{
            "id": token, "user_id": user, "client_id": None, "client_name": "test", "client_icon": None,
            "token_type": "long_lived_access_token", "created_at": NOW, "access_token_expiration": 315360000.0,
            "token": secrets.token_hex(64), "jwt_key": key, "last_used_at": None, "last_used_ip": None, "expire_at": None,
            "credential_id": None, "version": "2026.11.0"}]})
    now = int(time.time())
    words = [{"alg": "HS256", "typ": "JWT"}, {"iss": token, "iat": now - 60, "exp": now + 315360000}]
    text = ".".join(encode(json.dumps(word).encode()) for word in words)
    signature = hmac.new(key.encode(), text.encode(), hashlib.sha256).digest()
    (folder / "token").write_text(f"{text}.{encode(signature)}", encoding="utf-8")


def encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def main():
    folder, http, mqtt = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    users(folder)
    store(folder, "onboarding", 4, {"done": ["user", "core_config", "analytics", "integration"]})
    store(folder, "core.analytics", 1, {"onboarded": True, "preferences": {}, "uuid": None})
    store(folder, "core.config_entries", 1, {"entries": [{
        "created_at": NOW, "modified_at": NOW, "data": {"broker": "127.0.0.1", "port": mqtt, "protocol": "5"},
        "disabled_by": None, "discovery_keys": {}, "domain": "mqtt", "entry_id": "01OKAERIMQTT00000000000000", "version": 2,
        "minor_version": 1, "options": {"discovery": True, "discovery_prefix": "homeassistant"},
        "pref_disable_new_entities": False, "pref_disable_polling": False, "source": "user", "subentries": [],
        "title": "127.0.0.1", "unique_id": None}]}, 5)
    # A configuration in YAML would start a trial of five minutes, after which Home Assistant stops itself.
    store(folder, "http", 3, {
        "stable": {
            "server_port": http, "server_host": ["127.0.0.1"], "cors_allowed_origins": [], "login_attempts_threshold": -1,
            "ip_ban_enabled": False, "ssl_profile": "intermediate_v6", "use_x_frame_options": True, "created_at": NOW,
            "error": None, "error_message": None},
        "pending": None, "yaml_migration_done": True})
    (folder / "configuration.yaml").write_text(
        "homeassistant:\n  name: Test\n  time_zone: Europe/Berlin\n  country: DE\napi:\nlogger:\n  default: warning\n",
        encoding="utf-8")


main()
