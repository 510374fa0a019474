#!/bin/sh
# Starts Okaeri as an app of Home Assistant: makes its configuration of the options, of the broker that the Supervisor names, and of the
# user's beacons.json, and becomes the daemon. Further arguments are the daemon's.
set -eu
umask 077

# e2e/app has another Supervisor, and other folders.
supervisor=${OKAERI_APP_SUPERVISOR:-http://supervisor}
data=${OKAERI_APP_DATA:-/data}
own=${OKAERI_APP_CONFIG:-/config}
# The time in seconds for which it waits for an answer that it can use: the Supervisor itself may be starting.
patience=${OKAERI_APP_PATIENCE:-120}
here=$(dirname "$0")

# say SENTENCE: prints one line. The words of users and of the Supervisor must not forge a second one.
say() {
    printf '%s' "$1" | jq --raw-input --slurp --raw-output '"okaeri: " + (.[:1000] | gsub("[\\p{C}\\p{Zl}\\p{Zp}]"; "?"))' >&2
}

# fail STATUS SENTENCE: ends.
fail() {
    say "$2"
    exit "$1"
}

# The clock of the machine may be set at the start.
seconds() {
    read -r now _ </proc/uptime
    echo "${now%.*}"
}

# The token must not be an argument, which the list of processes shows.
# request PATH FILE: stores the data of an answer of the Supervisor. Returns 3 if Home Assistant does not have the service, and else
# leaves the reason in FILE.problem.
request() {
    : >"$2.answer"
    code=$(printf 'header = "Authorization: Bearer %s"\n' "$SUPERVISOR_TOKEN" |
        curl -sS --max-time 10 --max-filesize 1048576 --config - --write-out '%{http_code}' --output "$2.answer" "$supervisor/$1" \
            2>"$2.problem") || return 1
    jq --raw-input --slurp --arg code "$code" --from-file "$here/answer.jq" "$2.answer" >"$2" 2>"$2.problem"
}

# ask PATH FILE: the same until there is an answer. Without one it ends the script.
ask() {
    end=$(($(seconds) + patience))
    said=''
    while true; do
        status=0
        request "$1" "$2" || status=$?
        case $status in 0 | 3) return "$status" ;; esac
        reason="the Supervisor's answer to $1 cannot be used: $(cat "$2.problem")"
        [ "$(seconds)" -lt "$end" ] || fail 69 "$reason; restart the app"
        [ -n "$said" ] || say "$reason; asking again for up to $patience s"
        said=yes
        sleep 2
    done
}

[ -n "${SUPERVISOR_TOKEN:-}" ] || fail 64 "SUPERVISOR_TOKEN is missing; this script is for the Supervisor of Home Assistant"
folder=$(dirname "$OKAERI_CONFIG")
install -d -m 0755 "$RUNTIME_DIRECTORY" "$folder"
install -d -m 0750 "$STATE_DIRECTORY"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The app is stopped while it waits for an answer.
trap 'exit 0' TERM

ask addons/self/info "$work/app" || fail 69 "the Supervisor does not know this app"
password=$RUNTIME_DIRECTORY/mqtt.password
rm -f "$password"
if ask services/mqtt "$work/broker"; then
    jq -j '.password // ""' "$work/broker" >"$password"
else
    echo null >"$work/broker"
    say "Home Assistant has no MQTT broker: to see the regions there, install the app Mosquitto broker, and restart this one"
fi
# The daemon and its hooks have nothing to ask the Supervisor.
unset SUPERVISOR_TOKEN HASSIO_TOKEN

file=$own/beacons.json
# jq would wait for the writer of a pipe.
[ ! -e "$file" ] || [ -f "$file" ] || fail 78 "beacons.json: it is not a regular file"
[ -e "$file" ] || [ -L "$file" ] || printf '{\n  "regions": []\n}\n' >"$file"
# Neither File editor nor Samba sets the mode of a file, and the daemon uses none with a secret that others may read. It gets copies.
# A link, or something else than a file, stays where it is, and the daemon refuses it.
secrets=$RUNTIME_DIRECTORY/config
rm -rf "$secrets"
: >"$work/copied"
jq --raw-output --arg own "$own/" --from-file "$here/secrets.jq" "$file" 2>/dev/null | while IFS= read -r path; do
    name=${path#"$own/"}
    if [ -f "$path" ] && [ "$(realpath -- "$path")" = "$(realpath -- "$own")/$name" ] &&
        [ "$(stat --format %s -- "$path")" -le 1048576 ]; then
        install -D -m 0600 -- "$path" "$secrets/$name"
        printf '%s\n' "$path" >>"$work/copied"
    fi
done
status=0
jq --slurpfile options "$data/options.json" --slurpfile app "$work/app" --slurpfile broker "$work/broker" --arg password "$password" \
    --rawfile copied "$work/copied" --arg own "$own" --arg secrets "$secrets" --from-file "$here/configuration.jq" "$file" \
    >"$work/beacons.json" 2>"$work/problem" || status=$?
# A check of the user's file names the line of a mistake.
check_own() {
    okaeri config check --config "$file" >"$work/check" 2>&1 || cat "$work/check" >&2
}

case $status in
    # The daemon decides whether it can do without.
    0) okaeri config check --config "$work/beacons.json" >/dev/null 2>&1 || check_own ;;
    69) fail 69 "$(cat "$work/problem")" ;;
    *) check_own && fail 78 "$(sed 's/^jq: error (at [^)]*): //' "$work/problem")" ;;
esac
# The page saves regions in the state directory, because the daemon may not write this file: it is made anew at each start.
chmod 0400 "$work/beacons.json"
mv -f "$work/beacons.json" "$OKAERI_CONFIG"
chmod 0555 "$folder"
rm -rf "$work"
trap - EXIT

# Root with the capabilities of the packaged service alone.
exec setpriv --no-new-privs --bounding-set=-all,+net_raw,+net_admin --inh-caps=-all okaeri monitor "$@"
