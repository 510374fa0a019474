# Sets `alone`, the start of a command that runs Podman. Podman refuses a machine that mounts both versions of control groups, as its
# containers do without any. To be sourced.
# shellcheck shell=bash disable=SC2034,SC2016 # for its caller; for the inner shell
alone=(
    unshare --mount sh -euc '
        [ ! -d /sys/fs/cgroup/unified ] || mount --bind /sys/fs/cgroup/unified /sys/fs/cgroup
        exec "$@"' sh)
