#!/bin/bash
# manual.sh - what is said of the command and the library in several places is the same: help texts, manual
# pages, the header, the version. E2E_FASTPATH replaces the command.
. "$(dirname "$0")/lib.sh"
fp=${E2E_FASTPATH:-$top/build/fastpath}
if [ ! -x "$fp" ]; then
	fail manual "there is no $fp"
	finish
fi

# ---- help ----

if wanted every_help_text_fits_24_lines_of_80; then
	why=
	for how in --help $(commands "$fp"); do
		"$fp" help ${how#--help} >"$base/out1" 2>&1
		[ "$(wc -l <"$base/out1")" -le 23 ] || why+="$how: $(wc -l <"$base/out1") lines and the prompt; "
		[ "$(wc -L <"$base/out1")" -le 80 ] || why+="$how: $(wc -L <"$base/out1") columns; "
	done
	verdict every_help_text_fits_24_lines_of_80 "$why"
fi
if wanted help_of_a_subcommand_is_its_--help; then
	why=
	for command in $(commands "$fp"); do
		[ "$command" != help ] || continue
		cmp -s <("$fp" help "$command") <("$fp" "$command" --help) || why+="$command; "
		[ -n "$(options "$fp" "$command")" ] || why+="$command tells of no option; "
	done
	verdict help_of_a_subcommand_is_its_--help "$why"
fi

# ---- manual pages ----

pages=$top/build/man
# page NAME [SECTION]: its text, or one section or subsection of it
page()
{
	mandoc -Tascii "$pages/$1" | sed 's/.\x08//g' |
		if [ $# -gt 1 ]; then awk -v name="$2" '/^ ? ? ?[^ ]/ { sub(/^ +/, ""); on = $0 == name; next } on'; else cat; fi
}
# has TEXT WORD...: a reason for each word that is not in it
has()
{
	local text=$1 word
	shift
	for word; do
		grep -q -E -e "(^|[^a-zA-Z0-9_-])$word([^a-zA-Z0-9_-]|\$)" <<<"$text" || echo "not $word; "
	done
}
can() { wanted "$1" && { command -v mandoc >/dev/null || { skip "$1" mandoc; false; }; }; }

# Which pages of others are there is this machine's business; ours refer to each other.
if can manual_pages_are_without_faults; then
	why=
	for p in "$pages"/*; do
		why+=$(mandoc -Tlint "$p" 2>&1 | grep -v -e 'referenced manual not found' -e 'outdated mandoc.db')
		why+=$(sed -n 's/^\.Xr \([a-z.]*fastpath[a-z.]*\) \([1-8]\).*/\1.\2/p' "$p" | while read -r other; do
			[ -f "$pages/$other" ] || echo "$(basename "$p"): $other is not there; "
		done)
	done
	verdict manual_pages_are_without_faults "$why"
fi
if can the_manual_has_every_option_of_every_subcommand; then
	why=
	for command in $(commands "$fp"); do
		got=$(has "$(page fastpath.1 "fastpath $command")" $(options "$fp" "$command"))
		[ "$command" = help ] || [ -z "$got" ] || why+="$command: $got"
		grep -q -E "^ +fastpath $command " <<<"$(page fastpath.1 SYNOPSIS)" || why+="$command is not in the synopsis; "
	done
	verdict the_manual_has_every_option_of_every_subcommand "$why"
fi
if can the_manual_has_every_variable_of_the_library; then
	variables=$(grep -o -E '"FASTPATH(_[A-Z]+)?"' "$top/shim/base/settings.c" | tr -d '"' | sort -u)
	why=$(has "$(page libfastpath.7 ENVIRONMENT)" $variables)
	[ "$(wc -w <<<"$variables")" -ge 8 ] || why+="only $variables; "
	verdict the_manual_has_every_variable_of_the_library "$why"
fi
if can the_manual_has_every_name_of_the_header; then
	names=$(grep -o -E '\b(fastpath_[a-z]+|FASTPATH_[A-Z_]+)\b' "$top/include/fastpath.h" | grep -v -x -E 'FASTPATH_(H|WEAK)' | sort -u)
	fields=$(sed -n '/^struct fastpath_stats {/,/^}/s/^\tu*int[0-9]*_t \([a-z_]*\).*/\1/p' "$top/include/fastpath.h")
	why=$(has "$(page fastpath.h.3)" $names $fields)
	[ "$(wc -w <<<"$fields")" -ge 11 ] || why+="only the fields $fields; "
	verdict the_manual_has_every_name_of_the_header "$why"
fi

# ---- the version ----

if wanted the_version_is_the_header_s_everywhere; then
	version=$(sed -n 's/^#define FASTPATH_VERSION_[A-Z]* //p' "$top/include/fastpath.h" | paste -s -d .)
	why=
	grep -q -E "^#define FASTPATH_VERSION +\"$version\"\$" "$top/include/fastpath.h" || why+="the header's string is not $version; "
	[ "$("$fp" --version)" = "fastpath $version" ] || why+="$("$fp" --version); "
	for p in "$pages"/*; do
		grep -q -F "$version" "$p" && ! grep -q '@[A-Z]*@' "$p" || why+="$(basename "$p"); "
	done
	[ "$(sed -n 's/^## \([0-9.]*\).*/\1/p' "$top/CHANGELOG.md" | head -n 1)" = "$version" ] || why+="the first in CHANGELOG.md; "
	verdict the_version_is_the_header_s_everywhere "$why"
fi
finish
