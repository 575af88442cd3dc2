#!/bin/bash
# Every answer of the library equals the kernel's: runs build/differential over fixed seeds, with
# both bells, with the rules of cost and in a session, and, as root, on five file systems and as two kinds of
# ordinary user. A longer run:
#	DIFFERENTIAL_SEEDS=200 DIFFERENTIAL_STEPS=20000 tests/e2e/differential.sh
# DIFFERENTIAL_SEEDS is how many, or a list ("7 12 2001").
# DIFFERENTIAL_DIR says where the trees are made instead of in /var/tmp.
set -u
build=${BUILD:-$(cd "$(dirname "$0")/../.." && pwd)/build}
seeds=${DIFFERENTIAL_SEEDS:-5}
[[ $seeds == *\ * ]] || seeds=$(seq "$seeds")
steps=${DIFFERENTIAL_STEPS:-1000}
user=65534

# Images are mounted where nobody else sees them, and are gone with this shell.
if [ "$(id -u)" -eq 0 ] && [ -z "${DIFFERENTIAL_INSIDE:-}" ] && unshare -m true 2>/dev/null; then
	DIFFERENTIAL_INSIDE=1 exec unshare -m "$0" "$@"
fi
if [ ! -x "$build/differential" ] || [ ! -e "$build/libfastpath.so" ]; then
	echo "FAIL differential: make all build/differential first"
	exit 1
fi

discard()
{
	chmod -R u+rwX "$@" 2>/dev/null
	rm -rf --one-file-system "$@"
}

# An own directory: not sticky (symlinks are refused in sticky ones), and short, for sockets. The
# program and the library lie in it, where an ordinary user can read them.
work=$(mktemp -d "${DIFFERENTIAL_DIR:-/var/tmp}/fp.XXXXXX") || exit 1
status=0
cleanup()
{
	for fs in xfs btrfs; do
		mountpoint -q "$work/$fs" && umount -l "$work/$fs"
	done
	[ "$status" -eq 0 ] || chattr -R -i "$work" 2>/dev/null
	discard "$work"
}
trap cleanup EXIT
chmod 755 "$work"
cp "$build/differential" "$build/libfastpath.so" "$build/fastpath" "$work/"

# A directory of that file system; the program itself mounts tmpfs and overlay.
directory_on()
{
	local image="$work/$1.img"
	mkdir -p -m 755 "$work/$1"
	case $1 in xfs | btrfs) ;; *) return 0 ;; esac
	mountpoint -q "$work/$1" && return 0
	truncate -s 400M "$image" && "mkfs.$1" -q "$image" >/dev/null 2>&1 &&
		mount -o loop "$image" "$work/$1" 2>/dev/null && chmod 755 "$work/$1"
}

# run DIRECTORY TEST COMMAND...: under the library, with nothing else in the environment. TEST is
# FASTPATH_TEST's value, or tree: in a session; empty: the library spends only what it saves.
run()
{
	local under=$1 test=$2 preload=(LD_PRELOAD="$work/libfastpath.so") tree=() code
	shift 2
	[ "$test" = tree ] && test=eager,tick=20 preload=() tree=(--tree "$work/fastpath")
	"$@" env -i PATH=/usr/bin:/bin LC_ALL=C TMPDIR="$under" FASTPATH=1 \
		${test:+FASTPATH_TEST="$test"} "${preload[@]}" \
		"$work/differential" "${tree[@]}" "${arguments[@]}" >"$work/out" 2>"$work/err" </dev/null
	code=$?
	cat "$work/out"
	if [ "$code" -ne 0 ] && [ "$code" -ne 77 ]; then
		status=1
		# A process that dies says nothing; the harness must.
		grep -aq '^FAIL ' "$work/out" ||
			echo "FAIL differential: $* ${arguments[*]} $test: exit status $code"
		tail -n 3 "$work/err"
	fi
	discard "$under"/fp.*
}

file_systems=(disk)
[ "$(id -u)" -eq 0 ] && file_systems=(disk tmpfs overlay xfs btrfs)
i=0
for seed in $seeds; do
	fs=${file_systems[$((i++ % ${#file_systems[@]}))]}
	if ! directory_on "$fs"; then
		echo "SKIP every_answer_equals_the_kernels_seed_${seed}_$fs: cannot mount $fs"
		continue
	fi
	for test in eager eager,bell=epoll "" tree; do
		arguments=(--seed "$seed" --steps "$steps" --fs "$fs")
		run "$work/$fs" "$test"
		[ "$(id -u)" -eq 0 ] || continue
		# An ordinary user whose files root changes, and one who is alone.
		arguments+=(--as-user)
		run "$work/$fs" "$test"
		case $fs in tmpfs | overlay) continue ;; esac
		mkdir -p -m 755 "$work/$fs/own"
		chown $user:$user "$work/$fs/own"
		arguments=(--seed "$seed" --steps "$steps" --fs "$fs")
		run "$work/$fs/own" "$test" setpriv --reuid $user --regid $user --clear-groups
	done
done
[ "$(id -u)" -eq 0 ] || echo "SKIP differential_on_other_file_systems_and_with_mounts: needs root"
exit $status
