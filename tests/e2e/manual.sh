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
finish
