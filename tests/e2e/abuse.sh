#!/bin/bash
# abuse.sh - random changes by several processes, and answers that must be the kernel's: tests/abuse.c on
# each file system, with each bell and in a session, as root, as a user whose files root changes, and as a
# user alone; with mounts that come and go in two namespaces, a root that is pivoted, few watches, in a
# sandbox, and with a broker that is stopped and killed. A longer run:
#	ABUSE_ROUNDS=20 ABUSE_MS=2000 tests/e2e/abuse.sh
# ABUSE_SEED is the first round's seed; a failure names its own.
trees=1
. "$(dirname "$0")/lib.sh"
abuse=${E2E_ABUSE:-$top/build/abuse}
rounds=${ABUSE_ROUNDS:-1}
ms=${ABUSE_MS:-300}
seed=${ABUSE_SEED:-1}
need=$ms # judged answers of the cache that each run takes
if [ ! -x "$abuse" ]; then
	fail abuse "there is no $abuse"
	finish
fi
declare -A hits
before=''  # evaluated in $case, beside the tree t
in_session='scopes[ a-z]* tree'
prefix=()  # what the readers' command runs through

# One run, by the variables of changes(); leaves $said.
try()
{
	said=$("${under[@]}" "$abuse" -s $((seed + round - 1)) -t "$ms" -n "$need" "$@" "$case/t" -- \
		"$progs/launch" "${command[@]}" "${prefix[@]}" "${run[@]}" 2>&1 </dev/null 8>&- 9>&-)
}

# changes NAME WHO,BELL WHERE [OPTION...]: one run a round. WHO may be alone: the changers are users too.
changes()
{
	local name="random_changes_$1[$2]" where=$3 who=${2%%,*} bell=${2##*,} round command run=() under=() why= said
	shift 3
	wanted "$name" || return 0
	case $bell in
	page) command=(FASTPATH=1 FASTPATH_TEST=eager "LD_PRELOAD=$lib") ;;
	epoll) command=(FASTPATH=1 FASTPATH_TEST=eager,bell=epoll "LD_PRELOAD=$lib") ;;
	tree) command=(FASTPATH_TEST=eager,tick=20) run=("${lib%/*}/fastpath" run --) ;;
	esac
	if is_root; then
		under=(unshare -m --propagation private)
		case $who in
		user) command=(-u "$user" "${command[@]}") ;;
		alone) under+=("$progs/launch" -u "$user") ;;
		esac
	fi
	for round in $(seq "$rounds"); do
		fresh
		mkdir t
		if ! eval "$before" >"$base/setup" 2>&1; then
			fail "$name" "setup: $(cat "$base/setup")"
			return
		fi
		[ "$who" != alone ] || chown "$user:$user" t
		try "$@" || why+="status $?, $said; "
		# A session may have found no resources for a moment: the second try says which.
		if [[ -z $why && $bell == tree && ! $said =~ $in_session && $name != *_of_the_root* ]]; then
			run=("${lib%/*}/fastpath" run --stats=json --)
			try "$@" || why+="status $?; "
			[[ $said =~ $in_session ]] || why+="not in the session: $said; "
		fi
		is_root || chmod -R u+rwX t 2>/dev/null # or it could not be removed
		[[ $bell != tree && $said != *"bells ${bell};"* ]] && why+="not by this bell: $said; "
		[ -z "${V:-}" ] || echo "     $said"
		[[ $said =~ \ ([0-9]+)\ from\ the\ cache ]] && hits[$where,$bell]=$((${hits[$where,$bell]:-0} + BASH_REMATCH[1]))
		[ -z "$why" ] || break
	done
	verdict "$name" "$why"
}

# everybody NAME WHERE [OPTION...]: with each bell as each of them.
everybody()
{
	local mode
	for mode in $(modes both); do
		changes "$1" "$mode" "${@:2}"
	done
}

# crowd FS: in $place.
alone=(alone,page alone,epoll alone,tree)
crowd()
{
	everybody "on_$1" "$1"
	is_root || return 0
	changes "on_$1" "${alone[0]}" "$1"
	alone=("${alone[1]}" "${alone[2]}" "${alone[0]}")
}

# on FS MKFS-COMMAND: makes an image, mounts it, moves there; false: SKIPped. ${lacks} is what the kernel lacks then.
lacks=
on()
{
	local image=$base/$1.img why
	wanted "random_changes_on_$1" || [ -z "$pick" ] || return 1
	mkdir -p "$base/$1"
	truncate -s 400M "$image"
	if ! why=$($2 "$image" 2>&1) || ! why=$(mount -o loop "$image" "$base/$1" 2>&1); then
		skip "random_changes_on_$1" "${lacks:-the file system $1 ($(head -n 1 <<<"$why"))}"
		return 1
	fi
	move_to "$base/$1"
}

off()
{
	fresh
	umount -l "$place"
	move_to "$base"
}

# Names that the changers draw, for what cannot be changed itself.
names()
{
	mkdir -p "$1"/{a/{a/b,c},b/{a,c/d},c,m1} && : >"$1/a/d" && : >"$1/b/c/a" && chmod 755 "$1/a/d" &&
		ln "$1/a/d" "$1/b/b" && ln -s ../a "$1/b/d" && ln -s a "$1/d"
}

squash() { mksquashfs "$1" "$2" -noappend -quiet -no-progress; }
erofs() { mkfs.erofs -q "$2" "$1" || mkfs.erofs "$2" "$1"; }
# images FS WHO MAKE: below an overlay, and as a mount that comes and goes.
images()
{
	local fs=$1 why mode
	wanted "random_changes_on_an_overlay_of_$1" || wanted "random_changes_of_mounts_and_$1" || return 0
	[ -d "$base/names" ] || names "$base/names"
	mkdir -p "$base/$fs"
	if ! why=$($3 "$base/names" "$base/$fs.img" 2>&1) || ! why=$(mount -o loop "$base/$fs.img" "$base/$fs" 2>&1); then
		skip "random_changes_on_an_overlay_of_$fs" "the file system $fs ($(head -n 1 <<<"$why"))"
		return
	fi
	for mode in $(modes "$2"); do
		before="ln -s $base/$fs lo; $overlay" changes "on_an_overlay_of_$fs" "$mode" "$fs"
		before="mount -t tmpfs -o mode=755 none t; mkdir t/m3; mount --bind $base/$fs t/m3" \
			changes "of_mounts_and_$fs" "$mode" "$fs" -M
	done
	fresh
	umount -l "$base/$fs"
}

crowd the_test_directory
if ! is_root; then
	skip random_changes_on_other_file_systems_and_of_mounts "needs root"
else
	mkdir "$base/tmpfs"
	mount -t tmpfs -o mode=755 none "$base/tmpfs" && move_to "$base/tmpfs" && crowd tmpfs && off
	on ext4 "mkfs.ext4 -q -F" && crowd ext4 && off
	on xfs "mkfs.xfs -q -f" && crowd xfs && off
	on btrfs "mkfs.btrfs -q -f" && crowd btrfs && off
	lacks="xfs that folds ASCII case (CONFIG_XFS_SUPPORT_ASCII_CI)" on xfs-ci "mkfs.xfs -q -f -n version=ci" && crowd xfs-ci && off
	if [ -e /sys/fs/ext4/features/encryption ]; then
		on ext4-encrypted "mkfs.ext4 -q -F -O encrypt" && changes on_ext4-encrypted root,page ext4-encrypted &&
			changes on_ext4-encrypted user,tree ext4-encrypted && off
	else
		skip random_changes_on_ext4-encrypted "encrypted directories (CONFIG_FS_ENCRYPTION)"
	fi
	if [ -e /sys/fs/ext4/features/casefold ]; then
		on ext4-casefold "mkfs.ext4 -q -F -O casefold -E encoding=utf8" && before='chattr +F t' crowd ext4-casefold && off
	else
		skip random_changes_on_ext4-casefold "ext4 case-folding (CONFIG_UNICODE)"
	fi
	overlay='mkdir up wk; mount -t overlay -o lowerdir=lo,upperdir=up,workdir=wk o t'
	before="names lo; $overlay" crowd overlay
	images squashfs root squash
	images erofs user erofs
	everybody of_mounts mounts -M
	need=$((ms / 4))
	everybody of_the_root root -P
	need=$ms
	if unshare -Ur true 2>/dev/null; then
		prefix=(unshare -Ur)
		for mode in user,page user,tree; do changes in_a_user_namespace "$mode" sandbox; done
		# As in a container: Docker's filter refuses io_uring.
		prefix=(unshare -Ur "$progs/fault" EPERM io_uring_setup,io_uring_enter,io_uring_register)
		for mode in root,epoll user,epoll; do changes in_a_sandbox "$mode" sandbox; done
		prefix=(unshare -Ur sh -c 'echo 12 >/proc/sys/user/max_inotify_watches && exec "$@"' sh)
		need=1
		for mode in user,page user,epoll user,tree; do changes with_twelve_watches "$mode" sandbox; done
		need=$ms
	else
		skip random_changes_in_a_sandbox "user namespaces"
	fi
	prefix=()
fi
# (A process that teaches eagerly waits for the broker: few are asked while it is stopped.)
need=$((ms / 4))
for mode in $(modes both); do
	[[ $mode != *,tree ]] || changes under_a_broker_in_trouble "$mode" broker -K
done
for what in "${!hits[@]}"; do
	echo "     ${hits[$what]} answers judged: ${what/,/, }"
done | sort
finish
