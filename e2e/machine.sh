# Runs the virtual machine: sourced by scripts/e2e, scripts/power-cut and others, at the project's top. `suite` is the machine's
# Debian, bookworm by default, or trixie; `architecture` is this machine's, or arm64; `memory` is its memory in MB, `processors`
# the number of its processors.
# shellcheck shell=bash
suite=${suite:-bookworm}
architecture=${architecture:-$(dpkg --print-architecture)}
memory=${memory:-1024}
processors=${processors:-2}

# Only one run at a time, because two would share the builds and the folder of the guest.
mkdir -p .build-e2e
exec 9>.build-e2e/lock
if ! flock -n 9; then
    echo "e2e: another run is at it; try again when it has ended" >&2
    exit 75
fi
scripts/setup e2e
# shellcheck source=packaging/toolchain.sh
. packaging/toolchain.sh

# Builds the image and the programs at the same time.
image=$(e2e/image/build --folder "$suite" "$architecture")
e2e/image/build "$suite" "$architecture" >&2 9>&- &
making=$!

package=$(scripts/package --arch "$architecture")
for product in virtual-controller WatchRegion; do
    "${build[@]}" -c release --static-swift-stdlib --scratch-path "$scratch" --product "$product" >&2
done

wait "$making"

# The folder that the guest shares with this machine.
share=.build-e2e/share
rm -rf "$share"
mkdir -p "$share/bin" "$share/logs" "$share/packages"
for product in virtual-controller WatchRegion; do
    "$strip" -o "$share/bin/$product" "$scratch/release/$product"
done
dpkg-deb --fsys-tarfile "$package" | tar -xO ./usr/bin/okaeri >"$share/bin/okaeri"
chmod +x "$share/bin/okaeri"
cp "$package" "$share/packages"
e2e/repository "$package" "$share/repositories"
cp -r e2e/guest e2e/scenarios "$share"
: >"$share/results"

console=.build-e2e/console
case $architecture in
    amd64) emulator=(qemu-system-x86_64 -cpu max) terminal=ttyS0 ;;
    arm64) emulator=(qemu-system-aarch64 -M virt -cpu cortex-a72) terminal=ttyAMA0 ;;
esac

# machine SECONDS ARGUMENTS...: runs qemu until it ends, at most for that time.
machine() {
    local limit=$1 parameters=$2
    shift 2
    exec timeout "$limit" "${emulator[@]}" -m "$memory" -smp "$processors" \
        -kernel "$image/vmlinuz" -append "console=$terminal panic=-1 net.ifnames=0 mitigations=off $parameters" \
        -display none -serial "file:$console" -monitor none -no-reboot -net none "$@" </dev/null
}

# Tests KVM by using it: a kernel without a root panics at once, and the machine ends.
accelerator=tcg
if [ "$architecture" = "$native" ] && [ -w /dev/kvm ] && { (machine 10 "" -accel kvm); } 2>/dev/null; then accelerator=kvm; fi

# boot SECONDS DRIVE [NUMBER] [ARGUMENTS...]: boots from that drive, at most for that time. If there are several machines, each
# has a number and a console of its own. ARGUMENTS are for qemu.
boot() {
    local console=$console${3:+-$3}
    machine "$1" "root=/dev/vda rw ${3:+okaeri.machine=$3}" -accel "$accelerator" -initrd "$image/initrd.img" -drive "$2,if=virtio" \
        -virtfs "local,path=$share,mount_tag=host0,security_model=none" "${@:4}"
}
