#!/bin/sh
# Starts Okaeri as an app of Home Assistant: makes its configuration of the options, of the broker that the Supervisor names, and of the
# user's beacons.json, and becomes the daemon. Further arguments are the daemon's.
set -eu
umask 077

# e2e/app has another Supervisor, and other folders.
supervisor=${OKAERI_APP_SUPERVISOR:-http://supervisor}
data=${OKAERI_APP_DATA:-/data}
own=${OKAERI_APP_CONFIG:-/config}
here=$(dirname "$0")

# fail STATUS SENTENCE: ends.
fail() {
    echo "okaeri: $2" >&2
    exit "$1"
}

# The token must not be an argument, which the list of processes shows.
# ask PATH FILE: stores the data of an answer of the Supervisor, and returns whether it is one of success.
ask() {
    printf 'header = "Authorization: Bearer %s"\n' "$SUPERVISOR_TOKEN" |
        curl -sS --max-time 30 --max-filesize 1048576 --config - --output "$2.answer" "$supervisor/$1" &&
        jq -e 'if .result == "ok" and (.data | type) == "object" then .data else error(.message // "no answer" | tostring) end' \
            "$2.answer" >"$2" 2>"$2.problem"
}

[ -n "${SUPERVISOR_TOKEN:-}" ] || fail 64 "SUPERVISOR_TOKEN is missing; this script is for the Supervisor of Home Assistant"
folder=$(dirname "$OKAERI_CONFIG")
install -d -m 0755 "$RUNTIME_DIRECTORY" "$folder"
install -d -m 0750 "$STATE_DIRECTORY"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

ask addons/self/info "$work/app" || fail 69 "the Supervisor does not answer; restart the app"
password=$RUNTIME_DIRECTORY/mqtt.password
rm -f "$password"
if ask services/mqtt "$work/broker"; then
    jq -j '.password // ""' "$work/broker" >"$password"
else
    echo null >"$work/broker"
    echo "okaeri: Home Assistant has no MQTT broker: to see the regions there, install the app Mosquitto broker, and restart this one" >&2
fi

file=$own/beacons.json
# jq would wait for the writer of a pipe.
[ ! -e "$file" ] || [ -f "$file" ] || fail 78 "beacons.json: it is not a regular file"
[ -e "$file" ] || [ -L "$file" ] || printf '{\n  "regions": []\n}\n' >"$file"
# It names the line and the key of a mistake in the user's file. The daemon decides whether it can do without.
okaeri config check --config "$file" >"$work/check" 2>&1 || cat "$work/check" >&2
jq --slurpfile options "$data/options.json" --slurpfile app "$work/app" --slurpfile broker "$work/broker" \
    --arg password "$password" --from-file "$here/configuration.jq" "$file" >"$work/beacons.json" 2>"$work/problem" ||
    fail 78 "$(sed 's/^jq: error (at [^)]*): //' "$work/problem" | LC_ALL=C tr -c ' -~' '?')"
# The page saves regions in the state directory, because the daemon may not write this file: it is made anew at each start.
chmod 0400 "$work/beacons.json"
mv -f "$work/beacons.json" "$OKAERI_CONFIG"
chmod 0555 "$folder"
rm -rf "$work"
trap - EXIT

# Root with the capabilities of the packaged service alone.
exec setpriv --no-new-privs --bounding-set=-all,+net_raw,+net_admin --inh-caps=-all okaeri monitor "$@"
