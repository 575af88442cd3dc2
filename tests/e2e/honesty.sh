#!/bin/bash
# honesty.sh - what fastpath takes: a program sees itself as without the library; descriptors, memory, watches,
# processes and files are as before when it has ended; under small limits the answers stay the kernel's, in a
# session too. (Limits of single resources in process scope: faults.sh; of `fastpath run`: tree.sh too.)
trees=1
. "$(dirname "$0")/lib.sh"
fp=${lib%/*}/fastpath
know='d=$PWD; for i in 1 2 3 4 5; do [ -e $d/none ]; [ -e $d/none$i ]; [ -x $d ]; done'

# only BELL...: modes of these bells alone
all_modes=$(declare -f modes)
eval "all_${all_modes}"
only()
{
	local kept="$*"
	eval "modes() { local m; for m in \$(all_modes \"\$1\"); do [[ ' $kept ' != *\" \${m##*,} \"* ]] || echo \$m; done; }"
}

# ---- what it says ends nobody ----

# ends NAME VARIABLE... -- COMMAND: status 3, whatever becomes of what is said
only page epoll
ends()
{
	local name=$1 mode vars=() status
	shift
	while [ "$1" != -- ]; do
		vars+=("$1")
		shift
	done
	shift
	wanted "$name" || return 0
	for mode in $(modes both); do
		fresh
		chmod 777 .
		extra=("${vars[@]}")
		with "$mode" "$python" -c '
import os, signal, subprocess, sys
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
r, w = os.pipe()
os.close(r)
sys.exit(subprocess.run(sys.argv[1:], stderr=w).returncode & 255)' "$@" >/dev/null 2>&1
		wait "$pid"
		status=$?
		extra=()
		verdict "$name[$mode]" "$([ $status = 3 ] || echo "exit status $status")"
	done
}
ask_and_3='for i in 1 2 3; do [ -e $PWD/none ]; done; exit 3'
ends statistics_into_a_pipe_that_nobody_reads_end_nobody FASTPATH_STATS=1 -- bash -c "$ask_and_3"
ends json_into_a_pipe_that_nobody_reads_ends_nobody FASTPATH_STATS=json -- bash -c "$ask_and_3"
ends a_warning_into_a_pipe_that_nobody_reads_ends_nobody -- env FASTPATH=garbage bash -c "$ask_and_3"
ends its_own_sigpipe_still_ends_a_program FASTPATH_STATS=1 -- bash -c 'for i in 1 2 3; do [ -e $PWD/none ]; done; (echo x >&2; exit 4); [ $? = 141 ] && exit 3'
ends a_profile_beyond_the_limit_of_files_ends_nobody -- bash -c 'head -c 5000 /dev/zero >p; ulimit -f 4; FASTPATH_PROFILE=$PWD/p bash -c "$0"' "$ask_and_3"
ends statistics_beyond_the_limit_of_files_end_nobody -- bash -c 'head -c 5000 /dev/zero >p; ulimit -f 4; FASTPATH_STATS=json:$PWD/p bash -c "$0"' "$ask_and_3"
finish
