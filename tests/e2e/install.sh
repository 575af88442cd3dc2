#!/bin/bash
# install.sh - make install puts what it should where it should, the loader finds it there, for 32-bit programs too,
# what is installed works, and make uninstall takes away just that.
. "$(dirname "$0")/lib.sh"
list() { (cd "$case/root" && find . ! -type d | sort); }

# make_into TARGET [VARIABLE=VALUE...]: in $case/root
make_into()
{
	make -s -C "$top" "$@" DESTDIR="$case/root" >"$base/setup" 2>&1 || echo "make $1: $(tail -n 3 "$base/setup"); "
}

# What this system's loader puts in the place of $LIB; 32-bit programs have a loader of their own.
loader_lib() { "$1" --list-diagnostics 2>/dev/null | sed -n 's/^dl_dst_lib="\(.*\)"/\1/p'; }
loader=$(file -b /bin/sh "$(realpath /bin/sh)" | sed -n 's/.*interpreter \([^,]*\),.*/\1/p' | head -n 1)
narrow_loader=/lib/ld-linux.so.2

# narrow: makes the 32-bit program ./narrow, which ends with status 42; false where there is no loader for it.
narrow()
{
	[ -x "$narrow_loader" ] || return
	echo 'void _start(void) { __asm__ volatile("int $0x80" : : "a"(1), "b"(42)); }' >narrow.c
	gcc -m32 -O1 -nostdlib -fPIE -pie -Wl,--dynamic-linker=$narrow_loader -o narrow narrow.c 2>/dev/null && { ./narrow; [ $? = 42 ]; }
}

# silent NAME COMMAND...: says why not, unless it ends with status 42 and not a word
silent()
{
	local name=$1 said
	shift
	said=$("$@" 2>&1 8>&- 9>&-)
	[ $? = 42 ] && [ -z "$said" ] || echo "$name: $said; "
}

if wanted what_is_installed_is_what_is_said; then
	fresh
	why=$(make_into install PREFIX=/usr LIBDIR=/usr/lib)
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
	why=$(make_into install PREFIX=/usr LIBDIR=/usr/lib)
	preload=$(root/usr/bin/fastpath run printenv LD_PRELOAD 2>&1)
	[ "$preload" = "$case/root/usr/lib/libfastpath.so" ] || why+="LD_PRELOAD=$preload; "
	root/usr/bin/fastpath bench --list 2>&1 | grep -q '^doexec.static ' || why+="bench --list: $(root/usr/bin/fastpath bench --list 2>&1 | head -n 2)"
	verdict the_installed_command_finds_its_library_and_workloads "$why"
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
if wanted the_packages_have_the_version_of_the_header; then
	version=$(sed -n 's/^#define FASTPATH_VERSION  *"\(.*\)"/\1/p' "$top/include/fastpath.h")
	packaged=$(sed -n '1s/^fastpath (\(.*\)) .*/\1/p' "$top/debian/changelog")
	verdict the_packages_have_the_version_of_the_header "$([ -n "$version" ] && [ "$packaged" = "$version" ] || echo "debian/changelog has $packaged, the header $version")"
fi
if wanted the_library_is_where_the_loader_s_LIB_is; then
	fresh
	wide=$(loader_lib "$loader") narrow=$(loader_lib "$narrow_loader")
	why=$(make_into install PREFIX=/usr)
	[ -f "root/usr/$wide/libfastpath.so" ] || why+="none in usr/$wide; "
	[ -z "$narrow" ] || file -b "root/usr/$narrow/libfastpath.so" | grep -q '^ELF 32-bit.*shared object' || why+="none for 32-bit programs in usr/$narrow; "
	if [ -n "$wide" ]; then
		verdict the_library_is_where_the_loader_s_LIB_is "$why"
	else
		skip the_library_is_where_the_loader_s_LIB_is "a loader that tells its \$LIB (glibc 2.33)"
	fi
fi
if wanted each_layout_has_its_place_for_32_bit_programs; then
	why=
	for row in lib/x86_64-linux-gnu:lib/i386-linux-gnu,lib32 lib64:lib lib: ; do
		got=$(make -pn -C "$top" LIBDIR=/p/"${row%:*}" none 2>/dev/null | sed -n 's/^INSTALLED := //p' | tr ' ' '\n' | sed -n 's,^[^:]*/32/.*:/p/\(.*\)/libfastpath.so,\1,p' | paste -s -d ,)
		[ "$got" = "${row#*:}" ] || why+="${row%:*}: '$got'; "
	done
	if [ "$(uname -m)" = x86_64 ]; then
		verdict each_layout_has_its_place_for_32_bit_programs "$why"
	else
		skip each_layout_has_its_place_for_32_bit_programs "32-bit programs (x86-64)"
	fi
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

# For real, into a system of which this one is the ground: /usr and /etc are overlays in a mount namespace of
# the case.
system()
{
	mkdir -p usr usr.work etc etc.work
	unshare -m --propagation private -- "$BASH" -c '
		for i in usr etc; do
			mount -t overlay overlay -o "lowerdir=/$i,upperdir=$PWD/$i,workdir=$PWD/$i.work" /$i || exit 77
		done
		. ./script' 2>"$base/err1" 8>&- 9>&-
}
export -f silent
export top
if wanted what_is_installed_works_by_its_bare_name_and_32_bit_programs_are_silent; then
	fresh
	cat >script <<-'end'
		make -s -C "$top" install PREFIX=/usr || exit
		FASTPATH=1 FASTPATH_STATS=json LD_PRELOAD=libfastpath.so sh -c : 2>said
		grep -q '^{"fastpath":1,' said || echo "by its bare name: $(cat said); "
		[ ! -x narrow ] || {
			LD_PRELOAD="$(echo /usr/lib/*-linux-gnu/libfastpath.so /usr/lib64/libfastpath.so)" ./narrow 2>&1 | grep -q ERROR ||
				echo "the case is broken: a 32-bit program does not complain; "
			silent 'a 32-bit program, bare name' env LD_PRELOAD=libfastpath.so ./narrow
			silent 'a 32-bit program, by $LIB' env 'LD_PRELOAD=/usr/$LIB/libfastpath.so' ./narrow
			silent 'a 32-bit program in a session' fastpath run sh -c './narrow; ./narrow'
			silent 'a 32-bit program in process scope' env FASTPATH=process fastpath run sh -c './narrow; ./narrow'
			silent 'executed by nobody we know' fastpath run python3 -c 'import ctypes, os
		c = ctypes.CDLL(None)
		words = lambda l: (ctypes.c_char_p * (len(l) + 1))(*l, None)
		path = ctypes.c_char_p(b"./narrow")
		c.syscall(59, path, words([b"narrow"]), words([k + b"=" + v for k, v in os.environb.items()]))'
			[ "$(fastpath run printenv LD_PRELOAD)" = '/usr/$LIB/libfastpath.so' ] || echo "LD_PRELOAD=$(fastpath run printenv LD_PRELOAD); "
		}
		fastpath run --stats=json true 2>&1 | grep -q '"scope":"\(tree\|process\)"' || echo "run --stats=json: $(fastpath run --stats=json true 2>&1); "
		man -w fastpath >/dev/null 2>&1 || [ -f /usr/share/man/man1/fastpath.1 ] || echo "no manual page; "
		make -s -C "$top" uninstall PREFIX=/usr || exit
		LD_PRELOAD=libfastpath.so /bin/true 2>&1 | grep -q ERROR || echo "after make uninstall, the loader still finds it; "
	end
	narrow || why_not=1
	why=$(system)
	status=$?
	left=$(find usr ! -type d 2>/dev/null)
	[ $status = 0 ] || why+="status $status: $(tail -n 2 "$base/err1"); "
	[ -z "$left" ] || why+="left: $left; "
	if ! is_root || [ $status = 77 ]; then
		skip what_is_installed_works_by_its_bare_name_and_32_bit_programs_are_silent "root and overlay mounts"
	else
		verdict what_is_installed_works_by_its_bare_name_and_32_bit_programs_are_silent "$why"
		[ -z "${why_not:-}" ] || skip 32_bit_programs_are_silent "a loader of 32-bit programs ($narrow_loader)"
	fi
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
