#!/bin/bash
# install.sh - make install puts what it should where it should, what is installed works, and make uninstall takes
# away just that.
. "$(dirname "$0")/lib.sh"
list() { (cd "$case/root" && find . ! -type d | sort); }

# make_into TARGET [VARIABLE=VALUE...]: in $case/root
make_into()
{
	make -s -C "$top" "$@" DESTDIR="$case/root" >"$base/setup" 2>&1 || echo "make $1: $(tail -n 3 "$base/setup"); "
}

if wanted what_is_installed_is_what_is_said; then
	fresh
	why=$(make_into install PREFIX=/usr)
	got=$(list | grep -v '^./usr/libexec/fastpath/bench/')
	want='./usr/bin/fastpath
./usr/include/fastpath.h
./usr/lib/libfastpath.so
./usr/share/bash-completion/completions/fastpath
./usr/share/fish/vendor_completions.d/fastpath.fish
./usr/share/man/man1/fastpath.1
./usr/share/man/man3/fastpath.h.3
./usr/share/man/man7/libfastpath.7
./usr/share/zsh/site-functions/_fastpath'
	[ "$got" = "$want" ] || why+="$(diff <(echo "$want") <(echo "$got") | grep '^[<>]')"
	for f in "$top"/bench/suite/*.c "$top"/bench/suite/*.sh; do
		f=$(basename "${f%.*}")
		[ -x "root/usr/libexec/fastpath/bench/$f" ] || why+="no workload $f; "
	done
	verdict what_is_installed_is_what_is_said "$why"
fi
if wanted the_installed_command_finds_its_library_and_workloads; then
	fresh
	why=$(make_into install PREFIX=/usr)
	preload=$(root/usr/bin/fastpath run printenv LD_PRELOAD 2>&1)
	[ "$preload" = "$case/root/usr/lib/libfastpath.so" ] || why+="LD_PRELOAD=$preload; "
	root/usr/bin/fastpath bench --list 2>&1 | grep -q '^doexec.static ' || why+="bench --list: $(root/usr/bin/fastpath bench --list 2>&1 | head -n 2)"
	verdict the_installed_command_finds_its_library_and_workloads "$why"
fi
if wanted the_command_takes_no_library_of_32_bit_programs; then
	fresh
	mkdir -p p/bin p/lib64 p/lib
	cp "$top/build/fastpath" p/bin
	cp "$lib" p/lib64
	cp "$top/build/32/libfastpath.so" p/lib 2>/dev/null || printf '\177ELF\1\1\1%057d' 0 | tr 0 '\0' >p/lib/libfastpath.so
	preload=$(p/bin/fastpath run printenv LD_PRELOAD 2>&1)
	[[ $preload == "$case/p/"*lib64/libfastpath.so || $preload == "$case/p/\$LIB/libfastpath.so" ]] && why= || why="LD_PRELOAD=$preload"
	rm p/lib64/libfastpath.so
	preload=$(p/bin/fastpath run printenv LD_PRELOAD 2>&1)
	[[ $preload != *"$case"* ]] || why+="alone: LD_PRELOAD=$preload"
	verdict the_command_takes_no_library_of_32_bit_programs "$why"
fi
if wanted directories_of_ones_own_are_honoured; then
	fresh
	why=$(make_into install PREFIX=/opt/f MANDIR=/opt/man)
	for f in man/man1/fastpath.1 f/bin/fastpath f/share/zsh/site-functions/_fastpath; do
		[ -f "root/opt/$f" ] || why+="no /opt/$f; "
	done
	[ -n "$(make -n -C "$top" all LIBDIR=/elsewhere 2>&1 | grep 'library\.c')" ] || why+="another LIBDIR does not reach the command; "
	verdict directories_of_ones_own_are_honoured "$why"
fi
if wanted uninstall_removes_what_install_made_and_nothing_else; then
	fresh
	mkdir -p root/usr/bin root/usr/libexec/fastpath/bench
	touch root/usr/bin/other root/usr/libexec/fastpath/bench/mine
	why=$(make_into install PREFIX=/usr; make_into uninstall PREFIX=/usr)
	[ "$(list | xargs)" = './usr/bin/other ./usr/libexec/fastpath/bench/mine' ] || why+="left: $(list | xargs); "
	fresh
	why+=$(make_into install PREFIX=/usr; make_into uninstall PREFIX=/usr; make_into uninstall PREFIX=/usr)
	[ -z "$(list)" ] || why+="left: $(list | xargs); "
	[ ! -e root/usr/libexec/fastpath ] || why+="its directory is left"
	verdict uninstall_removes_what_install_made_and_nothing_else "$why"
fi
finish
