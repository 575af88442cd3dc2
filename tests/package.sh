#!/bin/bash
# package.sh - the Debian packages of this source: built from a clean export, without an error of lintian, installed in
# fresh systems of this release and of others, tried and removed; and the source, built and tried in each of them.
# Needs root and the mirror that apt is configured with. The systems' ground is kept in BUILD/package; RELEASES
# replaces the list of releases.
#
#	tests/package.sh [BUILD]
set -u
export LC_ALL=C DEBIAN_FRONTEND=noninteractive PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
unset LD_PRELOAD ${!FASTPATH*}
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
if [ "$(id -u)" = 0 ] && [ -z "${PACKAGE_INSIDE:-}" ]; then
	PACKAGE_INSIDE=1 exec unshare -m --propagation private -- "$BASH" "$0" "$@" # what is mounted ends with us
fi
build=$(realpath -m "${1:-$top/build}")
work=$build/package
packages=$work/packages
root=$work/root
arch=$(dpkg --print-architecture 2>/dev/null)
passed=0 failed=0 skipped=0
mkdir -p "$work"

# verdict NAME WHY: a failure if WHY says something.
verdict()
{
	if [ -n "$2" ]; then
		failed=$((failed + 1))
		echo "FAIL $1: ${2//$'\n'/ | }"
	else
		passed=$((passed + 1))
		echo "PASS $1"
	fi
}
skip() { skipped=$((skipped + 1)); echo "SKIP $1: $2"; }
finish()
{
	echo "$passed passed, $failed failed, $skipped skipped"
	[ "$failed" -eq 0 ] || exit 1
	[ "$passed" -gt 0 ] || exit 77
	exit 0
}

# logged FILE COMMAND...: says its last words if it fails
logged()
{
	local log=$work/$1
	shift
	"$@" >"$log" 2>&1 </dev/null || echo "$1 ended with $?, see $log: $(tail -n 3 "$log")"
}

# ---- the packages ----

# export_to DIR: what git knows, as it is in the work tree
export_to()
{
	rm -rf "$1"
	mkdir -p "$1"
	(cd "$top" && git ls-files -z | while IFS= read -r -d '' f; do [ ! -e "$f" ] || printf '%s\0' "$f"; done |
		tar --null -T - -c) | tar -x -C "$1" --no-same-owner
}
build_packages() { cd "$packages/fastpath" && dpkg-buildpackage -us -uc; }
# On amd64 the empty library of i386 is made by the same compiler.
build_narrow() { cd "$packages/fastpath" && dpkg-buildpackage -us -uc -B -a i386; }
check_packages() { lintian --allow-root --fail-on error "$packages"/*.changes; }

for tool in git dpkg-buildpackage dh; do
	command -v $tool >/dev/null && continue
	skip the_packages_are_built "$tool"
	finish
done
rm -rf "$packages"
export_to "$packages/fastpath"
why=$(logged packages.log build_packages)
verdict the_packages_are_built "$why"
[ -z "$why" ] || finish
if [ "$arch" = amd64 ]; then
	verdict the_package_for_i386_is_built "$(logged narrow.log build_narrow)"
else
	skip the_package_for_i386_is_built "amd64"
fi
if command -v lintian >/dev/null; then
	verdict lintian_finds_no_error "$(logged lintian.log check_packages)"
	grep -E '^[EW]: ' "$work/lintian.log" | sed 's/^/     /'
else
	skip lintian_finds_no_error "lintian"
fi

# ---- fresh systems ----

# What a build needs, for the source is built there too; gcc is for a program that includes the header as well.
include=gcc,make,libc6-dev,linux-libc-dev,libjansson-dev,liblzma-dev,libseccomp-dev,libunwind-dev
[ "$(id -u)" = 0 ] || { skip fresh_systems root; finish; }
command -v debootstrap >/dev/null || { skip fresh_systems debootstrap; finish; }
mirror=$(sed -n 's/^URIs: *//p; s/^deb \(\[[^]]*\] \)*\(http[^ ]*\) .*/\2/p' /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null |
	grep -E '/(debian|ubuntu)/?$' | head -n 1)
here=$(. /etc/os-release && echo "$VERSION_CODENAME")
case $mirror in
*debian | *debian/) releases="$here bookworm trixie" ;;
*ubuntu | *ubuntu/) releases="$here jammy noble" ;;
*) skip fresh_systems "a mirror of Debian or Ubuntu in apt's sources"; finish ;;
esac
releases=${RELEASES:-$(tr ' ' '\n' <<<"$releases" | awk '!seen[$0]++' | paste -s -d ' ')}

# COMMAND, a line of bash, in the system; what it says goes to our stdout
inside() { chroot "$root" /usr/bin/env -i PATH="$PATH" HOME=/root LC_ALL=C DEBIAN_FRONTEND=noninteractive /bin/bash -c "$1" 2>&1 </dev/null; }

clear_root()
{
	umount "$root/proc" "$root" 2>/dev/null
	rm -rf --one-file-system "$root"
	mkdir -p "$root"
}

# Made once: the release, and on amd64 the loader of 32-bit programs.
make_ground() # RELEASE
{
	debootstrap --variant=minbase --include="$include" "$1" "$root" "$mirror" || return
	if [ "$arch" = amd64 ]; then
		inside 'dpkg --add-architecture i386 && apt-get update -q && apt-get install -y -q --no-install-recommends libc6:i386' ||
			echo "no i386 on this mirror"
	fi
	rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/*
}

# fresh RELEASE: a new system in $root; says why not.
fresh()
{
	local ground=$work/$1-$(cksum <<<"$include $arch" | cut -d ' ' -f 1).tar
	clear_root
	if [ ! -f "$ground" ]; then
		logged "$1-ground.log" make_ground "$1" | grep . && return
		umount "$root/proc" 2>/dev/null
		tar -C "$root" -cf "$ground.new" . && mv "$ground.new" "$ground"
	else
		tar -C "$root" -xf "$ground"
	fi
	# A mount of its own, as the root of a system is one: what is in no mount table is not cached for users.
	mount --bind "$root" "$root" && mount -t proc proc "$root/proc" || echo "no mounts"
}

# What is there, but for what dpkg and ldconfig note for themselves.
list_root() { find "$root" -xdev \( -path "$root/proc" -o -path "$root/tmp" -o -path "$root/var/lib/dpkg" -o -path "$root/var/log" -o -path "$root/var/cache" \) -prune -o -print | sort; }

# Can the packages, built here, be installed there?
fits()
{
	local wanted
	wanted=$(dpkg-deb -f "$packages"/fastpath_*_"$arch".deb Depends | sed -n 's/.*libc6 (>= \([^)]*\)).*/\1/p')
	inside "dpkg --compare-versions \$(dpkg-query -W -f '\${Version}' libc6) ge '${wanted:-0}'"
}

silence='
	cd /tmp || exit
	echo "void _start(void) { __asm__ volatile(\"int \$0x80\" : : \"a\"(1), \"b\"(42)); }" >narrow.c
	gcc -m32 -O1 -nostdlib -fPIE -pie -Wl,--dynamic-linker=/lib/ld-linux.so.2 -o narrow narrow.c || exit
	silent() # NAME COMMAND...
	{
		name=$1
		shift
		said=$("$@" 2>&1)
		[ $? = 42 ] && [ -z "$said" ] || echo "$name: $said; "
	}
	LD_PRELOAD=$(echo /usr/lib/x86_64-linux-gnu/libfastpath.so) ./narrow 2>&1 | grep -q "wrong ELF class" || echo "the case is broken: no complaint; "
	silent "by its bare name" env LD_PRELOAD=libfastpath.so ./narrow
	silent "by \$LIB" env "LD_PRELOAD=/usr/\$LIB/libfastpath.so" ./narrow
	silent "in a session" fastpath run ./narrow
	silent "in a session, of a shell" fastpath run sh -c "./narrow; ./narrow"
	silent "in process scope" env FASTPATH=process fastpath run sh -c "./narrow; ./narrow"
	[ "$(fastpath run printenv LD_PRELOAD)" = "/usr/\$LIB/libfastpath.so" ] || echo "LD_PRELOAD=$(fastpath run printenv LD_PRELOAD); "'

try_packages() # RELEASE
{
	local before why
	if ! fits >/dev/null; then
		skip "the_packages_install_and_work[$1]" "a libc as new as that of $here"
		return
	fi
	before=$(list_root)
	mkdir -p "$root/tmp/packages"
	cp "$packages"/*.deb "$packages/fastpath/debian/tests/smoke" "$root/tmp/packages"
	rm -f "$root"/tmp/packages/*-dbgsym_*
	why=$(logged "$1-install.log" inside "dpkg -i /tmp/packages/*_$arch.deb /tmp/packages/*_all.deb && /tmp/packages/smoke")
	verdict "the_packages_install_and_work[$1]" "$why"
	if [ "$arch" = amd64 ] && [ -e "$root/lib/ld-linux.so.2" ]; then
		why=$(logged "$1-narrow.log" inside "dpkg -i /tmp/packages/*_i386.deb")
		verdict "32_bit_programs_are_silent[$1]" "$why$(inside "$silence")"
	else
		skip "32_bit_programs_are_silent[$1]" "libc6:i386"
	fi
	why=$(logged "$1-remove.log" inside "dpkg --purge \$(dpkg-query -W -f '\${binary:Package}\n' '*fastpath*')")
	why+=$(inside "dpkg-query -W '*fastpath*' 2>/dev/null")
	why+=$(diff <(echo "$before") <(list_root) | grep '^[<>]')
	inside 'LD_PRELOAD=libfastpath.so /bin/true' | grep -q 'cannot be preloaded' || why+="the loader still finds it; "
	verdict "their_removal_leaves_nothing[$1]" "$why"
}

try_source() # RELEASE
{
	local why
	export_to "$root/tmp/fastpath"
	# What there is was installed as the system was made: nothing more is fetched.
	why=$(logged "$1-source.log" inside "cd /tmp/fastpath && make -j${JOBS:-$(nproc)} all check-unit && make quickstart DEPS='gcc make'")
	grep -q 'scope process, bell' "$work/$1-source.log" || why+="the quickstart was not served; "
	why+=$(inside 'readelf -d /tmp/fastpath/build/libfastpath.so | grep NEEDED; nm -D -u /tmp/fastpath/build/libfastpath.so')
	verdict "the_source_is_built_and_passes_its_unit_tests[$1,gcc $(inside 'gcc -dumpversion'),glibc $(inside "getconf GNU_LIBC_VERSION | cut -d ' ' -f 2")]" "$why"
}

trap 'clear_root' EXIT
for release in $releases; do
	why=$(fresh "$release")
	if [ -n "$why" ]; then
		skip "a_fresh_system[$release]" "$why"
		continue
	fi
	try_packages "$release"
	try_source "$release"
done
finish
