#!/bin/bash
# module-shell.sh - a shell as on a cluster, where each `module load` puts one more directory before PATH. A
# command that is not there is looked for in all of them, and so is one of /usr/bin.
#
#	PATH=$PWD/build:$PATH examples/module-shell.sh [MODULES]
#
# On a real one, after the modules are loaded: `fastpath run -- bash`, or `exec fastpath run -- ./job.sh` in a
# batch script.
set -eu

modules=${1:-60}
work=$(mktemp -d "${TMPDIR:-/var/tmp}/module-shell.XXXXXX")
trap 'rm -rf "$work"' EXIT

module_load() { # what `module load NAME` does
	mkdir -p "$work/$1/1.0/bin"
	printf '#!/bin/sh\necho %s 1.0\n' "$1" >"$work/$1/1.0/bin/$1"
	chmod +x "$work/$1/1.0/bin/$1"
	PATH=$work/$1/1.0/bin:$PATH
}
for m in $(seq "$modules"); do
	module_load "module-$m"
done

# What configure scripts, completions and job scripts do all day: ask whether a command is there.
fastpath run --stats -- bash -c '
	found=0
	for n in $(seq 200); do
		command -v "module-$n" >/dev/null && found=$((found + 1))
	done
	echo "$found modules have a command; the last is $(module-1)"'
