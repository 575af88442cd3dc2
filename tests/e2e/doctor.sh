#!/bin/bash
# doctor.sh - fastpath doctor: what is wrong is named, with what to do, and nothing else is.
# E2E_FASTPATH replaces the command.
. "$(dirname "$0")/lib.sh"
needs_command doctor

# doctor [NAME=VALUE...] -- ARG...: fastpath doctor ARG... in $case, through ${via[@]}; leaves out1,
# err1, status.
doctor() { command_in_case 60 doctor "$@"; }
lacks() { grep -E -e "$1" "$base/out1" && echo "is too much; "; }
# fix PATTERN FIX: the finding is followed by this fix
fix() { grep -A 1 -E -e "$1" "$base/out1" | tail -n 1 | grep -q -E -e "^         fix: $2" || echo "no fix '$2' after '$1' in: $(out); "; }
told() { "$python" -ISc 'import json,sys
J=json.load(open(sys.argv[1]))
print(eval(sys.argv[2]))' "$base/out1" "$1" 2>&1; }
problems() { grep '^problem ' "$base/out1" | sort; }
unset TMPDIR

# What this machine has of its own: cases below say what they add.
fresh
doctor --
own=$(problems)

if wanted every_line_is_a_finding_and_the_status_tells; then
	fresh
	doctor --
	why=$(is stderr "$(cat "$base/err1")" ''; is status $status "$([ -z "$own" ] && echo 0 || echo 1)"; is "problems" "$(problems)" "$own"
		is "other lines" "$(grep -v -c -E '^(ok     |note   |problem)  [a-zA-Z/_. -]+( .*)?: .|^         fix: .|^[0-9]+ ok, [0-9]+ notes, [0-9]+ problems$' "$base/out1")" 0
		for check in kernel seccomp 'page bell' pending-check scope 'inotify max_user_instances' 'inotify max_user_watches' 'inotify max_queued_events' loader programs tracing event "cwd $case"; do
			has "^(ok|note|problem) +$check"
		done
		is files "$(ls -A)" '')
	verdict every_line_is_a_finding_and_the_status_tells "$why"
fi
if wanted JSON_has_the_same_findings; then
	fresh
	doctor --
	text=$(grep -c -E '^(ok|note|problem) ' "$base/out1")
	doctor -- --json
	why=$(is stderr "$(cat "$base/err1")" ''; is lines "$(wc -l <"$base/out1")" 1; is findings "$(told 'len(J["findings"])')" "$text"
		is sums "$(told '[J["doctor"][v] == len([f for f in J["findings"] if f["verdict"] == v]) for v in ("ok", "note", "problem")]')" '[True, True, True]'
		is "problems without a fix" "$(told '[f for f in J["findings"] if f["verdict"] == "problem" and not f.get("fix")]')" '[]'
		is "other keys" "$(told '{k for f in J["findings"] for k in f} - {"check", "subject", "verdict", "text", "fix"}')" 'set()')
	verdict JSON_has_the_same_findings "$why"
fi
if wanted a_change_is_made_and_seen; then
	fresh
	why=
	for bell in page epoll; do
		[ $bell = page ] || via=("$progs/fault" EPERM io_uring_setup)
		for who in root user; do
			[ $who = root ] || as=(-u "$user")
			is_root || as=()
			doctor TMPDIR=/var/tmp -- --json
			why+=$(is "bell as $who" "$(told 'J["doctor"]["bell"]')" $bell
				is "event as $who" "$(told '[(f["verdict"], f["text"].startswith("a file made in /var/tmp/fastpath-doctor.")) for f in J["findings"] if f["check"] == "event"]')" "[('ok', True)]")
			as=()
		done
		via=()
	done
	why+=$(is "what is left" "$(echo /var/tmp/fastpath-doctor.*)" '/var/tmp/fastpath-doctor.*')
	verdict a_change_is_made_and_seen "$why"
fi

# ---- confinement ----

if wanted io_uring_refused_by_a_filter_is_told; then
	fresh
	why=
	for error in EPERM ENOSYS; do
		via=("$progs/fault" $error io_uring_setup,io_uring_enter,io_uring_register)
		doctor --
		via=()
		why+=$(is status $status 1; has '^problem +page bell: a seccomp filter refuses io_uring'; fix '^problem +page bell' '.*seccomp'
			has '^note +seccomp: a filter'; has '^ok +pending-check: works'; has '^ok +scope: process$'; has '^ok +cwd .* served$')
	done
	verdict io_uring_refused_by_a_filter_is_told "$why"
fi
if wanted a_filter_that_kills_does_not_kill_the_doctor; then
	fresh
	via=("$progs/fault" KILL io_uring_setup,io_uring_enter,io_uring_register)
	doctor --
	why=$(is status $status 1; has '^problem +page bell: a seccomp filter kills for io_uring'; has '^ok +pending-check: works'; has '^ok +event: ')
	via=("$progs/fault" KILL inotify_init1)
	doctor --
	why+=$(is status $status 1; has '^problem +pending-check: a seccomp filter kills'; has '^note +scope: none'; has '^note +directories: not looked at')
	via=()
	verdict a_filter_that_kills_does_not_kill_the_doctor "$why"
fi
if wanted a_filter_alone_takes_the_page_bell; then
	fresh
	via=("$progs/fault" EPERM acct)
	doctor --
	via=()
	verdict a_filter_alone_takes_the_page_bell "$(is status $status 1; has '^problem +page bell: works, but is not used under a seccomp filter'; has '^ok +scope: process$')"
fi
if wanted no_inotify_instance_is_told; then
	fresh
	via=("$progs/fault" EMFILE inotify_init1,inotify_init)
	doctor --
	via=()
	why=$(is status $status 1; has '^problem +page bell: no inotify instance'; fix '^problem +page bell' 'sudo sysctl -w fs.inotify.max_user_instances=1024'
		fix '^problem +pending-check' 'sudo sysctl -w fs.inotify.max_user_instances=1024'; has '^note +scope: none')
	verdict no_inotify_instance_is_told "$why"
fi
if wanted few_descriptors_take_only_the_bell_that_is_not_needed; then
	fresh
	via=(sh -c 'ulimit -n 64; exec "$@"' sh)
	doctor --
	via=()
	why=$(is problems "$(problems)" "$own"; has '^note +pending-check: it needs descriptors numbered from 800'; has '^ok +page bell'; has '^ok +event: ')
	verdict few_descriptors_take_only_the_bell_that_is_not_needed "$why"
fi
if ! wanted no_proc_is_told; then
	:
elif is_root; then
	fresh
	via=(unshare -m sh -c 'mount -t tmpfs none /proc; exec "$@"' sh)
	doctor --
	via=()
	why=$(is status $status 1; has '^problem +page bell: .*the mount table cannot be had'; fix '^problem +page bell' 'mount -t proc proc /proc'; has '^note +scope: none')
	verdict no_proc_is_told "$why"
else
	skip no_proc_is_told "needs root"
fi
if wanted tracing_refused_is_told; then
	fresh
	via=("$progs/fault" EPERM ptrace)
	doctor --
	via=()
	verdict tracing_refused_is_told "$(is status $status 1; has '^problem +tracing: children cannot be traced'; fix '^problem +tracing' '.*ptrace')"
fi

# ---- limits ----

if ! wanted limits_that_are_low_are_told; then
	:
elif unshare -Ur sh -c 'echo 1 >/proc/sys/user/max_inotify_instances' 2>/dev/null; then
	fresh
	via=(unshare -Ur sh -c 'echo 9 >/proc/sys/user/max_inotify_instances; echo 99 >/proc/sys/user/max_inotify_watches; exec "$@"' sh)
	doctor --
	via=()
	why=$(is status $status 1; has '^problem +inotify max_user_instances: 9 is few'; has '^problem +inotify max_user_watches: 99 is few'
		fix '^problem +inotify max_user_watches' 'sudo sysctl -w fs.inotify.max_user_watches=524288')
	verdict limits_that_are_low_are_told "$why"
else
	skip limits_that_are_low_are_told "user namespaces"
fi
if ! wanted instances_in_use_are_counted; then
	:
elif unshare -Ur sh -c 'echo 1 >/proc/sys/user/max_inotify_instances' 2>/dev/null; then
	fresh
	via=(unshare -Ur sh -c 'echo 30 >/proc/sys/user/max_inotify_instances; exec "$@"' sh "$python" -ISc '
import ctypes, subprocess, sys
l = ctypes.CDLL(None)
fds = [l.inotify_init1(0) for i in range(27)]
assert l.inotify_add_watch(fds[0], b"/", 2) > 0
sys.exit(subprocess.call(sys.argv[1:]))')
	doctor --
	via=()
	used=$(sed -n 's/^problem  inotify max_user_instances: \([0-9]*\) of 30 in use$/\1/p' "$base/out1")
	[ "${used:-0}" -ge 27 ] && why= || why="$(out)"
	verdict instances_in_use_are_counted "$why"
else
	skip instances_in_use_are_counted "user namespaces"
fi

# ---- directories ----

if wanted each_directory_of_PATH_is_looked_at_once; then
	fresh
	mkdir a b
	doctor PATH="$case/a:$case/none:b::$case/a:$case/b:/usr/bin" --
	why=$(is status $status "$([ -z "$own" ] && echo 0 || echo 1)"; is "lines of PATH" "$(grep -o '  PATH .*' "$base/out1" | sed "s,$case,~,; s/: [a-z0-9]*, served/: served/")" \
		"  PATH ~/a: served"$'\n'"  PATH ~/none: No such file or directory"$'\n'"  PATH b: relative paths always go to the kernel"$'\n'"  PATH .: relative paths always go to the kernel"$'\n'"  PATH ~/b: served"$'\n'"  PATH /usr/bin: served")
	verdict each_directory_of_PATH_is_looked_at_once "$why"
fi
if wanted proc_is_refused_with_its_reason_and_is_no_problem; then
	fresh
	mkdir "dir ectory"
	doctor -- /proc/self "dir ectory"
	why=$(is status $status "$([ -z "$own" ] && echo 0 || echo 1)"; has '^note +directory /proc/self: proc, refused: below /proc, /sys and /dev nothing is answered \(/proc\)$'
		has "^ok +directory $case/dir ectory: .*, served$")
	verdict proc_is_refused_with_its_reason_and_is_no_problem "$why"
fi
if ! wanted a_file_system_that_is_not_served_is_told_and_trusted; then
	:
elif is_root && fresh && mkdir real seen && bindfs real seen 2>"$base/log"; then
	mkdir real/sub
	doctor -- seen/sub
	why=$(is status $status 1; has "^problem +directory $case/seen/sub: fuse.*, refused: its file system can change without an event \\($case/seen\\)$"
		fix "^problem +directory $case/seen/sub" "export FASTPATH_TRUST=$case/seen #")
	doctor FASTPATH_TRUST="$case/seen" -- seen/sub
	why+=$(is "status when trusted" $status "$([ -z "$own" ] && echo 0 || echo 1)"; has "^ok +directory $case/seen/sub: .*, served$")
	verdict a_file_system_that_is_not_served_is_told_and_trusted "$why"
	umount "$case/seen"
else
	skip a_file_system_that_is_not_served_is_told_and_trusted "root and bindfs"
fi
if wanted a_skipped_directory_is_told; then
	fresh
	mkdir d
	doctor FASTPATH_SKIP="$case" -- d
	verdict a_skipped_directory_is_told "$(is status $status 1; has "^problem +directory $case/d: .*, refused: FASTPATH_SKIP names it"; fix "^problem +directory $case/d" 'unset FASTPATH_SKIP')"
fi
if wanted a_symlink_in_a_sticky_directory_is_told; then
	fresh
	mkdir d sticky
	chmod 1777 sticky
	ln -s ../d sticky/link
	ln -s d link
	doctor -- "$case/sticky/link" "$case/link"
	why=$(has "^note +directory $case/sticky/link: .*, refused: a symlink in a sticky directory"; has "^ok +directory $case/link: .*, served$")
	verdict a_symlink_in_a_sticky_directory_is_told "$why"
fi
if ! wanted a_directory_that_may_not_be_read_is_told; then
	:
elif is_root; then
	fresh
	mkdir -m 711 "it's"
	as=(-u "$user")
	doctor -- "$case/it's"
	as=()
	why=$(is status $status 1; has "^problem +directory $case/it's: .*, refused: it may not be read"; fix "^problem +directory $case/it's" "chmod a\\+rx '$case/it'\\\\''s'$")
	verdict a_directory_that_may_not_be_read_is_told "$why"
else
	skip a_directory_that_may_not_be_read_is_told "needs root"
fi
if wanted a_directory_with_too_many_entries_is_told; then
	fresh
	mkdir many
	(cd many && seq 65537 | xargs touch)
	doctor -- many
	verdict a_directory_with_too_many_entries_is_told "$(has "^note +directory $case/many: .*, refused: it has more than 65536 entries")"
fi
if wanted a_name_that_is_not_ASCII_is_told; then
	fresh
	mkdir d
	: >$'d/\303\251'
	doctor -- d
	verdict a_name_that_is_not_ASCII_is_told "$(has "^note +directory $case/d: .*, listed, but nothing in it is answered: a name in it is not ASCII$")"
fi
if wanted names_of_strangers_are_not_obeyed; then
	fresh
	mkdir $'d\033[31m\n\377'
	doctor -- "$case"/d*
	why=$(has "^ok +directory $case/d\\?\\[31m\\?")
	LC_ALL=C grep -q $'[\001-\010\013-\037]' "$base/out1" && why+="control characters; "
	doctor -- --json "$case"/d*
	why+=$(is JSON "$(told 'J["findings"][-1]["verdict"]')" ok)
	verdict names_of_strangers_are_not_obeyed "$why"
fi

# ---- the loader ----

if wanted another_preload_is_told; then
	fresh
	doctor LD_PRELOAD="$progs/other_preload" --
	why=$(has "^note +LD_PRELOAD $progs/other_preload: another preload"; fix '^note +LD_PRELOAD' 'unset LD_PRELOAD'; has '^ok +loader .*silently$')
	doctor LD_PRELOAD=/none/such.so --
	why+=$(is "status of a missing one" $status 1; has '^problem +LD_PRELOAD /none/such.so: No such file.*: every program will complain'; has '^problem +loader .* is not silent: ')
	doctor LD_PRELOAD="$top/build/libfastpath.so" --
	why+=$(has '^ok +preloads: no others')
	verdict another_preload_is_told "$why"
fi
if wanted a_missing_library_is_told; then
	fresh
	mkdir alone
	cp "$fp" alone/fastpath
	if [ -e /usr/local/lib/libfastpath.so ]; then
		skip a_missing_library_is_told "one is installed"
	else
		fp=$case/alone/fastpath doctor --
		verdict a_missing_library_is_told "$(is status $status 1; has '^problem +library: libfastpath.so is not found'; fix '^problem +library' 'make install')"
	fi
fi
if wanted a_library_whose_path_cannot_be_preloaded_is_told; then
	fresh
	mkdir 'a b'
	cp "$fp" "$lib" 'a b'
	fp="$case/a b/fastpath" doctor --
	verdict a_library_whose_path_cannot_be_preloaded_is_told "$(is status $status 1; has '^problem +library .*/a b/libfastpath.so: a path with a space')"
fi
if wanted a_library_that_is_none_is_told; then
	fresh
	cp "$fp" .
	echo junk >libfastpath.so
	fp=$case/fastpath doctor --
	verdict a_library_that_is_none_is_told "$(is status $status 1; has '^problem +loader .*/libfastpath.so: true\(1\) with it is not silent')"
fi
if wanted programs_without_the_library_are_counted; then
	fresh
	mkdir bin
	echo 'int main(void){return 0;}' >p.c
	gcc -static -o bin/stands_alone p.c
	gcc -o bin/takes_it p.c
	cp bin/takes_it bin/privileged
	chmod u+s bin/privileged
	cp bin/takes_it bin/narrow && printf '\1' | dd of=bin/narrow bs=1 seek=4 conv=notrunc 2>/dev/null # ELFCLASS32
	cp bin/takes_it bin/of_musl && sed -i 's,/lib64/ld-linux-x86-64.so.2,/lib/ld-musl-x86_64.so.1\x00,' bin/of_musl
	echo '#!/bin/sh' >bin/script && chmod +x bin/script
	doctor PATH="$case/bin" --
	why=$(has '^ok +programs: 1 programs in PATH can be served'; has '^note +programs: 1 static ones.*: stands_alone$'
		has '^note +programs: 1 set-user-ID.*: privileged$'; has '^note +programs: 1 are of another architecture.*: narrow$')
	[ "$(uname -m)" != x86_64 ] || why+=$(has '^note +programs: 1 of musl.*: of_musl$')
	verdict programs_without_the_library_are_counted "$why"
fi

# ---- the environment ----

if wanted a_malformed_or_switched_off_FASTPATH_is_told; then
	fresh
	doctor FASTPATH=maybe --
	why=$(is status $status 1; has '^problem +environment FASTPATH: malformed'; fix '^problem +environment' 'unset FASTPATH')
	doctor FASTPATH=1 FASTPATH_SKIP=relative --
	why+=$(is status $status 1; has '^problem +environment FASTPATH_SKIP: malformed')
	doctor FASTPATH=0 --
	why+=$(is status $status 1; has '^problem +environment FASTPATH: is 0')
	doctor FASTPATH=process --
	why+=$(has '^note +environment FASTPATH: is process')
	verdict a_malformed_or_switched_off_FASTPATH_is_told "$why"
fi

says() # NAME PATTERN ARG...: 125, one line that says so, and nothing on stdout
{
	local name=$1 pattern=$2 why
	shift 2
	wanted "$name" || return 0
	fresh
	: >file
	doctor -- "$@"
	why=$(is status $status 125; is "lines of stderr" "$(wc -l <"$base/err1")" 1; is stdout "$(out)" '')
	grep -q -E -e "^fastpath: .*$pattern" "$base/err1" || why+="stderr: $(cat "$base/err1")"
	verdict "$name" "$why"
}
says an_unknown_option_is_named "unknown option '--jsn': is '--json' meant" --jsn
says a_missing_directory_is_named 'none: No such file' none
says a_file_is_no_directory 'file: Not a directory' file
finish
