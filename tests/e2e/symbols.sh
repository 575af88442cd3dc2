#!/bin/bash
# symbols.sh - what the built files need of a libc: the library nothing, the command nothing, and what else is
# installed no glibc newer than 2.34. An argument selects the cases whose names contain it.
. "$(dirname "$0")/lib.sh"
oldest=2.34

# needed FILE: the libraries that it is linked to
needed() { readelf -d "$1" 2>/dev/null | sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p' | paste -s -d ' '; }
# undefined FILE: the symbols that it takes from others, with their versions; not the weak ones
undefined() { nm -D -u --with-symbol-versions "$1" 2>/dev/null | awk '$1 == "U" { print $2 }'; }
# too_new FILE: those of a glibc newer than $oldest, and what no symbol stands for (GLIBC_ABI_DT_RELR)
too_new()
{
	local symbol version
	undefined "$1" | while read -r symbol; do
		version=${symbol##*@GLIBC_}
		[ "$version" != "$symbol" ] || continue
		[ "$(printf '%s\n' "$version" $oldest | sort -V | tail -n 1)" = $oldest ] || echo "$symbol"
	done
	readelf -V "$1" 2>/dev/null | grep -o 'Name: GLIBC_[A-Z_]*' | sed 's/^Name: //' | grep -x 'GLIBC_ABI.*'
}

if wanted the_tools_see_what_a_program_needs; then # else what follows proves nothing
	why=
	[[ $(needed "$progs/launch") == *libc.so.* ]] || why+="launch needs '$(needed "$progs/launch")'; "
	undefined "$progs/launch" | grep -q '@GLIBC_' || why+="no versions; "
	[ -n "$(oldest=2.0; too_new "$progs/launch")" ] || why+="nothing is newer than 2.0; "
	verdict the_tools_see_what_a_program_needs "$why"
fi
for library in "$lib" "$top/build/32/libfastpath.so"; do
	name=the_library_imports_nothing
	[ "$library" = "$lib" ] || name+=_for_32_bit_programs
	wanted $name || continue
	if [ ! -e "$library" ]; then
		skip $name "none is built here"
		continue
	fi
	why=$(needed "$library"; nm -D -u "$library" 2>/dev/null; readelf -V "$library" | grep -A 5 'Version needs')
	verdict $name "$why"
done
if wanted the_command_needs_no_library; then
	verdict the_command_needs_no_library "$(needed "$fp"; undefined "$fp")"
fi
# Programs of this machine, where it is a newer one: a package is built on the oldest system that it is for.
if wanted no_installed_program_needs_a_newer_glibc; then
	why= seen=0
	for f in "$top"/build/bench-suite/* "$top"/build/bench-suite/programs/* "$top"/build/examples/*; do
		[ -n "$(needed "$f")" ] || continue
		seen=$((seen + 1))
		new=$(too_new "$f" | paste -s -d ' ')
		[ -z "$new" ] || why+="$(basename "$f"): $new; "
	done
	[ $seen -ge 5 ] || why+="only $seen programs"
	here=$(getconf GNU_LIBC_VERSION | cut -d ' ' -f 2)
	if [ -n "$why" ] && [ "$(printf '%s\n' "$here" 2.36 | sort -V | tail -n 1)" != 2.36 ]; then
		skip no_installed_program_needs_a_newer_glibc "a glibc no newer than 2.36 to build with: here is $here"
	else
		verdict no_installed_program_needs_a_newer_glibc "$why"
	fi
fi
finish
