#!/bin/bash
# layers.sh - includes point only downward: base < cache < authority < preload, broker, bench < cli,
# and preload, broker and bench never include each other; audit includes base alone and is included
# by cli alone. An argument replaces the tree that is looked at.
set -u
export LC_ALL=C
top=${1:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
failed=0

# level LAYER: its height; nothing for what is no layer
level()
{
	case $1 in
	base) echo 1 ;;
	cache | audit) echo 2 ;;
	authority) echo 3 ;;
	preload | broker | bench) echo 4 ;;
	cli) echo 5 ;;
	esac
}

# verdict NAME FINDINGS: a failure if there are any.
verdict()
{
	if [ -n "$2" ]; then
		failed=1
		echo "FAIL $1: ${2//$'\n'/; }"
	else
		echo "PASS $1"
	fi
}

# "FILE:LINE:TEXT" of each include with quotes, spelled in whatever way
includes()
{
	(cd "$top/shim" && grep -rnE --include='*.[ch]' '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' .)
}

upward= sideways= unclear= foreign= files=0
while IFS=: read -r file line text; do
	files=$((files + 1))
	file=${file#./}
	from=${file%%/*}
	name=${text#*\"}
	name=${name%%\"*}
	to=${name%%/*}
	where="shim/$file:$line includes $name"
	a=$(level "$from") b=$(level "$to")
	if [ -z "$a" ] || [ -z "$b" ] || [ "$to" = "$name" ] || [[ $name == *..* ]]; then
		unclear+="${unclear:+$'\n'}$where"
	elif [ "$to" = audit ] && [ "$from" != audit ] && [ "$from" != cli ]; then
		foreign+="${foreign:+$'\n'}$where"
	elif [ "$b" -gt "$a" ]; then
		upward+="${upward:+$'\n'}$where"
	elif [ "$b" -eq "$a" ] && [ "$to" != "$from" ]; then
		sideways+="${sideways:+$'\n'}$where"
	fi
done < <(includes)

verdict no_include_points_upward "$upward"
verdict preload_and_broker_do_not_include_each_other "$sideways"
verdict audit_is_included_by_cli_alone "$foreign"
verdict includes_name_their_layer_and_file "$unclear"
if [ "$files" -lt 10 ]; then
	verdict includes_were_looked_at "only $files in $top/shim"
else
	verdict includes_were_looked_at ""
fi

# The public header is for programs that have nothing else of ours.
verdict the_public_header_includes_nothing_of_ours \
	"$(cd "$top" && grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' include/*.h)"

# base and cache are told apart from libc's allocator and streams; nothing in the library has them.
verdict no_layer_of_the_library_allocates_or_prints \
	"$(cd "$top/shim" && grep -rnE --include='*.[ch]' \
		'^[[:space:]]*#[[:space:]]*include[[:space:]]*<(stdio|stdlib|malloc)\.h>' \
		base cache authority preload)"
exit "$failed"
