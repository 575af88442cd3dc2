#!/bin/bash
# security.sh - what SECURITY.md claims and no other script shows: who can open a session, what its broker holds,
# and what becomes of hostile bytes that come by the environment, in files and in names.
. "$(dirname "$0")/lib.sh"
needs_command security
# The build directory may be closed to other users.
mkdir "$base/bin"
cp "$fp" "$base/bin/fastpath"
cp "$lib" "$base/bin/libfastpath.so"
cp "$progs"/{launch,tree_ask} "$base/bin"
chmod -R a+rX "$base/bin"
fp=$base/bin/fastpath lib=$base/bin/libfastpath.so ask=$base/bin/tree_ask
eager=FASTPATH_TEST=eager,tick=20

# session CMD...: in a session, with a time limit; leaves out1, err1, status
session()
{
	"$base/bin/launch" -C "$case" timeout -k 1 20 env $eager FASTPATH_STATS="json:$stats" "$fp" run -- "$@" \
		</dev/null >"$base/out1" 2>"$base/err1" 8>&- 9>&-
	status=$?
}
# good [WANT]: a reason, unless the status is 0, stderr is empty and stdout WANT
good()
{
	[ "$status" = 0 ] || echo "status $status; "
	[ ! -s "$base/err1" ] || echo "stderr: $(err); "
	[ $# = 0 ] || [ "$(out)" = "$1" ] || echo "stdout is '$(out)', must be '$1'; "
}
controls=$'[\001-\010\013-\037\177]'

# Root's session, and a user who knows its address.
if wanted another_user_can_open_neither_segment_nor_inbox; then
	if is_root; then
		fresh
		mkdir -m 777 d
		cat >open.py <<-'END'
			import os
			pid, fd, dev, ino, nonce = os.environ["ADDRESS"].lstrip("+").split(":")
			pid = int(pid, 16)
			worked = []
			for n in range(64):
			    for flags in (os.O_RDONLY, os.O_RDWR):
			        try: worked.append(os.open("/proc/%d/fd/%d" % (pid, n), flags))
			        except OSError: pass
			for name in "mem", "maps", "environ":
			    try: worked.append(os.read(os.open("/proc/%d/%s" % (pid, name), os.O_RDONLY), 1))
			    except OSError: pass
			print(worked)
		END
		session sh -c '"$1" attach know=$PWD/d/x && ADDRESS=$FASTPATH_SESSION && export ADDRESS &&
			setpriv --reuid '$user' --regid '$user' --clear-groups env -u LD_PRELOAD "$2" -IS open.py &&
			exec setpriv --reuid '$user' --regid '$user' --clear-groups env FASTPATH_SESSION=$ADDRESS "$1" gone=$PWD/d/x gone=$PWD/d/x not=tree make=$PWD/d/x seen=$PWD/d/x' - "$ask" "$python"
		verdict another_user_can_open_neither_segment_nor_inbox "$(good '[]')"
	else
		skip another_user_can_open_neither_segment_nor_inbox "needs root"
	fi
fi

# What the caller has open, where it stands and what it set up is not the broker's.
if wanted the_broker_holds_nothing_of_its_callers; then
	fresh
	mkdir d
	: >secret
	exec 7<secret
	(cd d && umask 0 && session sh -c '"$0" attach know=$PWD/d/x; b=$((0x${FASTPATH_SESSION%%:*})); readlink /proc/$b/cwd; ls -l /proc/$b/fd | sed -n "s/.* -> //p"; cat /proc/$b/comm' "$ask"
		sort -u "$base/out1" >"$base/sorted"; cp "$base/err1" "$base/err2"; echo "$status" >"$base/status")
	exec 7<&-
	status=$(cat "$base/status")
	why=$(good)
	grep -v -x -E '/|fastpath-broker|/dev/null|/memfd:fastpath-(session|inbox) \(deleted\)|anon_inode:(inotify|\[pidfd\]|\[io_uring\])|pidfd:\[[0-9]*\]|socket:\[[0-9]*\]' "$base/sorted" >"$base/rest" && why+="it has $(cat "$base/rest"); "
	grep -q -x / "$base/sorted" || why+="it does not stand in /: $(cat "$base/sorted"); "
	grep -q memfd:fastpath-session "$base/sorted" || why+="the case is broken: $(cat "$base/sorted"); "
	verdict the_broker_holds_nothing_of_its_callers "$why"
fi

# A copy of a real session, with its nonce, seals and ids, whose header leads out of it: a user can only do this
# to himself, and it is to be no crash either.
if wanted a_copied_session_with_a_hostile_header_is_none; then
	fresh
	mkdir -m 777 d
	cat >copy.py <<-'END'
		import fcntl, os, struct, subprocess, sys
		ask, d = sys.argv[1:]
		pid, fd, dev, ino, nonce = os.environ["FASTPATH_SESSION"].lstrip("+").split(":")
		real = open("/proc/%d/fd/%d" % (int(pid, 16), int(fd, 16)), "rb").read()
		LIMIT, INDEX, BELL = 44, 32, 8
		def attempt(name, patches, want):
		    memory = bytearray(real)
		    for at, value in patches: struct.pack_into("<I", memory, at, value)
		    f = os.memfd_create("forged", os.MFD_ALLOW_SEALING)
		    os.write(f, memory)
		    fcntl.fcntl(f, 1033, 2 | 4 | 16)
		    s = os.fstat(f)
		    e = dict(os.environ, FASTPATH_SESSION="%x:%x:%x:%x:%s" % (os.getpid(), f, os.major(s.st_dev) << 32 | os.minor(s.st_dev), s.st_ino, nonce))
		    e.pop("FASTPATH_TEST", None)
		    e.pop("FASTPATH_STATS", None)
		    r = subprocess.run([ask] + want.split(), env=e, pass_fds=(f,), timeout=10, capture_output=True)
		    if r.returncode or r.stderr: print(name, r.returncode, r.stderr.decode())
		none = "gone=%s/x gone=%s/x gone=%s/x gone=%s/x not=tree make=%s/x seen=%s/x drop=%s/x" % ((d,) * 7)
		attempt("far", [(LIMIT, 0xffffffff), (INDEX, 0xfffff000)], none)
		attempt("end", [(LIMIT, 1 << 20), (INDEX, (1 << 20) - 8)], none)
		for word in range(6):
		    for value in (0xfffffffc, 1 << 20, 0x3001):
		        attempt("bell %d %x" % (word, value), [(BELL + 4 * word, value)], none)
		attempt("no bell", [(BELL, 0), (BELL + 12, 0)], none)
		# Unchanged it is taken: the cases above are turned away for what is in them. Its bells are silent.
		attempt("none", [], "gone=%s/x gone=%s/x gone=%s/x hit=%s/y scope=tree" % ((d,) * 4))
	END
	session sh -c '"$1" attach know=$PWD/d/x && exec "$2" -IS copy.py "$1" $PWD/d' - "$ask" "$python"
	verdict a_copied_session_with_a_hostile_header_is_none "$(good '')"
fi

# Names of programs and directories, in what a session says of itself.
if wanted control_characters_of_names_do_not_reach_the_terminal_by_run; then
	fresh
	name=$'d\033[31m\a\302\233x\r\342\200\256\233' # C1 controls of two bytes and of one; right to left
	mkdir "$name"
	cp "$ask" "$name/ask"
	for form in --stats --stats=json --verify; do
		"$base/bin/launch" -C "$case" timeout -k 1 20 env $eager "$fp" run $form -- "$case/$name/ask" attach know="$case/$name/x" </dev/null >"$base/out1" 2>"$base/err1" 8>&- 9>&-
		status=$?
		why=$(is "status with $form" $status 0)
		if [ "$form" = --stats=json ]; then # JSON is for programs: they are escaped, or are characters as others
			grep -q "$controls" "$base/err1" && why+="control characters; "
		else
			why+=$("$python" -ISc 'import sys, unicodedata
print("".join("U+%04X; " % ord(c) for c in sorted(set(open(sys.argv[1], encoding="utf-8").read())) if c != "\n" and unicodedata.category(c) in ("Cc", "Cf")))' "$base/err1" 2>&1)
		fi
		verdict "control_characters_of_names_do_not_reach_the_terminal_by_run[$form]" "$why"
	done
fi

# Nobody who is traced gains rights, unless who traces could have given them.
if wanted an_audited_set_user_id_program_gains_nothing_for_a_user; then
	if is_root; then
		fresh
		chmod 777 .
		cp /usr/bin/id id
		chmod 4755 id
		"$base/bin/launch" -C "$case" -u "$user" timeout -k 1 30 "$fp" audit -o report -- ./id -u </dev/null >"$base/out1" 2>"$base/err1" 8>&- 9>&-
		status=$?
		if [ $status = 125 ]; then
			skip an_audited_set_user_id_program_gains_nothing_for_a_user "ptrace: $(err)"
		else
			verdict an_audited_set_user_id_program_gains_nothing_for_a_user "$(good "$user"; is 'the id without it' "$("$base/bin/launch" -C "$case" -u "$user" ./id -u </dev/null)" 0)"
		fi
	else
		skip an_audited_set_user_id_program_gains_nothing_for_a_user "needs root"
	fi
fi

# A statistics file that somebody else put there: nothing but appending, and nobody waits.
if wanted a_fifo_or_a_device_in_the_place_of_statistics_holds_nobody_up; then
	fresh
	mkfifo fifo
	why=
	for file in fifo /dev/null; do
		case $file in /*) ;; *) file=$case/$file ;; esac
		"$base/bin/launch" -C "$case" timeout -k 1 10 env FASTPATH=1 FASTPATH_STATS="json:$file" LD_PRELOAD="$lib" sh -c '[ -e /none ]; exit 4' </dev/null >"$base/out1" 2>"$base/err1" 8>&- 9>&-
		why+=$(is "status with $file" $? 4)
	done
	verdict a_fifo_or_a_device_in_the_place_of_statistics_holds_nobody_up "$why"
fi

# SECURITY.md: of each claim, what shows it. A word after a script or program is in its text.
if wanted every_claim_names_what_shows_it; then
	verdict every_claim_names_what_shows_it "$("$python" -IS - "$top" <<-'END'
		import os, re, sys
		top, named, bad = sys.argv[1], 0, []
		for line in open(top + "/SECURITY.md"):
		    if not line.startswith("|") or set(line) <= set("|- \n") or "shown by" in line: continue
		    claim, shown = line.strip("|\n ").rsplit("|", 1)
		    file, found = None, 0
		    for part in re.split("[;,]", shown):
		        for token in re.findall("`([^`]*)`", part):
		            first, _, word = token.partition(" ")
		            if part.strip().startswith("fuzz:"): file, word = "tests/fuzz/%s.c" % token, ""
		            elif first.endswith(".sh"): file = "tests/e2e/" + first
		            elif first.startswith("build/unit/"): file = "tests/unit/%s.c" % first[11:]
		            else: word = token
		            if not file or not os.path.exists(top + "/" + file): bad.append("%s: there is no %s" % (token, file))
		            elif word not in open(top + "/" + file).read(): bad.append("%s: not in %s" % (token, file))
		            found += 1
		    if not found: bad.append("nothing shows that " + claim)
		    named += found
		if named < 40: bad.append("only %d were looked at" % named)
		print("; ".join(bad), end="")
	END
	)"
fi
finish
