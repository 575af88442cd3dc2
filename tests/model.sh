#!/bin/bash
# model.sh - tests/model/bell.pml is checked exhaustively by spin, and whatever breaks the protocol in
# one place is found out. What holds is checked first: a model that is wrong anyway proves nothing.
set -u
export LC_ALL=C
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
model=$top/tests/model/bell.pml
for tool in spin gcc; do
	command -v $tool >/dev/null || { echo "SKIP model: $tool"; exit 77; }
done
work=$(mktemp -d "${TMPDIR:-/var/tmp}/fastpath-model.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

# verdict NAME WHY: a failure if WHY says something.
verdict()
{
	if [ -n "$2" ]; then
		failed=1
		echo "FAIL $1: ${2//$'\n'/ | }"
	else
		echo "PASS $1"
	fi
}

# checked OPTIMISATION MACRO...: what spin says of the model with them; memory and depth are limited.
# Time is not, but by tests/run.sh: how long a search takes says nothing of the model.
checked()
{
	local optimisation=$1 dir
	shift
	dir=$(mktemp -d "$work/XXXXXX") && cd "$dir" && cp "$model" . &&
		spin -a "${@/#/-D}" bell.pml >log 2>&1 &&
		${CC:-gcc} "$optimisation" -DSAFETY -DCOLLAPSE -DMEMLIM=2000 -o pan pan.c >>log 2>&1 || { cat log; return; }
	./pan -m100000 -n -w22 2>&1
}

# holds NAME MACRO...: no error, and no state was left out.
holds()
{
	local name=$1 out why=
	shift
	out=$(checked -O1 "$@")
	grep -q 'errors: 0$' <<<"$out" || why=$(grep -m 3 -E '^pan:|rror' <<<"$out")
	grep -q 'errors: ' <<<"$out" || why+=" spin did not end"
	! grep -q -E 'not completed|too small|truncated' <<<"$out" || why+=" the search is not complete"
	verdict "$name" "$why"
}

# found NAME PROPERTY MACRO...: an error against that property. It comes early: compiling takes longer.
found()
{
	local name=$1 property=$2 out
	shift 2
	out=$(checked -O0 "$@")
	if grep -q "assertion violated .*$property" <<<"$out"; then
		verdict "$name" ""
	else
		verdict "$name" "spin finds nothing: $(tail -n 3 <<<"$out")"
	fi
}

stale=must_names polls=armed
small=(NAMES=1 IMMORTAL)

holds no_answer_is_older_than_a_returned_change "${small[@]}"
holds an_owner_that_dies_leaves_the_directory_bell_rung NAMES=1 MOUNTS=0
holds an_owner_that_dies_leaves_the_table_bell_rung NAMES=0 MOUNTS=1
holds concurrent_creates_are_both_seen NAMES=2 MOUNTS=0 IMMORTAL
holds mounts_in_a_row_are_both_seen NAMES=0 MOUNTS=2 IMMORTAL
# What is there for use and not for truth: the bell goes on ringing.
holds publishing_without_noting_leaves_the_bell_rung "${small[@]}" PUBLISHED_WITHOUT_NOTING
holds readers_see_what_a_second_look_would "${small[@]}" NO_SECOND_LOOK

found without_the_fence_of_segment_begin $stale "${small[@]}" NO_FENCE
found without_the_release_of_segment_end $stale "${small[@]}" NO_RELEASE
found clearing_the_bell_while_seq_is_even $stale "${small[@]}" CLEARED_WHILE_EVEN
found arming_a_ring_whose_completion_did_not_come $polls NAMES=2 MOUNTS=0 IMMORTAL REARM_UNASKED
found not_arming_again $stale NAMES=2 MOUNTS=0 IMMORTAL NO_REARM
found one_ring_for_both_files $stale "${small[@]}" ONE_RING
found no_second_look_by_anybody $stale NAMES=2 MOUNTS=0 IMMORTAL NO_SECOND_LOOK FLAG_ALONE
found publishing_after_noting $stale "${small[@]}" PUBLISHED_AFTER_NOTING
found seq_read_once $stale "${small[@]}" SEQ_READ_ONCE
found asking_before_watching $stale "${small[@]}" ASKED_BEFORE_WATCHED
found not_awaiting_the_mount_table $stale "${small[@]}" NO_AWAIT
found a_death_that_does_not_ring $stale NAMES=1 MOUNTS=0 SILENT_DEATH
found an_arming_that_failed_ignored $stale NAMES=2 MOUNTS=0 IMMORTAL ARM_FAILURE_IGNORED
exit "$failed"
