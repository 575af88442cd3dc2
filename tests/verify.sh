#!/bin/bash
# Real work with FASTPATH_VERIFY=1: configure and make of GNU hello and dash (Debian's source
# packages, fetched into build/), an include storm, bash and python scripts. Every answer of the cache
# is compared with the kernel's. In process scope eager, so that as much as can be answered is; in tree
# scope by the rules of cost, each command a session, and some of it repeated. Prints the sum of checked,
# wrong and unresolved answers; fails when any was wrong or too few were checked: 100,000, or 1,000,000.
#
#	tests/verify.sh [BUILD [tree]]
set -eu
build=$(realpath "${1:-build}")
work=$build/verify
scope=${2:-process}
stats=$work/stats.json
passes=2 storms=1 enough=100000
[ "$scope" = tree ] && passes=120 storms=8 enough=1000000
library=$build/libfastpath.so
mkdir -p "$work"
rm -f "$stats"

# A sources list of our own: the system's is left alone.
fetch() {
	local lists=$work/lists options
	mkdir -p "$lists/partial"
	sed -n 's/^URIs: *//p; s/^deb \(\[[^]]*\] \)*\(http[^ ]*\) .*/\2/p' \
		/etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null |
		grep -E '/(debian|ubuntu)/?$' | head -n 1 >"$work/mirror"
	. /etc/os-release
	echo "deb-src $(cat "$work/mirror") $VERSION_CODENAME main" >"$work/sources.list"
	options="-o Dir::Etc::sourcelist=$work/sources.list -o Dir::Etc::sourceparts=/dev/null
		-o Dir::State::lists=$lists -o APT::Sandbox::User=root"
	# shellcheck disable=SC2086 # the options are words
	apt-get -q $options update >"$work/apt.log"
	# shellcheck disable=SC2086
	(cd "$work" && apt-get -q $options source hello dash >>"$work/apt.log" 2>&1)
	# Debian's patches change what configure is made from.
	(cd "$work"/dash-[0-9]*/ && autoreconf -fi >>"$work/apt.log" 2>&1)
}

under() {
	if [ "$scope" = tree ]; then
		FASTPATH_VERIFY=1 FASTPATH_STATS="$stats" "$build/fastpath" run "$@"
		return
	fi
	FASTPATH=1 FASTPATH_TEST=eager FASTPATH_VERIFY=1 FASTPATH_STATS="$stats" \
		LD_PRELOAD="$library" "$@"
}

autoconf_build() {
	local source
	source=$(echo "$work/$1"-[0-9]*/)
	rm -rf "$work/$1-build" "$work/$1-plain"
	mkdir "$work/$1-build" "$work/$1-plain"
	(cd "$work/$1-build" && under "$source/configure" >log 2>&1 && under make >>log 2>&1)
	(cd "$work/$1-plain" && "$source/configure" >log 2>&1 && make >>log 2>&1)
	# What was configured is what would have been without.
	cmp <(grep '^#' "$work/$1-build/config.h") <(grep '^#' "$work/$1-plain/config.h")
	echo "$1: configured and made; config.h as without the library"
}

include_storm() {
	local i flags=()
	for i in $(seq 60); do
		mkdir -p "$work/storm/package-$i/include"
		echo "int f$i(void);" >"$work/storm/package-$i/include/header-$i.h"
		flags+=(-I "$work/storm/package-$i/include")
	done
	for i in $(seq 8); do
		{ for h in $(seq 60); do echo "#include <header-$h.h>"; done
		  echo "#include <stdio.h>"; } >"$work/storm/$i.c"
	done
	printf 'all: 1.o 2.o 3.o 4.o 5.o 6.o 7.o 8.o\n%%.o: %%.c\n\tgcc %s -c $< -o $@\n' \
		"${flags[*]}" >"$work/storm/Makefile"
	for i in $(seq "$storms"); do
		(cd "$work/storm" && rm -f ./*.o && under make -j2 >log 2>&1)
	done
	echo "include storm: 8 files, 60 directories"
}

scripts() {
	local path
	path=$(printf "$work/bin-%s:" $(seq 40))$PATH
	mkdir -p $(printf "$work/bin-%s " $(seq 40))
	PATH=$path under bash -c 'for p in $(seq '"$passes"'); do for n in $(seq 150); do
		command -v missing-$n; done; for n in ls cat sed awk gcc python3; do command -v $n; done
		done' >/dev/null || true
	under python3 -c '
import os
for _ in range(50):
    for n in range(200):
        os.path.exists(f"/usr/lib/python3/dist-packages/missing-{n}")
        os.access("/usr/bin/env", os.X_OK)
import json, xml.dom.minidom, email, http.client'
	echo "bash and python scripts"
}

[ -d "$work"/hello-[0-9]* ] && [ -d "$work"/dash-[0-9]* ] || fetch
autoconf_build hello
autoconf_build dash
include_storm
scripts
python3 - "$stats" "$enough" <<'PYTHON'
import json, sys
sums = {"checked": 0, "wrong": 0, "unresolved": 0}
for line in open(sys.argv[1], errors="replace"):
    for key, value in json.loads(line)["verify"].items():
        sums[key] += value
print("verified hits %(checked)d, wrong %(wrong)d, unresolved %(unresolved)d" % sums)
sys.exit(sums["wrong"] > 0 or sums["checked"] < int(sys.argv[2]))
PYTHON
