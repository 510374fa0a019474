# The commands that make a release for an architecture: sourced at the project's top, with `architecture`, and with `sdk` for an SDK of
# the user. `build` is the command that builds, `scratch` its folder; `compile` compiles C; `run` runs the built program, `strip` strips
# it, and `sysroot` is the folder of its libraries, if they are not this machine's; `native` is this machine's architecture.
# shellcheck shell=bash disable=SC2034 # the variables are for the sourcing scripts

# refuse SENTENCE: prints an error and ends.
refuse() {
    echo "${0##*/}: $1" >&2
    exit 64
}

native=$(dpkg --print-architecture)
sdk=${sdk:-}
build=(swift build) compile=(clang) run=() strip=strip scratch=.build-release sysroot=
if [ "$architecture" = "$native" ]; then
    [ -z "$sdk" ] || refuse "--swift-sdk is for another architecture than this machine's: name it with --arch"
    scripts/setup package
elif [ "$architecture" != arm64 ]; then
    refuse "for $architecture it makes packages on $architecture alone; from here it can for arm64"
else
    scripts/setup sdk
    scratch=.build-release-$architecture
    if [ -n "$sdk" ]; then
        scripts/setup package
        sysroot=${PKG_CONFIG_SYSROOT_DIR:-}
        [ -n "$sysroot" ] || refuse "--swift-sdk wants PKG_CONFIG_SYSROOT_DIR: the Debian that the SDK links against"
        build+=(--swift-sdk "$sdk")
        compile+=(--target=aarch64-linux-gnu "--sysroot=$sysroot" "-L$sysroot/usr/lib/aarch64-linux-gnu")
    else
        # SwiftPM does not see that an SDK has changed.
        build=(scripts/sdk swift build --swift-sdks-path .build-sdk --swift-sdk okaeri-arm64
            --disable-build-manifest-caching)
        sysroot=$PWD/.build-sdk/okaeri-arm64.artifactbundle/sysroot
        compile=(scripts/sdk clang --target=aarch64-linux-gnu "--sysroot=$sysroot" "-L$sysroot/usr/lib/aarch64-linux-gnu")
    fi
    run=(qemu-aarch64-static -L "$sysroot")
    strip=aarch64-linux-gnu-strip
fi

# Only in this project's own clone, not in another repository that contains its source. Package.swift passes it to the C target.
if [ -z "${OKAERI_COMMIT:-}" ] && folder=$(git rev-parse --show-prefix 2>/dev/null) && [ -z "$folder" ]; then
    OKAERI_COMMIT=$(git rev-parse --short HEAD)
    [ -z "$(git status --porcelain)" ] || OKAERI_COMMIT+=-dirty
fi
export OKAERI_COMMIT=${OKAERI_COMMIT:-}
