#!/bin/bash
# mechanics.sh - hazards 27 to 43: what a process does with its signals, threads, children,
# descriptors, filters and other preloads goes on as without the library, and stays coherent.
. "$(dirname "$0")/lib.sh"
mechanics=$progs/mechanics

# ---- 27. before constructors, after destructors ----

same -s lookups_before_constructors_and_after_main bash -c ">$case/present; exec $progs/early"
# ---- 28. signals, threads, forks ----

works -s lookups_in_a_signal_handler_that_interrupts_lookups "$mechanics" signals
works -s a_handler_that_jumps_out_of_lookups "$mechanics" longjmp
works -s a_known_path_needs_little_stack_in_a_handler "$mechanics" altstack
works -s learning_fits_the_smallest_thread_stack "$mechanics" smallstack
works -s answering_fits_the_smallest_thread_stack "$mechanics" smallstack known
works -s open_stays_a_cancellation_point "$mechanics" cancel
works -s fork_from_a_process_of_busy_threads "$mechanics" fork
works -s raw_clone_from_a_process_of_busy_threads "$mechanics" clone
works -r -s a_child_in_our_memory_and_another_namespace_asks_the_kernel "$mechanics" clone-apart
works -s generations_of_children_steal_nothing_from_each_other "$mechanics" generations
# As they are used: with neither eagerness nor statistics, which a child would count in memory of its own.
heirs() # NAME HOW
{
	wanted "$1" || return 0
	verdict "$1" "$(FASTPATH=1 LD_PRELOAD="$lib" timeout 120 "$mechanics" heirs "$2" 2>&1 || echo "exit status $?")"
}
heirs a_forked_child_that_asks_little_touches_no_memory_of_the_cache little
heirs a_forked_child_that_loses_much_caches_too much
works -s facts_outlive_the_thread_that_learned_them_correctly "$mechanics" owner-ends
works facts_outlive_the_main_thread "$mechanics" main-ends

same -s -w ok a_subshell_takes_no_event_from_its_parent bash -c '
	d=$PWD; for i in 1 2 3; do [ -e $d/made ]; done; (for i in 1 2 3; do [ -e $d/made ]; done; >$d/made; [ -e $d/made ] || echo bad); [ -e $d/made ] && echo ok'
same -s -w "False False True True" python_multiprocessing "$python" -c '
import os, multiprocessing as m
p = os.getcwd() + "/made"
def child(q):
    a = [os.path.exists(p) for i in range(5)]; open(p, "w").close(); q.put((a[-1], os.path.exists(p)))
m.set_start_method("fork")
before = [os.path.exists(p) for i in range(5)][-1]
q = m.SimpleQueue(); c = m.Process(target=child, args=(q,)); c.start(); a, b = q.get(); c.join()
print(before, a, b, os.path.exists(p))'

works -s paths_that_go_on_in_the_next_page_are_read_where_it_is_surely_there "$mechanics" across

# ---- 29. vfork ----

works -s vfork_children_neither_spoil_nor_mislead_their_parent "$mechanics" vfork
same -s -w "42 False True" python_subprocess_children "$python" -c '
import os, subprocess, sys
p = os.getcwd()
for i in range(5): os.path.exists(p + "/made")
for i in range(20): subprocess.run([p + "/none"], check=False) if os.path.exists(p + "/none") else None
r = subprocess.run(["sh", "-c", "exit 42"]).returncode
try: subprocess.run([p + "/none"])
except FileNotFoundError: pass
a = os.path.exists(p + "/made")
subprocess.run(["touch", p + "/made"], close_fds=True)
print(r, a, os.path.exists(p + "/made"))'
same -s -w "1 2" gcc_in_vfork_children bash -c '
	d=$PWD; for i in 1 2 3; do [ -e $d/a.out ]; done; echo "int main(void) { return 0; }" >$d/a.c; echo "int x;" >$d/b.c
	gcc -pipe -o $d/a.out $d/a.c && $d/a.out && printf "1 " && gcc -save-temps -c -o $d/b.o $d/b.c && [ -s $d/b.o ] && echo 2'
same -s posix_spawn_from_make bash -c 'd=$PWD; for i in 1 2 3; do [ -e $d/n ]; done; printf "all: a b c\na b c:\n\t@echo \$@; touch $d/\$@; test -e $d/\$@\n" >$d/Makefile; make -C $d -s -f $d/Makefile; echo $?'

# ---- 30. 31. descriptors ----

works -s new_descriptors_have_the_numbers_they_would_have "$mechanics" numbers
for how in close_range closefrom raw-close_range close pipe inotify epoll mountinfo; do
	works -s "descriptors_closed_or_replaced_by_${how}_mislead_nobody" "$mechanics" spoil $how
done
same -s -w ok closing_every_descriptor_in_a_shell bash -c '
	d=$PWD; for i in 1 2 3; do [ -e $d/x ]; done; for fd in $(seq 3 1023); do eval "exec $fd>&-"; done 2>/dev/null; >$d/x; [ -e $d/x ] && echo ok'
same -s -w ok duplicating_over_every_descriptor_in_a_shell bash -c '
	d=$PWD; for i in 1 2 3; do [ -e $d/x ]; done; exec 7<$d; for fd in $(seq 800 1000); do eval "exec $fd<&7"; done; >$d/x; [ -e $d/x ] && echo ok'
for closed in '<&-' '>&-' '2>&-' '<&- >&- 2>&-'; do
	same "numbers_of_descriptors_with_${closed// /} closed" bash -c "
		exec 9>$case/log; exec $python -c '
import os
p = \"$case\"
for i in range(5): os.path.exists(p + \"/x\")
n = [os.open(p, os.O_RDONLY) for i in range(3)]
open(p + \"/x\", \"w\").close()
os.write(9, repr((n, os.path.exists(p + \"/x\"))).encode())' $closed 8>&-; cat $case/log"
	same "what_is_written_with_${closed// /} closed" bash -c "
		bash -c 'for i in 1 2 3; do [ -e $case/n ]; done; exec 5>$case/data; echo one >&5; >$case/n; [ -e $case/n ] && echo two >&5' $closed; cat $case/data"
done

# ---- 34. seccomp ----

trees=1
for how in load prctl syscall; do
	same -w alive "a_filter_that_kills_by_${how}_does_not_kill_known_lookups" "$progs/confined" hot $how /usr/include/none
	same -w alive "a_filter_that_kills_by_${how}_does_not_kill_first_lookups" "$progs/confined" cold $how /usr/include/none
	same -w alive -e FASTPATH_VERIFY=1 "a_filter_that_kills_by_${how}_does_not_kill_the_verification" "$progs/confined" hot $how /usr/include/none
done
same -w alive strict_seccomp "$progs/confined" hot strict /usr/include/none
unset trees
if [ -x /usr/bin/file ]; then
	same file_in_its_sandbox file /bin/ls /etc/passwd /usr/lib/none /etc
else
	skip file_in_its_sandbox "the program file"
fi
if [ -x /usr/bin/man ]; then
	same man_in_its_sandbox bash -c "printf '.TH x 1\n.SH NAME\nx \\\\- y\n' >$case/x.1; man $case/x.1 | cat; man -w none-such-page; man -w $case/x.1"
else
	skip man_in_its_sandbox "the program man"
fi

# ---- 35. to 38. the loader ----

same -w 0 a_statically_sanitized_program bash -c "echo 'int main(void) { return 0; }' >$case/t.c; gcc -fsanitize=address -static-libasan -o $case/t $case/t.c && $case/t; echo \$?"
same -w 0 a_static_program bash -c "echo 'int main(void) { return 0; }' >$case/t.c; gcc -static -o $case/t $case/t.c && $case/t; echo \$?"
same -r -w in no_loader_message_after_chroot bash -c "
	mkdir -p $case/r/usr $case/r/work; mount --bind /usr $case/r/usr; for i in bin lib lib64; do ln -s usr/\$i $case/r/\$i; done
	for i in 1 2 3; do [ -e $case/x ]; done; chroot $case/r /bin/bash -c 'ls /none-of-this >/dev/null 2>&1; echo in'; umount $case/r/usr"
if [ "$(uname -m)" = x86_64 ]; then
	same -s both_versions_of_realpath_and_posix_spawn_keep_their_manners "$progs/versions"
else
	skip both_versions_of_realpath_and_posix_spawn_keep_their_manners "old symbol versions (x86-64)"
fi
if wanted the_library_needs_only_old_symbols; then
	why=
	[ "$(uname -m)" != x86_64 ] || why+=$(nm -D -u "$lib" | grep -v -E '@GLIBC_2\.(2\.5|3|3\.4|4)$| w ' | tr '\n' ' ')
	why+=$(nm -D -u "$lib" | grep _chk)
	verdict the_library_needs_only_old_symbols "$why"
fi
if wanted the_library_does_not_wrap_fork_malloc_or_dlsym; then
	# (clone may be: without a hint, the child of the case above would be misled.)
	why=$(nm -D --defined-only "$lib" | grep -E ' (fork|vfork|clone3|_Fork|malloc|calloc|realloc|free|dlsym|getenv)(@|$)' | tr '\n' ' ')
	verdict the_library_does_not_wrap_fork_malloc_or_dlsym "$why"
fi
if wanted every_spelling_is_wrapped_in_every_version; then
	why=
	defined=$(nm -D --defined-only "$lib" | awk '{ print $3 }')
	for s in access euidaccess eaccess faccessat stat stat64 lstat lstat64 fstatat fstatat64 __xstat __xstat64 __lxstat \
		__lxstat64 __fxstatat __fxstatat64 statx open open64 __open __open64 openat openat64 __open_2 __open64_2 \
		__openat_2 __openat64_2 fopen fopen64 _IO_fopen opendir readlink readlinkat __readlink_chk __readlinkat_chk \
		realpath __realpath_chk canonicalize_file_name execve execv execvp execl execle execlp fexecve execvpe \
		execveat posix_spawn posix_spawnp getxattr lgetxattr listxattr llistxattr syscall \
		chroot unshare setns setuid seteuid setreuid setresuid setgid setegid setregid setresgid setfsuid setfsgid \
		setgroups initgroups capset prctl _exit; do
		grep -q -E "^$s(@|\$)" <<<"$defined" || why+="$s is missing; "
	done
	if [ "$(uname -m)" = x86_64 ]; then
		for s in realpath@@GLIBC_2.3 realpath@GLIBC_2.2.5 posix_spawn@@GLIBC_2.15 posix_spawn@GLIBC_2.2.5 \
			posix_spawnp@@GLIBC_2.15 posix_spawnp@GLIBC_2.2.5; do
			grep -q -x "$s" <<<"$defined" || why+="$s is missing; "
		done
	fi
	verdict every_spelling_is_wrapped_in_every_version "$why"
fi

# ---- 40. setuid ----

# The loader takes a preload into a setuid program only from the trusted directories, by name, and
# when the library itself is setuid.
setuid_case()
{
	local name=a_setuid_program_ignores_the_variables d out
	wanted $name || return 0
	is_root || { skip $name "needs root"; return 0; }
	fresh
	d=$(dirname "$(ldconfig -p | sed -n 's/.*libc.so.6.*x86-64.* => //p;s/.*libc.so.6.*AArch64.* => //p' | head -n 1)")
	d=$(realpath "$d")
	out=$(unshare -m bash -c "
		set -e; mkdir up wk; mount -t overlay o -o lowerdir=$d,upperdir=$case/up,workdir=$case/wk $d
		install -m 4755 $lib $d/libfastpath.so
		install -m 4755 $progs/ask $case/ask; chmod 777 $case
		echo end | setpriv --reuid $user --regid $user --clear-groups env FASTPATH=1 FASTPATH_TEST=eager FASTPATH_STATS=json:$case/stolen \
			LD_PRELOAD=libfastpath.so $case/ask $case/none $case/ask 2>&1
		echo end | setpriv --reuid $user --regid $user --clear-groups env FASTPATH=garbage FASTPATH_STATS=1 FASTPATH_PROFILE=$case/stolen2 \
			LD_PRELOAD=libfastpath.so $case/ask $case/none $case/ask 2>&1
		echo end | env FASTPATH=1 FASTPATH_TEST=eager LD_PRELOAD=libfastpath.so $case/ask $case/none 2>&1
	" 2>&1)
	# UNSERVED twice is ask's own complaint; the last run shows that the library was loaded.
	out=$(grep -v -e '^ready' -e "^UNSERVED $case" -e '^SERVED 0' -e '^BELL none' <<<"$out" | tr '\n' ';')
	if [ -e stolen ] || [ -e stolen2 ]; then
		fail $name "a setuid program wrote statistics"
	elif ! grep -q -E '^BELL page;SERVED [1-9][0-9]* of [0-9]*;$' <<<"$out"; then
		fail $name "$out"
	else
		pass $name
	fi
}
setuid_case

# ---- 41. 25. other preloads ----

if wanted ld_preload_goes_to_children_unchanged; then
	for mode in $(modes both); do
		fresh
		extra=(LD_PRELOAD="$progs/other_preload:$lib")
		with "$mode" bash -c 'for i in 1 2 3; do [ -e $PWD/n ]; done; sh -c "exec env"' >"$base/out1" 2>&1
		wait "$pid"
		extra=()
		verdict "ld_preload_goes_to_children_unchanged[$mode]" "$(grep -q -x "LD_PRELOAD=$progs/other_preload:$lib" "$base/out1" || grep -e LD_ -e FASTPATH "$base/out1")"
	done
fi

# beside NAME OTHER CMD...: in both orders of LD_PRELOAD, CMD prints what it prints with OTHER alone.
beside()
{
	local name=$1 other=$2 mode order why extra
	shift 2
	wanted "$name" || return 0
	for mode in $(modes both); do
		fresh
		chmod 777 .
		without "$mode" LD_PRELOAD="$other" "$@" </dev/null >"$base/out0" 2>&1
		wait "$pid"
		for order in "$other $lib" "$lib $other"; do
			fresh
			chmod 777 .
			extra=(LD_PRELOAD="$order")
			with "$mode" "$@" </dev/null >"$base/out1" 2>&1
			wait "$pid"
			why=$(diff "$base/out0" "$base/out1" | head -n 10)
			[ -s "$base/out0" ] || why+="the case is broken: no output"
			case $order in
			"$lib "*) verdict "${name}_after_us[$mode]" "$why" ;;
			*) verdict "${name}_before_us[$mode]" "$why" ;;
			esac
		done
	done
}
ask_and_create='
import os
p = os.getcwd()
for i in range(5): os.path.exists(p + "/x"); os.access(p + "/x", os.R_OK)
open(p + "/x", "w").close(); os.chmod(p + "/x", 0o755); os.chown(p + "/x", 0, 0) if os.environ.get("FAKEROOTKEY") else None
s = os.stat(p + "/x"); print(os.path.exists(p + "/x"), oct(s.st_mode), s.st_uid, os.access(p + "/x", os.X_OK))
for i in range(5): os.access(p + "/x", os.X_OK)
os.chmod(p + "/x", 0o600); print(os.access(p + "/x", os.X_OK)); os.unlink(p + "/x"); print(os.path.exists(p + "/x"))'
find_preload() { find /usr/lib -name "$1" 2>/dev/null | head -n 1; }
beside another_preload_that_asks_in_its_constructor "$progs/other_preload" "$python" -c "$ask_and_create"
eatmydata=$(find_preload libeatmydata.so) fakeroot=$(find_preload libfakeroot-sysv.so) fakechroot=$(find_preload libfakechroot.so)
if [ -n "$eatmydata" ]; then
	beside eatmydata "$eatmydata" "$python" -c "$ask_and_create"
else
	skip eatmydata "libeatmydata.so"
fi
if [ -n "$fakeroot" ]; then
	daemon=$(faked-sysv)
	export FAKEROOTKEY=${daemon%:*}
	beside fakeroot "$fakeroot" "$python" -c "$ask_and_create"
	beside fakeroot_of_devices "$fakeroot" bash -c 'd=$PWD; for i in 1 2 3; do [ -e $d/dev ]; done; mknod $d/dev c 1 3; chown 5:6 $d/dev; [ -c $d/dev ] && stat -c "%F %u %g %t" $d/dev; rm $d/dev; [ -e $d/dev ] || echo gone'
	unset FAKEROOTKEY
	kill "${daemon#*:}"
else
	skip fakeroot "libfakeroot-sysv.so"
fi
if [ -n "$fakechroot" ]; then
	FAKECHROOT=true beside fakechroot "$fakechroot" "$python" -c '
import os
p = os.getcwd()
os.makedirs("r/d"); open("r/zz", "w").close(); os.symlink("/d", "r/l"); open("r/d/y", "w").close()
for i in range(5): os.path.exists("/zz"); os.path.exists("/d/y"); os.access("/zz", os.R_OK); os.path.realpath("/l")
print(os.path.exists("/zz"))
os.chroot(p + "/r")
for i in range(3): print(os.path.exists("/zz"), os.path.exists("/d/y"), os.path.exists("/none"), os.access("/zz", os.R_OK), os.path.realpath("/l"), os.listdir("/"))
open("/new", "w").close(); print(os.path.exists("/new")); os.unlink("/zz"); print(os.path.exists("/zz"))'
	mkdir -p "$base/jail/usr"
	FAKECHROOT=true FAKECHROOT_BASE="$base/jail" beside fakechroot_from_the_start "$fakechroot" bash -c 'for i in 1 2 3; do [ -e /usr/bin ]; echo $?; [ -e /usr ]; echo $?; [ -e /none ]; echo $?; done'
else
	skip fakechroot "libfakechroot.so"
fi

# ---- exits ----

for how in exit _exit _Exit quick_exit pthread_exit return exec; do
	works "ending_by_${how}" "$mechanics" exits $how
done
finish
