# Completion of fastpath(1) for bash. bash-completion(8) is made use of where it is loaded.

# Sets COMPREPLY to those of the words in $2 that begin with $1.
_fastpath_words()
{
	local word
	COMPREPLY=()
	for word in $2; do
		[[ $word != "$1"* ]] || COMPREPLY+=("$word")
	done
}

# The same for paths: of $2, file or directory.
_fastpath_paths()
{
	compopt -o filenames 2>/dev/null
	mapfile -t COMPREPLY < <(compgen -A "$2" -- "$1")
}

# The command that begins with word $1 is completed as if it were alone.
_fastpath_command()
{
	local offset=$1 specification function line
	if declare -F _comp_command_offset >/dev/null; then
		_comp_command_offset "$offset"
		return
	elif declare -F _command_offset >/dev/null; then
		_command_offset "$offset"
		return
	fi
	if [ "$COMP_CWORD" -eq "$offset" ] && [[ ${COMP_WORDS[COMP_CWORD]} != */* ]]; then
		mapfile -t COMPREPLY < <(compgen -c -- "${COMP_WORDS[COMP_CWORD]}" | sort -u)
		return
	fi
	specification=$(complete -p -- "${COMP_WORDS[offset]##*/}" 2>/dev/null)
	function=${specification#* -F }
	function=${function%% *}
	if [ "$COMP_CWORD" -eq "$offset" ] || [[ $specification != *' -F '* ]] || ! declare -F "$function" >/dev/null; then
		_fastpath_paths "${COMP_WORDS[COMP_CWORD]}" file
		return
	fi
	COMP_WORDS=("${COMP_WORDS[@]:offset}")
	COMP_CWORD=$((COMP_CWORD - offset))
	line=${COMP_WORDS[*]}
	COMP_LINE=$line
	COMP_POINT=${#line}
	"$function" "${COMP_WORDS[0]##*/}" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
}

# What the argument of option $2 of subcommand $1 is: $argument, "file", "directory", "number" or words.
# False: it takes none.
_fastpath_argument()
{
	case "$1 $2" in
	'run --stats') argument='text json' ;;
	'bench --scope') argument='tree process' ;;
	'bench --suite') argument='directory' ;;
	'run --profile' | 'audit -o' | 'audit --html' | 'audit --folded' | 'bench --json' | 'bench --html' | \
		'report --html') argument='file' ;;
	'bench --pairs' | 'report --top') argument='number' ;;
	*) return 1 ;;
	esac
}

_fastpath_complete_argument()
{
	case $argument in
	number) ;;
	file | directory) _fastpath_paths "$1" "$argument" ;;
	*) _fastpath_words "$1" "$argument" ;;
	esac
}

# Where the command to be run begins, if it does before or at the cursor: at $at. False: it does not.
_fastpath_find_command()
{
	local word previous='' argument
	for ((at = 2; at <= COMP_CWORD; at++)); do
		word=${COMP_WORDS[at]}
		if [ "$word" = -- ] && [ "$at" -lt "$COMP_CWORD" ]; then
			at=$((at + 1))
			return 0
		elif [ "$1" = bench ] || [[ $word == -* || $word == '=' || $previous == '=' ]]; then
			:
		elif [ "$previous" = --stats ] || ! _fastpath_argument "$1" "$previous"; then
			return 0
		fi
		previous=$word
	done
	return 1
}

# An option, or its argument, of subcommand $1. False: neither.
_fastpath_option()
{
	local word=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]} argument
	local -A options=(
		[run]='--stats --stats=text --stats=json --verify --profile -h --help'
		[audit]='--json -o --html -k --folded -h --help'
		[bench]='--list --quick --pairs --scope --suite --json --html --output -h --help'
		[report]='--json --html --top -h --help'
		[doctor]='--json -h --help'
	)
	# "--scope=tr" is three words where = ends one.
	if [ "$word" = '=' ]; then
		! _fastpath_argument "$1" "$option" || _fastpath_complete_argument ''
	elif [ "$option" = '=' ]; then
		! _fastpath_argument "$1" "${COMP_WORDS[COMP_CWORD - 2]}" || _fastpath_complete_argument "$word"
	elif [[ $word == --*=* ]] && _fastpath_argument "$1" "${word%%=*}"; then
		_fastpath_complete_argument "${word#*=}"
		COMPREPLY=("${COMPREPLY[@]/#/${word%%=*}=}")
	elif [ "$option" != --stats ] && _fastpath_argument "$1" "$option"; then
		_fastpath_complete_argument "$word"
	elif [[ $word == -* ]]; then
		_fastpath_words "$word" "${options[$1]-}"
	else
		return 1
	fi
}

_fastpath()
{
	local subcommand=${COMP_WORDS[1]} word=${COMP_WORDS[COMP_CWORD]} at
	local all='run audit bench report doctor help'
	COMPREPLY=()
	if [ "$COMP_CWORD" -eq 1 ]; then
		_fastpath_words "$word" "$all -h --help -V --version"
		return
	fi
	case $subcommand in
	run | audit | bench)
		if _fastpath_find_command "$subcommand"; then
			_fastpath_command "$at"
			return
		fi
		;;
	esac
	_fastpath_option "$subcommand" && return
	case $subcommand in
	help) _fastpath_words "$word" "$all" ;;
	bench) _fastpath_words "$word" "$("${COMP_WORDS[0]}" bench --list 2>/dev/null | cut -d ' ' -f 1)" ;;
	report) _fastpath_paths "$word" file ;;
	doctor) _fastpath_paths "$word" directory ;;
	esac
}
complete -F _fastpath fastpath
