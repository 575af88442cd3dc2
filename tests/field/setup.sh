#!/bin/bash
# setup.sh - what the field tests need: the packages of ./packages, by apt-get (as root, or with sudo), and a chroot
# by debootstrap in $1, which later runs use again. Says on stderr what could not be had; the tests that
# need it skip. FIELD_SETUP=0: takes what is there.
set -u
here=$(cd "$(dirname "$0")" && pwd)
chroot=$1/chroot
[ "${FIELD_SETUP:-1}" != 0 ] || exit 0
sudo=
[ "$(id -u)" = 0 ] || sudo=sudo

installed() { dpkg-query -W -f '${db:Status-Abbrev}' "$1" 2>/dev/null | grep -q '^ii'; }
get() { DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -q --no-install-recommends "$@" >/dev/null; }

missing=()
for p in $(sed -n 's/^[a-z0-9+-]*: //p' "$here/packages" | tr ' ' '\n' | sort -u); do
	installed "$p" || missing+=("$p")
done
if [ ${#missing[@]} -gt 0 ]; then
	$sudo apt-get update -q >/dev/null
	# One that is not there must not keep the others away.
	get "${missing[@]}" 2>/dev/null || for p in "${missing[@]}"; do get "$p" || echo "no package $p" >&2; done
fi

[ "$(id -u)" = 0 ] && command -v debootstrap >/dev/null && [ ! -e "$chroot/made" ] || exit 0
. /etc/os-release
# The mirror that this system has: its lists are sources.list's lines, or deb822 stanzas.
mirror=$(sed -n 's/^URIs: *//p; s/^deb \(\[[^]]*\] \)*\(http[^ ]*\) .*/\2/p' \
	/etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | grep -E '/(debian|ubuntu)/?$' | head -n 1)
rm -rf "$chroot"
mkdir -p "$chroot"
if debootstrap --variant=minbase "$VERSION_CODENAME" "$chroot" "$mirror" >"$1/debootstrap.log" 2>&1; then
	: >"$chroot/made"
else
	echo "no chroot by debootstrap: $(tail -n 1 "$1/debootstrap.log")" >&2
fi
