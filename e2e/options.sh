# Reads --suite bookworm|trixie and --arch amd64|arm64 from the front of a script's arguments into `suite` and `architecture`,
# and the other arguments into `arguments`. Sourced before e2e/machine.sh.
# shellcheck shell=bash disable=SC2034 # what it sets is for others

# fail SENTENCE: prints an error of the arguments and ends.
fail() {
    echo "${0##*/}: $1" >&2
    exit 64
}

arguments=("$@")
while [[ ${arguments[0]:-} == --suite || ${arguments[0]:-} == --arch ]]; do
    case ${arguments[0]}=${arguments[1]:-} in
        --suite=bookworm | --suite=trixie) suite=${arguments[1]} ;;
        --arch=amd64 | --arch=arm64) architecture=${arguments[1]} ;;
        --suite=*) fail "--suite takes bookworm (Debian 12) or trixie (Debian 13)" ;;
        *) fail "--arch takes amd64 or arm64" ;;
    esac
    arguments=("${arguments[@]:2}")
done
