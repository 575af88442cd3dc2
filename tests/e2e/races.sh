#!/bin/bash
# Runs the race tests under the library: with both bells, as root and as an ordinary user, each with
# the programs that make sense there. Passes their lines on, the bell and the user in front of the
# name, and adds up the hits: with each bell 200,000 raced answers have to come from the cache.
# RACE_SCALE=10 is the long run; TMPDIR chooses the file system (never a sticky directory itself);
# RACE_ONLY names the programs to run, RACE_BELLS the bells, RACE_BUILD what to take instead of build/.
# "tree" is the page bell of a session: changer, broker and looker are three processes.
set -u
export LC_ALL=C
unset FASTPATH FASTPATH_STATS FASTPATH_VERIFY FASTPATH_TEST FASTPATH_SKIP FASTPATH_TRUST \
	FASTPATH_PROFILE FASTPATH_SESSION LD_PRELOAD
cd "$(dirname "$0")/../.." || exit 1

build=${RACE_BUILD:-build}
scale=${RACE_SCALE:-1}
need=$(awk "BEGIN { print ($scale > 1 ? int(200000 * $scale) : 200000) }")
limit=$(awk "BEGIN { print int(120 + 120 * $scale) }")
work=$(mktemp -d "${TMPDIR:-/var/tmp}/fastpath-races.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
failed=0

# An ordinary user may not be able to read the build directory.
cp "$build/libfastpath.so" "$build/fastpath" "$work/" && cp -r "$build/race" "$work/" && chmod -R go=rX "$work" || {
	echo "FAIL races: $build/libfastpath.so and $build/race/* are not there"
	exit 1
}
for user in root nobody; do
	mkdir -m 755 "$work/$user"
done

# as_USER COMMAND...: root has a mount namespace of its own for each program.
as_root()
{
	RACE_MOUNTS=private unshare -m --propagation private "$@"
}

as_nobody()
{
	if [ "$(id -u)" -eq 0 ]; then
		setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
	else
		"$@"
	fi
}

# run BELL USER PROGRAM: leaves the program's output, its names prefixed, in $work/log.
run()
{
	local under=(env "FASTPATH=1" "FASTPATH_TEST=eager" "LD_PRELOAD=$work/libfastpath.so") bell=$1 status

	case $1 in
	epoll) under+=("FASTPATH_TEST=eager,bell=epoll") ;;
	tree) bell=page under=(env "FASTPATH_TEST=eager,tick=20" "$work/fastpath" run) ;;
	esac
	"as_$2" timeout -k 10 "$limit" env TMPDIR="$work/$2" RACE_BELL="$bell" "${under[@]}" \
		"$work/race/$3" >"$work/out" 2>&1 </dev/null
	status=$?
	sed -E "s,^(PASS|FAIL|SKIP) ,\1 $1/$2/$3: ," "$work/out" >"$work/log"
	if [ $status -ne 0 ] && [ $status -ne 77 ] && ! grep -q '^FAIL ' "$work/log"; then
		echo "FAIL $1/$2/$3: exit status $status (124: out of time)" >>"$work/log"
	fi
	grep -q '^FAIL ' "$work/log" && failed=1
	cat "$work/log"
}

# programs USER: modes do not bind root, and nobody else mounts.
programs()
{
	local name

	for name in "$build"/race/*; do
		name=$(basename "$name")
		case "${RACE_ONLY:+only}:$1:$name" in
		*:root:permission | *:nobody:mounts | *:nobody:capability) continue ;;
		only:*) [[ " $RACE_ONLY " == *" $name "* ]] || continue ;;
		esac
		echo "$name"
	done
}

users=nobody
if [ "$(id -u)" -eq 0 ]; then
	users="root nobody"
	chown 65534:65534 "$work/nobody"
else
	echo "SKIP races as root: root is needed for mounts, capabilities and a second user"
fi

# The hits of the program that ran last.
count_hits()
{
	awk '/^     rounds / { gsub(",", ""); sum += $4 } END { print sum + 0 }' "$work/log"
}

for bell in ${RACE_BELLS:-page epoll tree}; do
	start=$(date +%s) hits=0 missing=
	for user in $users; do
		for program in $(programs "$user"); do
			run "$bell" "$user" "$program"
			hits=$((hits + $(count_hits)))
			grep -q "no page bell here" "$work/log" && missing=1
		done
	done
	if [ -n "$missing" ]; then
		echo "SKIP $bell: io_uring with NO_MMAP (Linux 6.5)"
	elif [ -n "${RACE_ONLY:-}" ] || [ "$hits" -ge "$need" ]; then
		echo "PASS $bell: $hits raced hits of at least $need in $(($(date +%s) - start)) s"
	else
		echo "FAIL $bell: $hits raced hits, at least $need are needed"
		failed=1
	fi
done
exit $failed
