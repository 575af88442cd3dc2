#!/bin/bash
# faults.sh - whatever of fastpath itself fails (design section 2, promise 3), the program's answers
# stay the kernel's: each system call that the library may need is refused with each error, limits
# are low, /proc is missing.
. "$(dirname "$0")/lib.sh"

# One small world with a change of each kind; -n: nothing need be served, and the mounts only as root.
setup='mkdir -p d a/b q/b v1 v2 m s; >q/b/x; >v2/x; >s/x; ln -s v1 c; >f; chmod 755 f'
paths='d/x a/b/x c/x f d/y/z m/x'
changes=('>d/x' 'mv a o; mv q a' 'ln -sfn v2 c' 'chmod 000 f' 'rm d/x; mkdir -p d/y; >d/y/z' 'mount --bind s m || >m/x')
if ! is_root; then
	changes[5]='>m/x'
fi

number=0
refused() # NAME ERRNO SYSCALLS: by turns as root and as a user
{
	local who=-r OPTIND=1
	number=$((number + 1))
	if [ $((number % 2)) = 0 ] || ! is_root; then who=-u; fi
	via=("$progs/fault" "$2" "$3")
	hazard $who -n "$1" "$setup" "$paths" "${changes[@]}"
	via=()
}
for call in inotify_init1 inotify_add_watch io_uring_setup io_uring_register io_uring_enter epoll_create1 epoll_ctl epoll_wait \
	madvise getdents64 statx prctl; do
	for error in EPERM ENOSYS EMFILE ENOMEM ENOSPC; do
		refused "${call}_refused_with_${error}_changes_no_answer" $error $call
	done
done
for call in inotify_rm_watch capget memfd_create dup3 fstatfs gettid fcntl; do
	refused "${call}_refused_changes_no_answer" EPERM $call
done
refused interrupted_calls_change_no_answer EINTR inotify_init1,inotify_add_watch,io_uring_enter,epoll_wait,getdents64
refused calls_that_try_again_change_no_answer EAGAIN io_uring_setup,io_uring_enter,epoll_wait,getdents64
refused everything_at_once_refused_changes_no_answer EPERM \
	inotify_init1,inotify_add_watch,io_uring_setup,io_uring_register,io_uring_enter,epoll_create1,epoll_ctl,epoll_wait,epoll_pwait,madvise,getdents64,statx,prctl,capget

# Where io_uring is forbidden, the other bell serves.
without_io_uring() # ERRNO
{
	local name="io_uring_refused_with_$1_leaves_the_pending_check" mode why
	wanted "$name" || return 0
	for mode in $(modes both); do
		fresh
		via=("$progs/fault" "$1" io_uring_setup,io_uring_enter,io_uring_register)
		with "$mode" bash -c 'for i in 1 2 3 4 5; do [ -e $PWD/none ]; done' >/dev/null 2>"$base/err1"
		wait "$pid"
		why=$(cat "$base/err1")
		via=()
		why+=$(hit x,epoll)
		verdict "$name[$mode]" "$why"
	done
}
without_io_uring EPERM
without_io_uring ENOSYS

# An inherited filter that kills, as of a service manager: the program knows nothing of these calls.
for calls in io_uring_setup,io_uring_enter,io_uring_register inotify_init,inotify_init1,inotify_add_watch \
	epoll_create,epoll_create1,epoll_ctl,epoll_wait,epoll_pwait capget memfd_create; do
	via=("$progs/fault" KILL $calls)
	hazard -n "a_filter_from_outside_that_kills_for_${calls%%,*}_does_not_kill" "$setup" "$paths" "${changes[@]}"
	via=()
done

# Memory that is refused only once the program runs (in turn by order: threads need memory themselves).
orders=(main child child)
for fault in mmap madvise memory; do
	extra=(LD_PRELOAD="$lib:$progs/late_fault" LATE_FAULT=$fault)
	hazard -n "refused_memory_of_kind_${fault}_changes_no_answer" "$setup" "$paths" "${changes[@]}"
	extra=()
done
for bytes in 8000000 12000000 20000000 40000000; do
	limits=(-v $bytes)
	fresh
	if "$progs/launch" -v $bytes LD_PRELOAD="$progs/other_preload" "$progs/ask" '~/none' </dev/null >/dev/null 2>&1; then
		hazard -n "an_address_space_of_${bytes}_bytes_changes_no_answer" "$setup" "$paths" "${changes[@]}"
	fi
	limits=()
done
orders=(main thread child)
limits=(-l 0)
hazard -b no_locked_memory_leaves_one_of_the_bells "$setup" "$paths" "${changes[@]}"
for files in 8 16 64 256 801; do
	limits=(-n $files)
	hazard -n "a_limit_of_${files}_descriptors_changes_no_answer" "$setup" "$paths" "${changes[@]}"
done
limits=()

# ---- the limits of inotify, in a user namespace of their own ----

if unshare -Ur sh -c 'echo 1 >/proc/sys/user/max_inotify_instances' 2>/dev/null; then
	changes[5]='>m/x'
	for limit in instances=0 instances=1 watches=0 watches=1 watches=3 watches=5 watches=8 watches=12; do
		via=(unshare -Ur sh -c "echo ${limit#*=} >/proc/sys/user/max_inotify_${limit%=*} && exec \"\$@\"" sh)
		hazard -n "an_inotify_limit_of_${limit/=/_}_changes_no_answer" "$setup" "$paths" "${changes[@]}"
	done
	via=()
	# Other programs of the user get their instances as long as nothing pays off.
	works -e FASTPATH_TEST=tick=2000 processes_that_never_pay_off_take_no_inotify_instance unshare -Ur bash -c '
		echo 2 >/proc/sys/user/max_inotify_instances
		for i in 1 2 3 4 5 6 7 8; do bash -c "[ -e /usr/none ]; read -t 1 x" <&0 & done
		'"$python"' -c "
import ctypes
l = ctypes.CDLL(None)
assert l.inotify_init1(0) >= 0 and l.inotify_init1(0) >= 0"; s=$?; kill $(jobs -p) 2>/dev/null; wait 2>/dev/null; exit $s'
else
	skip an_inotify_limit_changes_no_answer "user namespaces"
fi

# ---- no /proc ----

if is_root; then
	changes[5]='>m/x'
	for who in -r -u; do
		ns=-m
		[ $who = -r ] || ns=-Urm
		via=(unshare $ns sh -c 'mount -t tmpfs none /proc && exec "$@"' sh)
		hazard $who -n no_proc_changes_no_answer "$setup" "$paths" "${changes[@]}"
		via=(unshare $ns sh -c 'mount -t tmpfs -o mode=000 none /proc && exec "$@"' sh)
		hazard $who -n an_unreadable_proc_changes_no_answer "$setup" "$paths" "${changes[@]}"
	done
	via=(unshare -m sh -c 'mount -t proc -o hidepid=2 none /proc && exec "$@"' sh)
	hazard -n -r a_hiding_proc_changes_no_answer "$setup" "$paths" "${changes[@]}"
	via=(unshare -mpf --mount-proc)
	hazard -n -r another_pid_namespace_changes_no_answer "$setup" "$paths" "${changes[@]}"
	via=()
else
	skip no_proc_changes_no_answer "needs root"
fi
finish
