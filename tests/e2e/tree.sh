#!/bin/bash
# tree.sh - tree scope: what one process learned serves the others; no session, limit or hostile process makes an
# answer wrong, keeps a command from its result, or outlives its command. E2E_FASTPATH replaces the command.
. "$(dirname "$0")/lib.sh"
needs_command tree
# The build directory may be closed to other users.
mkdir "$base/bin"
cp "$fp" "$base/bin/fastpath"
cp "$lib" "$base/bin/libfastpath.so"
cp "$progs"/{launch,fault,tree_ask,tree_hostile,tree_env,tree_twice} "$base/bin"
chmod -R a+rX "$base/bin"
fp=$base/bin/fastpath ask=$base/bin/tree_ask hostile=$base/bin/tree_hostile env=$base/bin/tree_env twice=$base/bin/tree_twice
rootly() { is_root && echo root; echo user; }
eager=FASTPATH_TEST=eager,tick=20
owner_at=48 # struct segment's owner

# as WHO SECONDS [NAME=VALUE...] CMD...: in $case, with a time limit; leaves out1, err1, status.
as()
{
	local who=() seconds=$2
	[ "$1" = user ] && is_root && who=(-u "$user")
	shift 2
	"$base/bin/launch" -C "$case" "${who[@]}" timeout -k 1 "$seconds" env "$@" </dev/null >"$base/out1" 2>"$base/err1" 8>&- 9>&-
	status=$?
}
# session WHO CMD...: in a session; every second question finds its answer
session()
{
	local who=$1
	shift
	as "$who" 20 $eager FASTPATH_STATS="json:$stats" "$fp" run -- "$@"
}
# good [WANT]: a reason, unless the status is 0, stderr is empty and stdout WANT
good()
{
	[ "$status" = 0 ] || echo "status $status; "
	[ ! -s "$base/err1" ] || echo "stderr: $(err); "
	[ $# = 0 ] || [ "$(out)" = "$1" ] || echo "stdout is '$(out)', must be '$1'; "
}
# served: a reason, unless the tree served something
served()
{
	local got
	pid=0
	got=$(query 'served([l for l in L if l["scope"] != "process"])' 2>&1)
	[[ $got =~ ^[1-9][0-9]*$ ]] || echo "the tree served: $got; "
}
begin() # WHO: a new $case that is his
{
	fresh
	chmod 755 .
	[ "$1" = user ] && is_root && chown "$user:$user" .
	return 0
}
# holds [-r|-u] NAME CMD...: in a session CMD finds everything right by itself, and the tree served something
# ($D in an argument is the case's directory; -n: by its own word, since it writes no statistics).
holds()
{
	local only= who name a args lines=1
	[[ $1 == -[ru] ]] && { only=${1#-}; shift; }
	[[ $1 == -n ]] && { lines=; shift; }
	name=$1
	shift
	wanted "$name" || return 0
	for who in $(rootly); do
		[ -z "$only" ] || [ "$only" = "${who:0:1}" ] || continue
		begin "$who"
		args=()
		for a; do args+=("${a//'$D'/$case}"); done
		mkdir -m 777 d sub
		session "$who" "${args[@]}"
		verdict "$name[$who]" "$(good; [ -z "$lines" ] || served)"
	done
}
gone_soon() # PID: a reason, unless it ends within two seconds
{
	for _ in $(seq 200); do
		kill -0 "$1" 2>/dev/null || return 0
		sleep 0.01
	done
	echo "the broker $1 is there still; "
}
broker_of='echo $((0x${FASTPATH_SESSION%%:*}))'

# ---- sharing ----

holds what_one_process_learned_serves_the_next_at_its_first_question \
	sh -c "$ask attach know=\$D/d/x && $ask hit=\$D/d/y hit=\$D/d/x scope=tree"
holds a_forked_child_is_served_what_its_parent_knew "$ask" attach know='$D/d/x' fork hit='$D/d/x' fork hit='$D/d/y' scope=tree
holds a_program_executed_in_place_attaches_anew "$ask" attach know='$D/d/x' exec hit='$D/d/y' scope=tree
holds a_program_executed_by_a_vfork_child_attaches_anew "$ask" attach know='$D/d/x' vfork hit='$D/d/y' scope=tree
holds other_threads_are_served "$ask" attach know='$D/d/x' thread know='$D/d/x' hit='$D/d/y' fork hit='$D/d/z'
holds a_change_by_one_process_is_seen_by_all \
	sh -c "$ask attach know=\$D/d/x make=\$D/d/ready await=\$D/d/go seen=\$D/d/x make=\$D/d/done & $ask attach await=\$D/d/ready know=\$D/d/x make=\$D/d/x seen=\$D/d/x make=\$D/d/go await=\$D/d/done drop=\$D/d/x gone=\$D/d/x; r=\$?; wait \$! && exit \$r"
holds a_child_sees_its_parents_change "$ask" attach know='$D/d/x' know='$D/d/y' make='$D/d/x' fork seen='$D/d/x' make='$D/d/y' exec seen='$D/d/y' seen='$D/d/x'

# A command, and programs known to execute others, attach as they start: each of their forked children would have
# to. mapped PID: has it attached?
mapped='mapped() { for _ in $(seq 200); do grep -q memfd:fastpath-session /proc/$1/maps && return; sleep 0.01; done; return 1; }'
for via in directly env nice; do
	wanted "a_command_attaches_as_it_starts[$via]" || continue
	begin root
	[ $via = directly ] && by=() || by=($via)
	"$fp" run -- "${by[@]}" sleep 20 & # looks nothing up
	pid=$!
	verdict "a_command_attaches_as_it_starts[$via]" "$(eval "$mapped"; mapped $pid || echo "it did not; ")"
	kill $pid
	wait $pid 2>/dev/null
done
if wanted what_a_command_starts_attaches_when_it_has_lost_something; then
	begin root
	as root 20 "$fp" run -- sh -c 'sleep 20 & sleep 0.5; grep -c memfd:fastpath-session /proc/$!/maps; kill $!; case $FASTPATH_SESSION in 0*) ;; *) echo marked;; esac'
	verdict what_a_command_starts_attaches_when_it_has_lost_something "$(status=0; good 0)"
fi
if wanted a_program_known_to_execute_others_attaches_as_it_starts; then
	begin root
	as root 20 $eager "$fp" run -- bash -c "$mapped"'
		for i in $(seq 12); do dash -c "/bin/true; :"; done
		dash -c "read x; :" <> <(sleep 20) & mapped $!; echo $?; kill $!'
	verdict a_program_known_to_execute_others_attaches_as_it_starts "$(status=0; good 0)"
fi

# The kernel's word in the segment, before it takes the rings down: for a moment they are silent.
if wanted a_killed_broker_is_known_to_be_dead; then
	begin root
	as root 20 $eager "$fp" run -- "$python" -ISc '
import os, signal, struct, sys, time
broker = int(os.environ["FASTPATH_SESSION"].split(":")[0].lstrip("+"), 16)
at = int(next(l for l in open("/proc/self/maps") if "memfd:fastpath-session" in l).split("-")[0], 16)
def owner():
    with open("/proc/self/mem", "rb", 0) as mem:
        mem.seek(at + '"$owner_at"')
        return struct.unpack("I", mem.read(4))[0]
for i in range(500):
    if owner(): break
    time.sleep(0.01)
print(owner() == broker)
os.kill(broker, signal.SIGKILL)
for i in range(500):
    if owner() & 0x40000000: break
    time.sleep(0.01)
print(owner() == 0x40000000)'
	verdict a_killed_broker_is_known_to_be_dead "$(good $'True\nTrue')"
fi

# ---- processes that are somebody else, or elsewhere ----

for how in newns rawns; do
	holds -r "a_child_cloned_into_another_mount_namespace_is_not_served_from_ours_$how" "$ask" attach know='$D/d/x' $how tmpfs='$D/d' make='$D/d/x' seen='$D/d/x'
done
holds -u a_child_cloned_into_another_user_namespace_is_not_served_from_ours "$ask" attach know='$D/d/x' newuser tmpfs='$D/d' seen='$D/d'
for how in unshare=mount chroot=/ uid=65534; do
	holds -r "a_process_is_not_attached_after_${how%%=*}_$how" "$ask" attach know='$D/d/x' "$how" gone='$D/d/x' make='$D/d/x' seen='$D/d/x'
done
holds -r a_process_that_unshared_its_mounts_sees_what_it_mounts "$ask" attach know='$D/d/x' unshare=mount tmpfs='$D/d' make='$D/d/x' seen='$D/d/x' fork seen='$D/d/x' exec seen='$D/d/x'
holds a_process_that_unshared_its_user_namespace_detaches "$ask" attach know='$D/d/x' unshare=user gone='$D/d/x' exec not=tree gone='$D/d/x' gone='$D/d/y' not=tree
holds -n a_process_with_a_filter_of_its_own_detaches "$ask" attach know='$D/d/x' filter gone='$D/d/x' exec gone='$D/d/x' gone='$D/d/y' not=tree

# apart NAME CMD...: under CMD, in a session that serves, nobody is served by the tree, and all is right.
apart()
{
	local name=$1
	shift
	wanted "$name" || return 0
	is_root || { skip "$name" "needs root"; return 0; }
	begin root
	mkdir -m 777 d
	session root sh -c '"$1" attach know=$PWD/d/x || exit 3; shift; exec "$@"' - "$ask" "$@" "$ask" gone="$case/d/x" gone="$case/d/y" gone="$case/d/x" not=tree make="$case/d/x" seen="$case/d/x"
	verdict "$name" "$(good; served)"
}
apart another_user_is_not_attached setpriv --reuid $user --regid $user --clear-groups
apart another_group_is_not_attached setpriv --regid $user --keep-groups
apart other_groups_are_not_attached setpriv --groups $user
apart fewer_capabilities_are_not_attached setpriv --bounding-set -dac_override --inh-caps -all
apart another_mount_namespace_is_not_attached unshare -m
apart another_user_namespace_is_not_attached unshare -U --map-root-user
apart another_root_is_not_attached bash -c 'mount --bind / '"$case"'/d/../d && exec chroot '"$case"'/d "$@"' -
apart a_filtered_process_is_not_attached "$base/bin/fault" ENOSYS acct
if wanted a_filter_that_kills_for_our_calls_kills_nobody; then
	begin root
	as root 20 $eager "$fp" run -- "$base/bin/fault" KILL statx bash -c 'for i in 1 2 3; do [ -e /none$i ]; done; /bin/true; echo $?; env true; echo $?'
	verdict a_filter_that_kills_for_our_calls_kills_nobody "$(good $'0\n0')"
fi
apart who_has_other_paths_to_skip_is_not_attached env FASTPATH_SKIP=/none
apart who_has_other_paths_to_trust_is_not_attached env FASTPATH_TRUST=/none
if wanted another_users_session_is_not_attached && is_root; then
	begin user
	mkdir -m 777 d
	as user 20 $eager "$fp" run -- sh -c 'echo $FASTPATH_SESSION >session; "$1" attach know=$PWD/d/x; touch d/ready; for i in $(seq 500); do [ -e d/end ] && exit; sleep 0.01; done' - "$ask" &
	for _ in $(seq 500); do [ -e d/ready ] && break; sleep 0.01; done
	as root 20 $eager FASTPATH=1 LD_PRELOAD="$base/bin/libfastpath.so" FASTPATH_SESSION="$(cat session)" "$ask" gone="$case/d/x" gone="$case/d/y" gone="$case/d/x" not=tree make="$case/d/end" seen="$case/d/end"
	why=$(good; [ -s session ] || echo "there was no session")
	wait $!
	verdict another_users_session_is_not_attached "$why"
fi

# ---- outliving ----

# outlives NAME CMD: a shell command that writes the broker's pid to $D/d/broker and leaves something behind, which
# makes $D/d/done (right) or $D/d/wrong.
outlives()
{
	local name=$1 who why
	wanted "$name" || return 0
	for who in $(rootly); do
		begin "$who"
		mkdir -m 777 d
		session "$who" sh -c "$broker_of >$case/d/broker; ${2//'$D'/$case}"
		why=$(gone_soon "$(cat d/broker)")
		for _ in $(seq 500); do [ -e d/done ] && break; sleep 0.01; done
		[ -e d/done ] || why+="what was left behind did not end well: $(err); "
		verdict "$name[$who]" "$why$(served)"
	done
}
left="leave end=broker gone=\$D/d/x gone=\$D/d/x make=\$D/d/x seen=\$D/d/x drop=\$D/d/x gone=\$D/d/x fork gone=\$D/d/y make=\$D/d/y exec seen=\$D/d/y make=\$D/d/done"
outlives a_child_that_outlives_the_command_asks_the_kernel "$ask attach know=\$D/d/x $left"
outlives the_broker_ends_with_a_killed_command "$ask attach know=\$D/d/x leave sleep=50 & exec $ask attach know=\$D/d/x fork $left & wait \$!; kill -KILL \$\$"
outlives the_broker_ends_with_a_program_executed_by_the_command "exec $ask attach know=\$D/d/x exec hit=\$D/d/x $left"
outlives the_broker_ends_after_the_main_thread "exec $ask attach know=\$D/d/x mainends know=\$D/d/x know=\$D/d/z $left"
if wanted the_broker_serves_threads_after_the_main_one; then
	begin root
	mkdir d
	session root "$ask" attach know="$case/d/x" mainends sleep=50 know="$case/d/x" hit="$case/d/y"
	verdict the_broker_serves_threads_after_the_main_one "$(good)"
fi
if wanted nothing_is_left_after_a_session; then
	begin root
	mkdir d m
	is_root && mount -t tmpfs t m && mkdir m/e
	ls -A /tmp /dev/shm | sort >"$base/before"
	session root sh -c "$broker_of >$case/d/broker; $ask attach know=$case/d/x know=$case/m/e/x know=$case/m/x; true"
	why=$(served)
	! is_root || umount m || why+="a mount is busy; "
	why+=$(gone_soon "$(cat d/broker)")
	why+=$(ls -A /tmp /dev/shm | sort | diff "$base/before" - | grep -i fastpath)
	verdict nothing_is_left_after_a_session "$why"
fi
if wanted a_listed_mount_can_be_unmounted_within_the_session; then
	if is_root; then
		begin root
		mkdir m
		mount -t tmpfs t m
		mkdir m/e
		session root sh -c "$ask attach know=$case/m/e/x know=$case/m/x && umount $case/m && $ask gone=$case/m/e gone=$case/m/e/x && mkdir $case/m/e && $ask seen=$case/m/e"
		verdict a_listed_mount_can_be_unmounted_within_the_session "$(good; served)"
	else
		skip a_listed_mount_can_be_unmounted_within_the_session "needs root"
	fi
fi

# ---- a broker that is killed or stopped ----

holds a_killed_broker_makes_nothing_stale "$ask" attach know='$D/d/x' kill=9 make='$D/d/x' seen='$D/d/x' drop='$D/d/x' gone='$D/d/x' fork seen='$D/d' exec gone='$D/d/x' make='$D/d/x' seen='$D/d/x'
holds a_broker_killed_after_a_change_makes_nothing_stale "$ask" attach know='$D/d/x' know='$D/sub/x' make='$D/d/x' kill=9 seen='$D/d/x' make='$D/sub/x' seen='$D/sub/x'
holds a_stopped_broker_makes_nothing_stale "$ask" attach know='$D/d/x' know='$D/d/y' kill=19 make='$D/d/x' seen='$D/d/x' make='$D/d/y' seen='$D/d/y' drop='$D/d/x' gone='$D/d/x' kill=18 gone='$D/d/x' know='$D/d/w' hit='$D/d/z'
if wanted a_broker_killed_at_random_moments_makes_nothing_stale; then
	for who in $(rootly); do
		begin "$who"
		mkdir -m 777 d
		why=
		for i in $(seq 15); do
			# changes and questions, while another process kills, or stops and continues, the broker
			as "$who" 10 $eager FASTPATH_STATS="json:$stats" "$fp" run -- env -u FASTPATH_TEST bash -c '
				"$0" attach know=$PWD/d/none || exit 1
				b=$((0x${FASTPATH_SESSION%%:*}))
				(for k in $(seq $((RANDOM % 400))); do :; done; if [ $1 = 1 ]; then kill -STOP $b; kill -CONT $b; fi; kill -KILL $b) &
				for k in 1 2 3 4 5 6 7 8; do
					x=$PWD/d/x$k
					[ -e $x ] && exit 2; [ -e $x ] && exit 3; : >$x; [ -e $x ] || exit 4; [ -e $x ] || exit 5; rm $x; [ -e $x ] && exit 6
				done; wait' "$ask" $((i % 2))
			[ $status = 0 ] || why+="round $i: status $status: $(err); "
		done
		verdict "a_broker_killed_at_random_moments_makes_nothing_stale[$who]" "$why$(served)"
	done
fi

# ---- limits ----

work='for i in $(seq 30); do [ -e $PWD/none$i ]; done; >here; [ -e $PWD/here ] && echo here; (cd / && echo $(command -v sh nothing)); sh -c "exit 4"; echo $?'
# limited NAME PREFIX...: the result of $work under PREFIX is as without fastpath run
limited()
{
	local name=$1 form who why
	shift
	wanted "$name" || return 0
	for who in $(rootly); do
		for form in '' --stats=json; do
			begin "$who"
			as "$who" 20 "$@" bash -c "$work; exit 3"
			out >"$base/out0"
			why=
			[ "$status" = 3 ] || why="the case is broken: $status $(err)"
			begin "$who"
			as "$who" 20 $eager "$@" "$fp" run $form -- bash -c "$work; exit 3"
			[ "$status" = 3 ] || why+="status $status; "
			cmp -s "$base/out0" "$base/out1" || why+="stdout is '$(out)'; "
			grep -v '^{"fastpath":1' "$base/err1" >"$base/rest" && why+="stderr: $(head -c 300 "$base/rest")"
			verdict "$name[$who${form:+,$form}]" "$why"
		done
	done
}
for n in 6 8 10; do limited "the_result_with_${n}_descriptors" prlimit --nofile=$n; done
limited the_result_with_no_locked_memory prlimit --memlock=0
for n in 16 40; do limited "the_result_in_${n}_MiB_of_address_space" prlimit --as=$((n << 20)); done
limited the_result_with_files_of_one_page prlimit --fsize=4096
# a_limit NAME FILE VALUE WHY: with a sysctl of inotify the result is as without
a_limit()
{
	local name=$1 file=/proc/sys/fs/inotify/$2 was
	wanted "$name" || return 0
	if ! is_root || [ ! -w "$file" ]; then
		skip "$name" "needs root"
		return 0
	fi
	was=$(cat "$file")
	echo "$3" >"$file"
	limited "$name" env
	echo "$was" >"$file"
}
a_limit the_result_without_inotify_watches max_user_watches 1
a_limit the_result_without_inotify_instances max_user_instances 0
if wanted without_io_uring_it_is_process_scope_and_says_why; then
	for who in $(rootly); do
		begin "$who"
		as "$who" 20 "$base/bin/fault" EPERM io_uring_setup "$fp" run --stats=json -- bash -c "$work; exit 3"
		why=
		[ $status = 3 ] || why="status $status; "
		grep -q '"scope":"process".*"why":"[^"]*io_uring' "$base/err1" || why+="$(err)"
		verdict "without_io_uring_it_is_process_scope_and_says_why[$who]" "$why"
	done
fi
if wanted more_losses_than_the_inbox_holds; then
	begin root
	mkdir d
	(cd d && mkdir -p $(seq 1500))
	session root bash -c 'for k in 1 2 3; do (for i in $(seq 1500); do [ -e $PWD/d/$i/x ] && exit 1; done; exit 0) & p+=" $!"; done; for k in $p; do wait $k || exit 1; done
		for i in $(seq 1 50 1500); do : >d/$i/x; [ -e $PWD/d/$i/x ] || exit 2; [ -e $PWD/d/$i/y ] && exit 3; done; exit 0'
	verdict more_losses_than_the_inbox_holds "$(good; served)"
fi
if wanted more_directories_than_the_segment_holds; then
	begin root
	mkdir d
	long=$(printf '%0100d' 0)
	(cd d && seq -f "$long%.0f" 9000 | xargs mkdir)
	as root 30 FASTPATH_STATS="json:$stats" FASTPATH_TEST=eager nice "$fp" run -- bash -c 'cd d; for i in *; do [ -e $PWD/$i/x ] && exit 1; done; n=0
		for i in *; do n=$((n+1)); [ $((n % 60)) = 0 ] || continue; : >$i/x; [ -e $PWD/$i/x ] || exit 2; [ -e $PWD/$i/y ] && exit 3; done; exit 0'
	verdict more_directories_than_the_segment_holds "$(good; served)"
fi
if wanted a_directory_of_more_than_65536_entries; then
	begin root
	mkdir d e
	(cd d && seq 66000 | xargs -n 4000 touch)
	session root bash -c "$ask attach know=$case/e/x; for i in 1 2 3; do [ -e $case/d/x ] && exit 1; done; : >$case/d/x; [ -e $case/d/x ] && [ -e $case/d/65999 ]"
	verdict a_directory_of_more_than_65536_entries "$(good; served)"
fi
if wanted five_hundred_processes_at_once; then
	begin root
	mkdir d
	# All of them wait for the broker, as tests do, and take the processors from it.
	as root 120 $eager FASTPATH_STATS="json:$stats" "$fp" run -- sh -c 'i=0; while [ $((i=i+1)) -le 500 ]; do ([ -e $PWD/d/n$i ]; [ -e $PWD/d/n$i ] || : >d/n$i; [ -e $PWD/d/n$i ] || echo stale $i) & done; wait; echo done; ls d | wc -l'
	verdict five_hundred_processes_at_once "$(good $'done\n500'; served)"
fi

# ---- hostile processes, forged sessions ----

for who in $(rootly); do
	wanted nobody_but_the_broker_can_change_the_session || break
	begin "$who"
	mkdir -m 777 d
	session "$who" sh -c "$ask attach know=$case/d/x && $hostile write && $ask hit=$case/d/y scope=tree"
	verdict "nobody_but_the_broker_can_change_the_session[$who]" "$(good; served)"
done
for who in $(rootly); do
	wanted a_scribbled_inbox_makes_nothing_wrong || break
	begin "$who"
	mkdir -m 777 d
	mkdir -m 000 closed
	ln -s d link
	ln -s loop loop
	mkfifo fifo
	session "$who" bash -c '
		'"$ask"' attach know=$PWD/d/x || exit 1
		'"$hostile"' scribble 400 $PWD/d/x $PWD/d $PWD/fifo $PWD/loop/x $PWD/link/../d/x $PWD/closed/x /proc/self/fd/77 /etc/passwd &
		while kill -0 $! 2>/dev/null; do : >d/n; [ -e $PWD/d/n ] || exit 2; [ -w $PWD/d/n ] || exit 3; rm d/n; [ -e $PWD/d/n ] && exit 4; done
		wait $! || exit 5; kill -0 $((0x${FASTPATH_SESSION%%:*})) || exit 6
		[ -w /etc/passwd ]; w=$?; [ $w = $([ $(id -u) = 0 ]; echo $?) ] || exit 7
		exec '"$ask"' attach know=$PWD/d/x hit=$PWD/d/y seen=$PWD/fifo gone=$PWD/loop/x'
	verdict "a_scribbled_inbox_makes_nothing_wrong[$who]" "$(good; served)"
done
if wanted a_forged_session_is_none; then
	for who in $(rootly); do
		begin "$who"
		mkdir -m 777 d
		cat >forge.py <<-'END'
			import ctypes, fcntl, os, subprocess, sys
			ask, lib, d = sys.argv[1:]
			def lookup(value, fds=()):
			    e = {"FASTPATH": "1", "FASTPATH_TEST": "eager", "LD_PRELOAD": lib, "FASTPATH_SESSION": value, "PATH": os.environ["PATH"]}
			    r = subprocess.run([ask, "gone=%s/x" % d, "gone=%s/x" % d, "gone=%s/y" % d, "not=tree", "make=%s/x" % d, "seen=%s/x" % d, "drop=%s/x" % d],
			                       env=e, pass_fds=fds, timeout=10, capture_output=True)
			    if r.returncode or r.stderr: print("%.60s: %d %s" % (value, r.returncode, r.stderr.decode()))
			def address(fd, nonce=1, pid=None):
			    s = os.fstat(fd)
			    return "%x:%x:%x:%x:%x" % (pid or os.getpid(), fd, os.major(s.st_dev) << 32 | os.minor(s.st_dev), s.st_ino, nonce)
			def memory(size, seals):
			    fd = os.memfd_create("forged", os.MFD_ALLOW_SEALING)
			    os.ftruncate(fd, size)
			    os.write(fd, b"\1" * min(size, 4096))
			    fcntl.fcntl(fd, 1033, seals)
			    return fd
			real = os.environ.get("FASTPATH_SESSION", "1:1:1:1:1")
			pid, fd, dev, ino, nonce = real.split(":")
			for v in ("garbage", ":", "::::", "1:2:3:4", "1:2:3:4:5:6", "f" * 16 + (":" + "f" * 16) * 4, "f" * 17 + ":1:1:1:1", "0:0:0:0:0", "-1:1:1:1:1",
			          "0x1:1:1:1:1", "A" * 100000, "\xff\xfe", real + " ", real + ":", real.upper() + "0", "1:0:1:1:1", "%x:0:0:0:0" % os.getpid(),
			          ":".join((pid, fd, dev, ino, "1")), ":".join((pid, "0", dev, ino, nonce)), ":".join((pid, fd, dev, "1", nonce)),
			          ":".join((pid, fd, "77", ino, nonce)), ":".join(("1", fd, dev, ino, nonce)), ":".join(("%x" % os.getpid(), fd, dev, ino, nonce)),
			          ":".join((pid, "f" * 8, dev, ino, nonce))):
			    lookup(v)
			r, w = os.pipe()
			os.mkfifo("fifo")
			for fd in (r, w, os.open("fifo", os.O_RDWR), os.open("/", os.O_RDONLY), os.open("/dev/null", os.O_RDWR), os.open("/etc/passwd", os.O_RDONLY),
			           memory(4096, 2 | 4 | 16), memory(1 << 20, 0), memory(1 << 20, 2 | 4), memory(1 << 20, 2 | 4 | 16), memory(0, 2 | 4 | 16)):
			    lookup(address(fd))
			    lookup(address(fd, 0x0101010101010101))
		END
		session "$who" sh -c '"$1" attach know=$PWD/d/z && exec "$2" -IS forge.py "$1" '"$base/bin/libfastpath.so"' $PWD/d' - "$ask" "$python"
		verdict "a_forged_session_is_none[$who]" "$(good ''; served)"
	done
fi

# ---- selective injection ----

if wanted a_useless_program_loses_its_preload_and_nothing_else; then
	for who in $(rootly); do
		begin "$who"
		as "$who" 30 $eager OTHER=1 LD_PRELOAD="$progs/none.so:$base/bin/launch.so" FASTPATH_SKIP=/none "$fp" run -- bash -c '
			'"$env"' >first; for i in $(seq 400); do '"$env"' >last; grep -q libfastpath last || break; done; '"$env"' >after; diff <(env -u _ true; sed "/^_=/d; /^LD_PRELOAD/d" first) <(sed "/^_=/d; /^LD_PRELOAD/d" last) && grep LD_PRELOAD first last' 2>/dev/null
		# the loader complains of what cannot be preloaded: only stdout counts
		verdict "a_useless_program_loses_its_preload_and_nothing_else[$who]" "$(good_out=$(out); want="first:LD_PRELOAD=$progs/none.so:$base/bin/launch.so:$base/bin/libfastpath.so
last:LD_PRELOAD=$progs/none.so:$base/bin/launch.so"; [ "$good_out" = "$want" ] || echo "'$good_out', must be '$want'")"
	done
fi
if wanted a_dropped_program_is_not_looked_at_each_time; then
	begin root
	program=$(readlink -f "$(command -v expr)")
	as root 60 "$fp" run -- strace -f -e trace=statx,execve -o log bash -c "for i in {1..400}; do $program 1 + 1; done >log.out; for i in {1..20}; do $program 1 + 1; done >log.out"
	why=$(good '')
	looks=$(grep -c "statx(.*\"$program\"" log) runs=$(grep -c "execve(\"$program\".* = 0" log)
	[ "$runs" = 420 ] || why+="$runs were executed, must be 420; "
	[ "$looks" -gt 0 ] && [ "$looks" -lt 210 ] || why+="$looks looks at it, must be fewer than 210; "
	verdict a_dropped_program_is_not_looked_at_each_time "$why"
fi
if wanted a_program_that_pays_keeps_its_preload; then
	begin root
	mkdir d
	as root 30 $eager "$fp" run -- bash -c 'for i in $(seq 60); do '"$env"' 500 $PWD/d/x >last; done; grep -c libfastpath last'
	verdict a_program_that_pays_keeps_its_preload "$(good 1)"
fi
if wanted a_program_that_executes_others_keeps_its_preload; then
	begin root
	as root 30 $eager "$fp" run -- bash -c 'for i in $(seq 60); do sh -c "'"$env"' >last; :"; done; sh -c "tr \"\\0\" \"\\n\" </proc/\$\$/environ | grep -c libfastpath; :"'
	verdict a_program_that_executes_others_keeps_its_preload "$(good 1)"
fi
if wanted what_a_shell_goes_on_as_is_not_blamed_for_its_children; then
	begin root
	as root 30 $eager "$fp" run -- bash -c 'for i in $(seq 60); do (/bin/true; exec '"$env"' >last); done; grep -c libfastpath last'
	verdict what_a_shell_goes_on_as_is_not_blamed_for_its_children "$([ "$(out)" = 0 ] || echo "'$(out)' times in its environment, must be 0")"
fi
if wanted programs_that_cannot_take_a_preload_run_without; then
	begin root
	echo 'int main(void) { return 5; }' >a.c
	if gcc -fsanitize=address -o asan a.c 2>"$base/err1" && ./asan || [ $? = 5 ]; then
		cat >run.py <<-'END'
			import os, ctypes, subprocess
			a = os.getcwd() + "/asan"
			def ended(s): return os.waitstatus_to_exitcode(s)
			def child(f):
			    p = os.fork()
			    if not p:
			        try: f()
			        finally: os._exit(99)
			    return ended(os.waitpid(p, 0)[1])
			os.environ["PATH"] += ":" + os.getcwd()
			print(child(lambda: os.execve(a, [a], os.environ)), child(lambda: os.execv(a, [a])), child(lambda: os.execvp("asan", [a])),
			      child(lambda: os.execvpe("asan", [a], os.environ)), ended(os.waitpid(os.posix_spawn(a, [a], os.environ), 0)[1]),
			      ended(os.waitpid(os.posix_spawnp("asan", [a], os.environ), 0)[1]), ended(os.system(a)), ended(os.system("asan")), subprocess.run([a]).returncode)
		END
		for who in $(rootly); do
			session "$who" "$python" -IS run.py
			why=$(good '5 5 5 5 5 5 5 5 5')
			# by who has asked for nothing yet; as the command itself
			for words in "sh -c ./asan" "bash -c ./asan" ./asan "$case/asan" "env ./asan"; do
				as "$who" 20 "$fp" run -- $words
				[ $status = 5 ] || why+="$words: $status; "
			done
			verdict "programs_that_cannot_take_a_preload_run_without[$who]" "$why"
		done
	else
		skip programs_that_cannot_take_a_preload_run_without "gcc -fsanitize=address"
	fi
fi
if wanted a_set_user_id_program_runs && is_root; then
	begin root
	cp "$env" suid
	chmod 4755 suid
	for who in root user; do
		session "$who" sh -c './suid >/dev/null && ./suid | grep -c ^PATH='
		verdict "a_set_user_id_program_runs[$who]" "$(good 1)"
	done
fi
if wanted an_environment_with_two_preload_entries_is_passed_on && is_root; then
	for who in root user; do
		begin root
		cp /bin/true suid
		chmod 4755 suid
		session "$who" "$twice" "$case/suid"
		verdict "an_environment_with_two_preload_entries_is_passed_on[$who]" "$(good)"
	done
fi

# ---- exactness ----

if wanted make_of_two_hundred_recipes; then
	for who in $(rootly); do
		why=
		for with in '' "$fp run --"; do
			begin "$who"
			seq -f 'n%.0f' 200 | { printf 'all:'; tr '\n' ' '; printf '\nn%%:\n\t@test ! -e $(CURDIR)/$@ && touch $@ && test -e $(CURDIR)/$@ && echo $@\n'; } >Makefile
			as "$who" 30 FASTPATH_STATS="json:$stats" $eager $with make -j4
			why+=$(good)
			sort "$base/out1" | sha1sum >"$base/sum${#with}"
			ls | sha1sum >>"$base/sum${#with}"
		done
		with="$fp run --"
		cmp -s "$base/sum0" "$base/sum${#with}" || why+="another result; "
		verdict "make_of_two_hundred_recipes[$who]" "$why$(served)"
	done
fi
if wanted a_configure_script_finds_the_same; then
	for with in '' "$fp run --"; do
		begin root
		cat >configure <<-'END'
			for h in stdio.h none.h sys/stat.h no/such.h; do
			  echo "#include <$h>" >conftest.c
			  if gcc -I$PWD/inc -I$PWD -c conftest.c 2>conftest.err; then echo "$h yes"; else echo "$h no"; fi
			  [ -f $PWD/conftest.o ] && echo object; rm -f conftest.o conftest.c; [ -f $PWD/conftest.o ] && echo stale
			done
			for p in gcc nothing awk sed none; do command -v $p; which $p; done
			for i in $(seq 20); do echo "int x$i;" >conftest.c; gcc -c conftest.c && [ -e $PWD/conftest.o ] && printf "$i "; rm $PWD/conftest.o; [ -e $PWD/conftest.o ] && echo stale; done
			mkdir inc; >inc/none.h; echo "#include <none.h>" >conftest.c; gcc -I$PWD/inc -c conftest.c && echo found
		END
		as root 60 FASTPATH_STATS="json:$stats" FASTPATH_VERIFY=1 $eager $with sh ./configure
		out >"$base/config${#with}"
		err >>"$base/config${#with}"
	done
	pid=0
	with="$fp run --"
	why=$(diff "$base/config0" "$base/config${#with}")
	[ "$(query '[sum(l["verify"]["checked"] for l in L) > 0, sum(l["verify"]["wrong"] for l in L)]')" = "[True, 0]" ] || why+="verification: $(query 'sum(l["verify"]["wrong"] for l in L)')"
	verdict a_configure_script_finds_the_same "$why$(served)"
fi
finish
