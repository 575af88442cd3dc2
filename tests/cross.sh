#!/bin/bash
# cross.sh [TARGET...] - the library for other machines: i386, aarch64, riscv64, and x86-64 as if its pages were of
# 64 KiB (pages). Builds it, with the unit tests that need only libc and the differential test, in build/cross/TARGET,
# and runs those: i386 as this machine runs it, the others under qemu-user. CROSS_SEEDS and CROSS_STEPS as in
# tests/e2e/differential.sh. `make check-cross` runs it, and installs what it needs.
#
# qemu-user is a kernel of its own (7.2 of Debian 12): it has no io_uring, so that only the pending-check is tried; no
# PR_GET_SECCOMP, no fork without a signal, no vfork that shares memory, no ptrace; and its statx(2) leaves out the
# mount's id, so that FASTPATH_TRUST has to say that the file system may be cached. With -L it would rewrite "/":
# programs are linked with the loader where Debian's cross packages have it. What those make untestable is skipped.
set -u
export LC_ALL=C
unset FASTPATH FASTPATH_STATS FASTPATH_TEST FASTPATH_TRUST LD_PRELOAD MAKEFLAGS MFLAGS MAKELEVEL
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$top" || exit 1
status=77
work=$(mktemp -d "${TMPDIR:-/var/tmp}/fastpath-cross.XXXXXX") || exit 1
chmod 755 "$work"
trap 'rm -rf "$work"' EXIT

pass() { echo "PASS $1"; [ $status = 1 ] || status=0; }
fail() { echo "FAIL $1: ${2//$'\n'/ | }"; status=1; }
skip() { echo "SKIP $1: $2"; }
# verdict NAME WHY: a failure if WHY says something.
verdict() { if [ -n "$2" ]; then fail "$1" "$2"; else pass "$1"; fi; }

# ---- what there is for a target: $cc, $ldflags and $run, the command before a program's name ----

# links COMPILER...: can it make programs, of libc's and the kernel's headers?
links() { printf '#include <linux/types.h>\n#include <stdio.h>\nint main(void) { return 0; }\n' | "$@" -x c -o "$work/links" - 2>/dev/null; }

# cross TRIPLET: Debian's cross compiler, whose libc lies apart.
cross() {
	local loader
	cc="$1-gcc" ldflags=
	command -v "$cc" >/dev/null || { missing="$cc"; return 1; }
	# shellcheck disable=SC2086
	links $cc || { missing="a libc for $cc"; return 1; }
	for loader in "/usr/$1"/lib/ld-linux*.so.*; do
		[ -e "$loader" ] && ldflags="-Wl,-rpath,/usr/$1/lib -Wl,--dynamic-linker=$loader"
	done
}

# target NAME: false, with what is $missing.
target() {
	local qemu
	run=() cflags='-O2 -g' missing=
	case $1 in
	i386)
		cc='gcc -m32' ldflags=
		# shellcheck disable=SC2086
		links $cc && "$work/links" && return
		cross i686-linux-gnu || return
		# shellcheck disable=SC2086
		links $cc $ldflags && "$work/links" || { missing='a kernel that runs 32-bit programs'; return 1; }
		;;
	pages)
		cc=gcc ldflags='' cflags='-O2 -g -DPAGE_MOST=65536'
		;;
	*)
		cross "$1-linux-gnu" || return
		for qemu in "qemu-$1" "qemu-$1-static"; do
			command -v "$qemu" >/dev/null && run=("$qemu") && return
		done
		run=(none) # it is built all the same
		;;
	esac
}

# ---- tests of one target; $t its name, $b where it is built ----

library_is_right() {
	local l=$b/libfastpath.so why align least=0x1000 got want
	why=$(readelf --dyn-syms -W "$l" | awk '$7 == "UND" && $8 { print $8 " is imported; " }')
	[ "$t" != aarch64 ] || least=0x10000
	for align in $(readelf -lW "$l" | awk '$1 == "LOAD" { print $NF }'); do
		((align >= least)) || why+="a segment is aligned to $align, a kernel may have pages of $least; "
	done
	got=$(exported "$l") want=$(exported build/libfastpath.so)
	[ "$got" = "$want" ] || why+="what is exported differs: $(diff <(echo "$want") <(echo "$got") | grep '^[<>]' | xargs); "
	[ "$(readelf -rW "$l" | grep -c _RELATIVE)" -le 8 ] || why+="$(readelf -rW "$l" | grep -c _RELATIVE) relocations"
	verdict "the_library_imports_nothing_and_exports_all_$t" "$why"
}

# exported LIBRARY: names without versions, without those that versions are given to by another name, and without the
# ones that only a 32-bit time_t makes needed
exported() {
	readelf --dyn-syms -W "$1" | awk '$7 ~ /^[0-9]+$/ && $4 == "FUNC" { sub(/@.*/, "", $8); print $8 }' |
		grep -vE "_time64$|^fastpath_(realpath|spawnp?|fopen|io_fopen)(_old)?$" | sort -u
}

# Each line of a unit test, with the target's name.
unit_tests() {
	local unit out code
	for unit in $units; do
		out=$(env ${run[0]:+UNIT_EMULATED=1} timeout 300 "${run[@]}" "$b/unit-core/$unit" 2>&1 </dev/null)
		code=$?
		grep -aE '^(PASS|FAIL|SKIP) ' <<<"$out" | sed -E "s/^([A-Z]+) ([^: ]+)/\1 ${unit}_\2_$t/"
		if ! grep -aq '^FAIL' <<<"$out" && [ $code -ne 0 ] && [ $code -ne 77 ]; then
			fail "unit_${unit}_$t" "exit status $code: $(tail -n 2 <<<"$out")"
		elif [ $code -eq 1 ]; then
			status=1
		elif [ $code -eq 0 ]; then
			[ $status = 1 ] || status=0
		fi
	done
}

# differential TEST: with FASTPATH_TEST=eager,TEST. The program executes itself to start anew, which takes qemu again:
# by what it takes for a session's command, a script.
differential() {
	local seed code again=() preload=(env "LD_PRELOAD=$top/$b/libfastpath.so")
	if [ "${#run[@]}" -gt 0 ]; then
		cat >"$work/again" <<-END
			#!/bin/sh
			shift
			unset LD_PRELOAD
			exec ${run[*]} -E LD_PRELOAD=$top/$b/libfastpath.so "\$@"
		END
		chmod +x "$work/again"
		again=(--tree "$work/again") preload=("${run[@]}" -E "LD_PRELOAD=$top/$b/libfastpath.so")
	fi
	for seed in $(seq "${CROSS_SEEDS:-2}"); do
		mkdir -p "$work/tree"
		timeout 600 env -i PATH=/usr/bin:/bin LC_ALL=C TMPDIR="$work/tree" FASTPATH=1 FASTPATH_TEST="eager$1" \
			${run[0]:+FASTPATH_TRUST=/} "${preload[@]}" "$top/$b/differential" --seed "$seed" \
			--steps "${CROSS_STEPS:-300}" "${again[@]}" >"$work/out" 2>"$work/err" </dev/null
		code=$?
		grep -aE '^(PASS|FAIL|SKIP) ' "$work/out" | sed -E "s/^([A-Z]+) ([^: ]+)/\1 \2_$t/; s/_tree_/_epoll_/"
		if [ $code -eq 0 ]; then
			[ $status = 1 ] || status=0
		elif [ $code -ne 77 ]; then
			grep -aq '^FAIL ' "$work/out" ||
				fail "differential_seed_${seed}_$t" "exit status $code: $(tail -n 3 "$work/err")"
			status=1
		fi
		chattr -R -i "$work/tree" 2>/dev/null
		chmod -R u+rwX "$work/tree"
		rm -rf --one-file-system "$work/tree"
	done
}

# A 32-bit program that is offered a 64-bit session has a library of its own, and its hashes are others.
word_size_is_a_rule() {
	local got
	# shellcheck disable=SC2086
	$cc $ldflags -x c -o "$work/asks" - <<-'END'
		#include <unistd.h>

		int main(void)
		{
			for (int i = 0; i < 100; i++)
				access("/usr/include/no-such-header.h", F_OK);
			return 0;
		}
	END
	# By its own name it would be taken out of a 32-bit program's environment.
	cp "$b/libfastpath.so" "$work/another.so"
	FASTPATH_TEST=eager build/fastpath run -- sh -c "LD_PRELOAD=$work/another.so FASTPATH_STATS=$work/stats $work/asks" 2>/dev/null
	got=$(grep -o '"scope":"[a-z]*"' "$work/stats" 2>/dev/null | tail -n 1)
	verdict "a_64_bit_session_is_none_of_a_32_bit_program" "$([ "$got" = '"scope":"process"' ] || echo "its $got")"
}

units=$(make -s --no-print-directory -pn all 2>/dev/null | sed -n 's/^CORE_UNIT := //p')
for t in "${@:-pages i386 aarch64 riscv64}"; do
	targets+=" $t"
done
for t in $targets; do
	b=build/cross/$t
	if ! target "$t"; then
		skip "the_library_is_right_$t" "$missing is missing"
		continue
	fi
	if ! make -s -j1 core CC="$cc" CFLAGS="$cflags" TEST_LDFLAGS="$ldflags" B="$b" >"$work/make" 2>&1; then
		fail "everything_is_built_without_a_warning_$t" "$(grep -m 3 -E 'error|undefined|\*\*\*' "$work/make")"
		continue
	fi
	pass "everything_is_built_without_a_warning_$t"
	[ "$t" = pages ] || library_is_right
	if [ "${run[*]}" = none ]; then
		skip "the_tests_pass_$t" "qemu-$t is missing"
		continue
	fi
	unit_tests
	if [ "${#run[@]}" -eq 0 ]; then
		differential ''
	else
		skip "every_answer_equals_the_kernels_page_$t" "io_uring_setup(2): ENOSYS under ${run[0]}"
	fi
	differential ,bell=epoll
	[ "$t" != i386 ] || word_size_is_a_rule
done
exit $status
