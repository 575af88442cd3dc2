#!/bin/bash
# lib.sh - the harness of the end-to-end scripts; each of them sources it, calls its cases and ends
# with finish. A case runs in a fresh directory $case (on ${TMPDIR:-/var/tmp}, which must be readable
# by everybody), as root in a mount namespace of its own, so that nothing is left behind. It prints
# "PASS name[who,bell]", "FAIL name[who,bell]: why" or "SKIP name: what is missing".
# An argument of the script selects the cases whose names contain it. E2E_LIB and E2E_PROGS
# replace the library and the helper programs.
if [ "${BASH_SOURCE[0]}" = "$0" ]; then
	exit 77 # the suite's wildcard finds this file too
fi
set -u
export LC_ALL=C PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
unset FASTPATH FASTPATH_STATS FASTPATH_VERIFY FASTPATH_TEST FASTPATH_SKIP FASTPATH_TRUST \
	FASTPATH_PROFILE FASTPATH_SESSION LD_PRELOAD CDPATH BASH_ENV ENV
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
lib=${E2E_LIB:-$top/build/libfastpath.so}
progs=${E2E_PROGS:-$top/build/progs}
python=$(PATH=/usr/bin:/bin:/usr/local/bin command -v python3)
user=65534
pick=${1:-}
passed=0 failed=0 skipped=0 cases=0

# ---- results ----

pass() { passed=$((passed + 1)); echo "PASS $1"; }
fail() { failed=$((failed + 1)); echo "FAIL $1: ${2//$'\n'/ | }"; }
skip() { skipped=$((skipped + 1)); echo "SKIP $1: $2"; }
# verdict NAME WHY: a failure if WHY says something.
verdict() { if [ -n "$2" ]; then fail "$1" "$2"; else pass "$1"; fi; }
wanted() { [[ $1 == *"$pick"* ]]; }

finish()
{
	[ "$failed" -gt 0 ] && exit 1
	[ "$passed" -gt 0 ] && exit 0
	exit 77
}

# ---- what fastpath's help says there is ----

# commands FASTPATH: the subcommands
commands() { "$1" --help | sed -n 's/^  fastpath \([a-z]*\) .*/\1/p'; }
# options FASTPATH COMMAND: its options, without their arguments
options() { "$1" "$2" --help | sed -n '/^  -/s/   *[^ -].*//p' | tr ', ' '\n\n' | sed -n 's/^\(--*[a-z-]*\).*/\1/p'; }

# ---- the place ----

# The outer run makes the directory, the inner one works in it, in a mount namespace of its own: the
# removal at the end cannot reach into anything that a case mounted.
if [ -z "${E2E_INSIDE:-}" ]; then
	E2E_INSIDE=$(mktemp -d "${TMPDIR:-/var/tmp}/fastpath-e2e.XXXXXX") || exit 1
	trap 'chattr -R -i "$E2E_INSIDE" 2>/dev/null; rm -rf "$E2E_INSIDE"' EXIT
	trap 'exit 1' INT TERM
	export E2E_INSIDE
	chmod 755 "$E2E_INSIDE"
	status=0
	if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
		unshare -m --propagation private -- "$BASH" "$0" "$@" || status=$?
	else
		"$BASH" "$0" "$@" || status=$?
	fi
	exit "$status"
fi
base=$E2E_INSIDE
unset E2E_INSIDE
place=$base # where cases are made; another file system, at need
case=$place/case
stats=$base/stats
mkdir -p "$base/trash" "$case"
mkfifo "$base/go" "$base/ready"
exec 8<>"$base/go" 9<>"$base/ready"
if [ ! -r "$lib" ]; then
	fail "$(basename "$0" .sh)" "there is no $lib"
	finish
fi

is_root() { [ "$(id -u)" = 0 ]; }

# who may ask: root and an ordinary user, or whoever runs the suite; with either bell, and, where the
# script says so (trees=1), in a session of its own
modes() # both|root|user
{
	local w
	if ! is_root; then
		[ "$1" = root ] || echo "user,page user,epoll${trees:+ user,tree}"
		return
	fi
	for w in root user; do
		[ "$1" = both ] || [ "$1" = $w ] || continue
		echo "$w,page $w,epoll${trees:+ $w,tree}"
	done
}

undo_mounts()
{
	local point last=()
	while read -r _ _ _ _ point _; do
		[[ $point == "$case" || $point == "$case"/* ]] && last=("$point" "${last[@]}")
	done </proc/self/mountinfo
	for point in "${last[@]}"; do
		umount -l "$point"
	done
}

# A new empty $case, with the shell in it. The old one is moved away whole, to be removed at the end.
fresh()
{
	cd /
	cases=$((cases + 1))
	undo_mounts
	mv "$case" "$place/trash/$cases" && mkdir -m 755 "$case" && cd "$case" || exit 1
	: >"$stats"
	chmod 666 "$stats"
}

# move_to DIR: cases are made there from now on.
move_to()
{
	cd /
	place=$1
	case=$place/case
	mkdir -p "$place/trash" "$case"
	chmod 755 "$place"
}

# ---- running a command under the library ----

extra=() # more NAME=VALUE for the commands under the library
via=()   # a command that becomes the command under the library
limits=() # options of progs/launch
limit=60

# (The <&0 below: a command in the background would read /dev/null otherwise.)
# with MODE CMD...: start it in ${dir:-$case}, under the library, in the background; its id is in $pid.
with()
{
	local mode=$1 how=(FASTPATH_TEST=eager "LD_PRELOAD=$lib") run=() as=()
	shift
	case ${mode##*,} in
	epoll) how=(FASTPATH_TEST=eager,bell=epoll "LD_PRELOAD=$lib") ;;
	tree) how=(FASTPATH_TEST=eager,tick=20) run=("${lib%/*}/fastpath" run) ;;
	esac
	[ "${mode%%,*}" = user ] && is_root && as=(-u "$user")
	"$progs/launch" -t "$limit" -C "${dir:-$case}" "${as[@]}" "${limits[@]}" FASTPATH=1 \
		FASTPATH_STATS="json:$stats" "${how[@]}" "${extra[@]}" "${run[@]}" "${via[@]}" "$@" <&0 8>&- 9>&- &
	pid=$!
}

# without MODE CMD...: the same without the library.
without()
{
	local as=()
	[ "${1%%,*}" = user ] && is_root && as=(-u "$user")
	shift
	"$progs/launch" -t "$limit" -C "$case" "${as[@]}" "$@" <&0 8>&- 9>&- &
	pid=$!
}

# query EXPRESSION: evaluates it in Python; L: the JSON lines, M: those of process $pid,
# served(lines): the sum of what they served.
query()
{
	"$python" -ISc '
import json, sys
L = [json.loads(x) for x in open(sys.argv[1])]
PID = int(sys.argv[2])
M = [l for l in L if l["pid"] == PID]
def served(lines): return sum(sum(l["served"].values()) for l in lines)
print(eval(sys.argv[3]))' "$stats" "$pid" "$1"
}

# hit MODE: says why not, unless process $pid was served with the mode's bell.
hit()
{
	local bell=${1##*,} not=tree got
	[ "$bell" = tree ] && bell=page not=process
	got=$(query '"lines %d served %d bell %s scope %s" % (len(M), served(M), ",".join(sorted({l["bell"] for l in M if served([l])})), ",".join(sorted({l["scope"] for l in M if served([l])})))' 2>&1)
	case $got in
	*" served 0 "*) echo "nothing was served ($got)" ;;
	*"scope "*$not*) echo "the scope must not be $not: $got" ;;
	*" bell $bell scope "*) ;;
	*) echo "the bell must be $bell: $got" ;;
	esac
}

# same [-r|-u] [-s] [-w WANT] [-e NAME=VALUE]... NAME CMD...: CMD gives the same output, errors and
# status with the library as without. -r, -u: only as root, as a user; -s: something must have been
# served to CMD's process; -w: and stdout must be WANT.
same()
{
	local OPTIND=1 opt who=both serve= want= extra=() mode name
	while getopts rusw:e: opt; do
		case $opt in
		r) who=root ;;
		u) who=user ;;
		s) serve=1 ;;
		w) want=$OPTARG ;;
		e) extra+=("$OPTARG") ;;
		*) exit 2 ;;
		esac
	done
	shift $((OPTIND - 1))
	name=$1
	shift
	wanted "$name" || return 0
	[ -n "$(modes $who)" ] || { skip "$name" "needs root"; return 0; }
	for mode in $(modes $who); do
		same_in "$mode" "$name[$mode]" "$serve" "$want" "$@"
	done
}

same_in()
{
	local mode=$1 name=$2 serve=$3 want=$4 why= s0 s1
	shift 4
	fresh
	[ "${mode%%,*}" = user ] && is_root && chown "$user:$user" .
	without "$mode" "$@" </dev/null >"$base/out0" 2>"$base/err0"
	wait "$pid"
	s0=$?
	fresh
	[ "${mode%%,*}" = user ] && is_root && chown "$user:$user" .
	with "$mode" "$@" </dev/null >"$base/out1" 2>"$base/err1"
	wait "$pid"
	s1=$?
	[ $s0 -eq $s1 ] || why+="exit status $s1, without the library $s0; "
	cmp -s "$base/out0" "$base/out1" || why+="stdout is '$(tail -c 300 "$base/out1" | tr -d '\0')', without the library '$(tail -c 300 "$base/out0" | tr -d '\0')'; "
	cmp -s "$base/err0" "$base/err1" || why+="stderr is '$(tail -c 300 "$base/err1" | tr -d '\0')', without the library '$(tail -c 300 "$base/err0" | tr -d '\0')'; "
	[ -z "$want" ] || [ "$(cat "$base/out0")" = "$want" ] || why+="the case is broken: it gives '$(tail -c 300 "$base/out0")' and '$(tail -c 300 "$base/err0")' without the library, must be '$want'; "
	[ -z "$serve" ] || why+=$(hit "$mode")
	verdict "$name" "$why"
}

# works [-r|-u] [-s] [-e NAME=VALUE]... NAME CMD...: CMD finds everything right by itself: exit
# status 0 and nothing on stderr; 77 when the kernel lacks something, which stderr names.
works()
{
	local OPTIND=1 opt who=both serve= extra=() mode name why status
	while getopts ruse: opt; do
		case $opt in
		r) who=root ;;
		u) who=user ;;
		s) serve=1 ;;
		e) extra+=("$OPTARG") ;;
		*) exit 2 ;;
		esac
	done
	shift $((OPTIND - 1))
	name=$1
	shift
	wanted "$name" || return 0
	[ -n "$(modes $who)" ] || { skip "$name" "needs root"; return 0; }
	for mode in $(modes $who); do
		fresh
		[ "${mode%%,*}" = user ] && is_root && chown "$user:$user" .
		with "$mode" "$@" </dev/null >"$base/out1" 2>"$base/err1"
		wait "$pid"
		status=$? why=
		if [ $status -eq 77 ]; then
			skip "$name[$mode]" "$(head -n 1 "$base/err1")"
			continue
		fi
		[ $status -eq 0 ] || why+="exit status $status; $(tail -c 300 "$base/out1"); "
		[ ! -s "$base/err1" ] || why+="stderr: $(head -c 300 "$base/err1"); "
		[ -z "$serve" ] || why+=$(hit "$mode")
		verdict "$name[$mode]" "$why"
	done
}

# ---- a change while a process holds facts ----

# hazard [-r|-u] [-n] [-k] NAME SETUP PATHS CHANGE...: in $case, after SETUP, progs/ask asks PATHS
# (relative to $case; ~ before one: it need not be served) until it knows them; after each CHANGE,
# made by this shell or, as "self: OP ARG...", by the asker itself, each of its answers must be the
# kernel's. -n: nothing need be served; -b: by whichever bell; -k: a CHANGE may leave every answer
# as it was.
privileged='mount|bindfs|setcap|setfacl|chown|chgrp|mknod|chattr|change handle|change setattr|drop_caches'
hazard()
{
	local OPTIND=1 opt who=both demand=1 keep= any= mode name number=0
	while getopts runkb opt; do
		case $opt in
		r) who=root ;;
		u) who=user ;;
		n) demand= ;;
		k) keep=1 ;;
		b) any=1 ;;
		*) exit 2 ;;
		esac
	done
	shift $((OPTIND - 1))
	name=$1
	shift
	wanted "$name" || return 0
	if [ -z "$(modes $who)" ] || { ! is_root && [[ $* =~ $privileged ]]; }; then
		skip "$name" "needs root"
		return 0
	fi
	hazards=$((${hazards:-0} + 1))
	for mode in $(modes $who); do
		number=$((number + 1))
		hazard_in "$mode" "$name[$mode]" "$@"
	done
}

orders=(main thread child) # who is first to ask after a change, in turn

hazard_in()
{
	local mode=$1 name=$2 setup=$3 paths=() p why= step order first bell=${1##*,} log=$base/log
	[ "$bell" = tree ] && bell=page
	[ -z "$(type -t before_setup)" ] || before_setup
	fresh
	if ! eval "$setup" >"$base/setup" 2>&1; then
		fail "$name" "setup: $(cat "$base/setup")"
		return
	fi
	for p in $4; do
		case $p in
		/* | '~/'*) paths+=("$p") ;;
		'~'*) paths+=("~$case/${p#\~}") ;;
		*) paths+=("$case/$p") ;;
		esac
	done
	order=${orders[(hazards + number) % 3]} first=$((hazards + 3 * number))
	dir=/ with "$mode" "$progs/ask" -f $first -o "$order" "${paths[@]}" <"$base/go" >"$base/ready" 2>"$log"
	shift 4
	await ready || why+="the asker did not get ready; "
	for step; do
		[ -z "$why" ] || break
		if [[ $step == self:* ]]; then
			echo "self ${step#self: }" >&8
			await 'done' || why+="no answer to '$step'; "
		elif ! eval "$step" >"$base/setup" 2>&1; then
			why+="change '$step': $(cat "$base/setup"); "
			break
		fi
		echo go >&8
		await ready || why+="no answer after '$step'; "
	done
	echo end >&8
	wait "$pid" || [ -n "$why" ] || why+="the asker ended with $?; "
	why+=$(grep -m 3 '^MISMATCH' "$log")
	[ -n "$keep" ] || ! grep -q '^UNCHANGED' "$log" || why+="the case is broken: nothing changed; "
	if [ -n "$demand" ]; then
		why+=$(grep -m 2 '^UNSERVED' "$log")
		[ -n "$any" ] || grep -q "^BELL $bell" "$log" || why+="the bell is not $bell: $(grep ^BELL "$log")"
	fi
	grep -v -E '^(MISMATCH|UNSERVED|UNCHANGED|BELL|SERVED)' "$log" >"$base/rest" && why+="stderr: $(head -c 300 "$base/rest")"
	[ -z "$why" ] || why+=" (order $order, first family $first)"
	if [ -n "$why" ]; then # whatever is left in the pipes belongs to this case
		while read -r -t 0.01 -u 9 _; do :; done
		while read -r -t 0.01 -u 8 _; do :; done
	fi
	verdict "$name" "$why"
}

# await WORD: the asker says so within ten seconds, or is dead.
await()
{
	local word _
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		if read -r -t 1 -u 9 word; then
			[ "$word" = "$1" ]
			return
		fi
		kill -0 "$pid" 2>/dev/null || return 1
	done
	return 1
}

# ---- the command ----

fp=${E2E_FASTPATH:-$top/build/fastpath} # E2E_FASTPATH replaces it
as=()                                   # options of progs/launch for the command

# needs_command NAME: the script ends here where there is none
needs_command()
{
	[ -x "$fp" ] && return
	fail "$1" "there is no $fp"
	finish
}

# command_in_case SECONDS SUBCOMMAND [NAME=VALUE...] -- ARG...: fastpath SUBCOMMAND ARG... in $case, as
# ${as[@]}, through ${via[@]}; leaves out1, err1, status.
command_in_case()
{
	local seconds=$1 subcommand=$2 vars=()
	shift 2
	while [ "$1" != -- ]; do
		vars+=("$1")
		shift
	done
	shift
	"$progs/launch" -t "$seconds" -C "$case" "${as[@]}" "${vars[@]}" "${via[@]}" "$fp" "$subcommand" "$@" \
		</dev/null >"$base/out1" 2>"$base/err1" 8>&- 9>&-
	status=$?
}
out() { cat "$base/out1"; }
err() { head -c 600 "$base/err1"; }
# Reasons: is NAME GOT WANT if they differ; has PATTERN if standard output lacks it.
is() { [ "$2" = "$3" ] || echo "$1 is '$2', must be '$3'; "; }
has() { grep -q -E -e "$1" "$base/out1" || echo "no '$1' in: $(out); "; }

# look NAME CASE: a case of look.py, which needs a process of its own to look at the command, in each of
# $look_forms
look()
{
	local why
	wanted "$1" || return 0
	fresh
	why=$("$python" -IS "$top/tests/e2e/look.py" "$fp" "$2" "$look_forms" 2>&1 8>&- 9>&- </dev/null) || why+=" the case ended with $?"
	verdict "$1" "$why"
}
