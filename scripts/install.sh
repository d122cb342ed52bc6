#!/bin/sh
# Installs the native agent-gauntlet and brepl from a release, after checking the archive against its checksum.
#
#   curl -fsSL <release>/install.sh | sh
#
# PREFIX                    installs into $PREFIX/bin (default: ~/.local)
# AGENT_GAUNTLET_VERSION    takes this version (default: the latest)
# AGENT_GAUNTLET_DOWNLOAD   takes the files from this address: a mirror, or a server of your own
set -eu

releases=''

main() {
  platform=$(platform_name)
  from=$(download_address)
  bin="${PREFIX:-${HOME:?is not set: set PREFIX}/.local}/bin"
  archive="agent-gauntlet-$platform.tar.gz"

  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
  trap 'exit 1' HUP INT TERM
  download "$from/SHA256SUMS" "$scratch/SHA256SUMS"
  download "$from/$archive" "$scratch/$archive"
  verify "$archive"
  tar -xzf "$scratch/$archive" -C "$scratch" || fail "cannot unpack $archive"
  case $platform in
    *-musl) hint=' (on Alpine it needs: apk add libstdc++)' ;;
    *) hint='' ;;
  esac
  version=$("$scratch/agent-gauntlet" --version) || fail "the program for $platform does not run on this machine$hint"
  put_in_place "$bin"
  echo "agent-gauntlet $version is in $bin."
  case ":$PATH:" in
    *":$bin:"*) ;;
    *) echo "Add $bin to your PATH: hooks call the program by its name." ;;
  esac
}

platform_name() {
  system=$(uname -s)
  machine=$(uname -m)
  case $machine in
    x86_64 | amd64) machine=x64 ;;
    aarch64 | arm64) machine=arm64 ;;
  esac
  case $system in
    Linux) system=linux ;;
    Darwin)
      system=darwin
      # a shell under Rosetta says x86_64 on an ARM Mac
      [ "$(sysctl -n sysctl.proc_translated 2>/dev/null || true)" = 1 ] && machine=arm64
      ;;
  esac
  libc=''
  if [ "$system" = linux ]; then
    case $(ldd --version 2>&1 || true) in *musl*) libc=-musl ;; esac
  fi
  case $system-$machine$libc in
    linux-x64 | linux-arm64 | linux-x64-musl | darwin-x64 | darwin-arm64) echo "$system-$machine$libc" ;;
    *) fail "there is no native program for $system-$machine$libc. With Node: npm install --global agent-gauntlet" ;;
  esac
}

download_address() {
  if [ -n "${AGENT_GAUNTLET_DOWNLOAD:-}" ]; then
    echo "${AGENT_GAUNTLET_DOWNLOAD%/}"
  elif [ -z "$releases" ]; then
    fail "set AGENT_GAUNTLET_DOWNLOAD to the address of a release"
  elif [ -n "${AGENT_GAUNTLET_VERSION:-}" ]; then
    echo "$releases/download/v${AGENT_GAUNTLET_VERSION#v}"
  else
    echo "$releases/latest/download"
  fi
}

download() {
  if command -v curl >/dev/null; then
    curl -fsSL --retry 2 -o "$2" "$1" || fail "cannot download $1"
  elif command -v wget >/dev/null; then
    wget -q -O "$2" "$1" || fail "cannot download $1"
  else
    fail "curl or wget is needed"
  fi
}

verify() {
  expected=$(awk -v name="$1" '$2 == name { print $1 }' "$scratch/SHA256SUMS")
  [ -n "$expected" ] || fail "SHA256SUMS does not name $1"
  if command -v sha256sum >/dev/null; then
    actual=$(sha256sum "$scratch/$1")
  elif command -v shasum >/dev/null; then
    actual=$(shasum -a 256 "$scratch/$1")
  else
    fail "sha256sum or shasum is needed to check the download"
  fi
  [ "${actual%% *}" = "$expected" ] || fail "the checksum of $1 is wrong, so nothing was installed"
}

# Renaming replaces a program that is running.
put_in_place() {
  mkdir -p "$1" || fail "cannot make $1"
  { cp "$scratch/agent-gauntlet" "$1/.agent-gauntlet.$$" && mv -f "$1/.agent-gauntlet.$$" "$1/agent-gauntlet"; } ||
    fail "cannot write to $1"
  if [ -e "$1/brepl" ] && [ "$(readlink "$1/brepl" || true)" != agent-gauntlet ]; then
    echo "$1/brepl is another program and stays; ours is \`agent-gauntlet brepl\`."
  else
    ln -sf agent-gauntlet "$1/brepl"
  fi
  ln -sf agent-gauntlet "$1/agent-gauntlet-native" # the name by which the Claude Code plugin and init look for it
}

fail() {
  echo "agent-gauntlet was not installed: $1" >&2
  exit 1
}

main
