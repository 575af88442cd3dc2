#!/bin/bash
# valgrind finds nothing in the unit tests. (Of a program under the library it reports paths whose
# last chunk is not all initialised, as it would of any strlen() that it does not replace.)
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
# Attaching to a session is no finding of the program's.
if out=$(FASTPATH_TEST=eager timeout 120 "$top/build/fastpath" run valgrind -q --error-exitcode=9 true 2>&1); then
	echo "PASS valgrind_finds_nothing_in_a_program_of_a_session"
else
	echo "FAIL valgrind_finds_nothing_in_a_program_of_a_session: $(tail -n 5 <<<"$out" | tr '\n' ' ')"
	status=1
fi
exit $status
