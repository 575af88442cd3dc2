#!/bin/bash
# answers.sh - hazards 19 to 26: what is answered is what the kernel and glibc answer, in return
# value, errno and data, for every spelling of the calls and every shape of path and argument.
trees=1
. "$(dirname "$0")/lib.sh"
answers=$progs/answers

# ---- 21, 24, 26: every spelling, shape, flag and pointer, with errno ----

for family in stat access open readlink realpath xattr; do
	same -s "every_spelling_of_${family}_answers_as_without_the_library" "$answers" $family
done
same -s bad_pointers_and_strings_at_the_end_of_a_page_give_efault "$answers" pointers
same -s -w 77 errno_is_untouched_by_success /usr/bin/perl -e 'use Cwd; $d = getcwd(); for (1 .. 5) { -e "$d/none"; $! = 77; $x = -e "/"; } print $! + 0'

# ---- 19. what creates ----

same -s whatever_creates_still_creates "$answers" creation
same -s -w ok a_link_step_after_a_failed_lookup_works bash -c '
	for i in 1 2 3; do [ -e $PWD/a.out ]; done
	printf "int main(void){return 0;}" >$PWD/t.c; gcc -o $PWD/a.out $PWD/t.c && $PWD/a.out && [ -e $PWD/a.out ] && echo ok'
same -s -w ok a_redirection_after_a_failed_lookup_creates bash -c '
	for i in 1 2 3; do [ -e $PWD/x ]; done; echo 1 >$PWD/x; [ -e $PWD/x ] && rm $PWD/x; for i in 1 2 3; do [ -e $PWD/x ]; done; echo 1 >>$PWD/x; [ -s $PWD/x ] && echo ok'

# ---- 20. relative paths ----

same relative_paths_follow_every_way_of_changing_directory "$answers" relative
same -s -w ok relative_paths_after_cd_in_a_shell bash -c '
	mkdir s; >s/f; for i in 1 2 3; do [ -e f ]; [ -e $PWD/f ]; done; cd s; [ -e f ] && [ -e $PWD/f ] && cd .. && ! [ -e f ] && echo ok'
same -s -w "False True True False" relative_paths_after_chdir_in_python "$python" -c '
import os
p = os.getcwd()
os.mkdir("s"); open("s/f", "w")
for i in range(5): a = os.path.exists("f"); os.path.exists(p + "/f")
os.chdir(p + "/s"); b = os.path.exists("f"); fd = os.open(p + "/s", os.O_RDONLY); os.chdir(p); os.fchdir(fd); c = os.path.exists("f")
os.chdir(p)
print(a, b, c, os.path.exists("f"))'

# ---- 21. dot-dot, symlinks, files in the middle, dangling links: the whole crowd, changing ----

hazard -n shapes_of_paths_stay_the_kernels \
	'mkdir -p d/e q; >d/f; chmod 755 d/f; ln -s f d/l; ln -s e d/le; ln -s nowhere d/dangling; ln -s loop d/loop; ln -s ../q d/q' \
	'd/x/../f d/f/../f d/f/ d/f/. d/l/ d/l/.. d/le/.. d/le/../x d/le/../f d/dangling d/dangling/ d/dangling/.. d//x d/./x d/x/ d/x/. d/x/.. d/. d/.. d/... d/loop d/loop/x d/q/../x d/q/x d/e/../x d/e/./../f d/f/x /// /. /..' \
	'>d/nowhere' '>x' 'mkdir d/x' 'rm d/f; mkdir d/f' '>q/x' 'rm -r d/f; ln -s q d/f' 'rm d/nowhere; rm -r d/x'

# ---- 22. credentials, roots and namespaces ----

for how in setgroups initgroups syscall-setgroups; do
	same -r -s "credentials_changed_by_${how}_decide_every_answer" setpriv --groups 1234 "$answers" credentials $how
done
for how in seteuid setuid setreuid setresuid setresuid-real setfsuid setegid capset syscall-capset syscall-setresuid syscall-setfsuid unshare-user syscall-unshare-user; do
	same -r -s "credentials_changed_by_${how}_decide_every_answer" "$answers" credentials $how
done
for how in chroot syscall-chroot pivot_root unshare syscall-unshare setns bind-root; do
	same -r -s "the_same_string_after_${how}_is_the_other_file" "$answers" roots $how
done
same -u unshare_of_the_user_namespace_by_a_user "$answers" credentials unshare-user
same -r -s -w PermissionError a_directory_that_may_no_longer_be_searched_says_eacces "$python" -c '
import os
p = os.getcwd()
os.mkdir(p + "/p", 0o700); os.chmod(".", 0o755)
for i in range(5): os.path.exists(p + "/p/n")
os.seteuid(65534)
try: os.stat(p + "/p/n")
except OSError as e: print(type(e).__name__)'
same -r -s -w True chroot_in_python "$python" -c '
import os
p = os.getcwd()
r = p + "/r"; os.makedirs(r + os.path.dirname(p)); open(r + "/zz", "w"); os.link("../stats", r + os.path.dirname(p) + "/stats")
for i in range(5): os.path.exists("/zz")
os.chroot(r); print(os.path.exists("/zz"))'
same -r -s -w "no yes" a_child_as_another_user_learns_for_itself bash -c '
	mkdir p; chmod 700 p; chmod 755 .; for i in 1 2 3; do [ -e $PWD/p/n ]; [ -x $PWD/p ]; done
	printf "%s " $(setpriv --reuid 65534 --regid 65534 --clear-groups bash -c "for i in 1 2 3; do [ -x $PWD/p ]; done && echo yes || echo no")
	[ -x $PWD/p ] && echo yes'

# ---- 23. exec ----

same -s exec_in_all_spellings_keeps_glibcs_rules "$answers" exec
same -s -w "yes yes" a_script_without_its_interpreter_still_exists bash -c '
	printf "#!/nowhere/sh\n" >$PWD/s; chmod 755 $PWD/s; for i in 1 2 3; do [ -e $PWD/n ]; $PWD/s; done 2>/dev/null
	[ -e $PWD/s ] && printf "yes "; [ -x $PWD/s ] && echo yes'
same -s -w "127 0 127" a_command_that_appears_on_the_path_is_found bash -c '
	mkdir a b; PATH=$PWD/a:$PWD/b:$PATH; for i in 1 2 3; do frobnicate; done 2>/dev/null; printf "%s " $?
	printf "#!/bin/sh\n" >b/frobnicate; chmod 755 b/frobnicate; frobnicate; printf "%s " $?; rm b/frobnicate; hash -r; frobnicate 2>/dev/null; echo $?'
same -s -w "b a" a_command_that_appears_earlier_on_the_path_wins bash -c '
	mkdir a b; PATH=$PWD/a:$PWD/b:$PATH; printf "#!/bin/sh\necho b\n" >b/frob; chmod 755 b/frob
	for i in 1 2 3; do hash -r; x=$(type -P frob); [ -e $PWD/a/frob ]; done; printf "%s " $(frob)
	printf "#!/bin/sh\necho a\n" >a/frob; chmod 755 a/frob; hash -r; frob'
same -s -w "FileNotFoundError found" a_program_that_appears_is_found_by_posix_spawn "$python" -c '
import os, subprocess
p = os.getcwd(); os.mkdir("b"); env = dict(os.environ, PATH=p + "/b")
for i in range(5):
    try: os.posix_spawn(p + "/b/prog", ["prog"], env)
    except OSError as e: r = type(e).__name__
f = open("b/prog", "w"); f.write("#!/bin/sh\necho found\n"); f.close(); os.chmod("b/prog", 0o755)
print(r, end=" ", flush=True)
os.waitpid(os.posix_spawn(p + "/b/prog", ["prog"], env), 0)'

# exec alone teaches: what is not there, and what only cannot be executed.
# execs NAME CMD...: as works -s, and exec was answered
execs()
{
	local name=$1
	shift
	wanted "$name" || return 0
	for mode in $(modes both); do
		fresh
		[ "${mode%%,*}" = user ] && is_root && chown "$user:$user" .
		with "$mode" "$@" </dev/null >"$base/out1" 2>&1
		wait "$pid"
		status=$?
		verdict "$name[$mode]" "$([ $status = 0 ] || echo "exit status $status, $(head -c 300 "$base/out1"); "; hit "$mode"
			query '"" if sum(l["served"]["exec"] for l in M) else "no exec was answered"')"
	done
}
execs programs_that_are_not_there_are_known_from_trying_to_execute_them perl -e '
	use Cwd; my $d = getcwd . "/e"; mkdir $d or die;
	# names of many lengths: a string near a page'"'"'s end is the kernel'"'"'s
	for my $i (0 .. 30) { my $n = "none" . "x" x (8 * $i); exec {"$d/$n"} $n; $!{ENOENT} or die "$n: $!" }
	open my $f, ">", "$d/none5" or die; print $f "#!/bin/sh\nexit 0\n"; close $f; chmod 0755, "$d/none5";
	exec {"$d/none5"} "none5"; die "none5: $!"'
works -s a_program_whose_interpreter_is_missing_stays_there perl -e '
	use Cwd; my $d = getcwd . "/e"; mkdir $d or die;
	open my $f, ">", "$d/script" or die; print $f "#!/none/interpreter\n"; close $f; chmod 0755, "$d/script";
	for (0 .. 30) { exec {"$d/script"} "script"; $!{ENOENT} or die "exec: $!"; -e "$d/script" && -x _ or die "it is gone"; -e "$d/other" and die }'
execs a_search_of_PATH_learns_what_it_loses perl -e '
	use Cwd; my $d = getcwd; mkdir "$d/p$_" or die for 0 .. 9; $ENV{PATH} = join ":", map "$d/p$_", 0 .. 9;
	for my $i (0 .. 30) { my $n = "none" . "x" x (8 * $i); exec {$n} $n; $!{ENOENT} or die "$n: $!" }
	open my $f, ">", "$d/p7/none" or die; print $f "#!/bin/sh\nexit 0\n"; close $f; chmod 0755, "$d/p7/none";
	exec {"none"} "none"; die "none: $!"'

# ---- real programs on real trees ----

same -s realpath_of_many_paths bash -c 'd=$PWD; mkdir -p $d/a/b; ln -s a $d/l; for i in 1 2 3; do realpath $d/l/b $d/l/x $d/none/y /usr/bin/cc /usr/include/none; done; for i in 1 2 3; do [ -e $d/q ]; done'
same -s python_imports_from_many_places "$python" -c '
import sys, os
sys.path[:0] = [os.getcwd() + "/%d" % i for i in range(40)]
import json, email, http.client, xml.dom.minidom, unittest, logging.handlers, argparse, sqlite3
for i in range(3): os.path.exists(os.getcwd() + "/none")
print(len(sys.modules) > 100)'
same -s gcc_with_many_include_directories bash -c '
	d=$PWD; for i in 1 2 3; do [ -e $d/n ]; done; args=; for i in $(seq 30); do mkdir $d/i$i; args="$args -I$d/i$i"; done
	for i in 1 2 3 4 5 6; do echo "int v$i;" >$d/i30/h$i.h; echo "#include <h$i.h>"; done >$d/t.c; echo "#include <none.h>" >$d/u.c
	gcc $args -c $d/t.c -o $d/t.o && nm $d/t.o; gcc $args -c $d/u.c -o $d/u.o'
same zsh_and_dash_find_commands bash -c 'for s in zsh dash; do PATH=$PWD/a:$PWD/b:$PATH $s -c "frob; command -v ls; frob; cat /dev/null; frob"; done'
same make_with_vpath bash -c 'd=$PWD; mkdir $d/a $d/b; echo 1 >$d/b/x.in; printf "VPATH=$d/a:$d/b\nall: x.out\n%%.out: %%.in\n\tcp \$< $d/\$@\n" >$d/Makefile; make -s -f $d/Makefile; ls $d'
finish
