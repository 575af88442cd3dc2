#!/bin/bash
# valgrind finds nothing in the unit tests, nor in a shell that runs under the library.
set -u
export LC_ALL=C
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
status=0
if ! command -v valgrind >/dev/null; then
	echo "SKIP valgrind_finds_nothing: valgrind"
	exit 77
fi

# clean NAME COMMAND...: the command succeeds under valgrind, without a finding.
clean() {
	local name=$1 out
	shift
	if out=$(timeout 120 valgrind -q --error-exitcode=9 "$@" 2>&1); then
		echo "PASS valgrind_finds_nothing_in_$name"
	else
		echo "FAIL valgrind_finds_nothing_in_$name: $(tail -n 5 <<<"$out" | tr '\n' ' ')"
		status=1
	fi
}

for unit in path settings hash segment absent place presences authority; do
	clean "$unit" "$top/build/unit/$unit"
done
# io_uring is unknown to older valgrinds: there the pending-check is what runs.
FASTPATH=1 FASTPATH_TEST=eager LD_PRELOAD=$top/build/libfastpath.so \
	clean a_shell bash -c 'for i in 1 2 3; do command -v missing-$i; done; true'
exit $status
