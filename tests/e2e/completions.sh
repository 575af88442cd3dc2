#!/bin/bash
# completions.sh - what bash, zsh and fish offer for command lines of fastpath: its subcommands, options and
# workloads as it tells of them itself, files, and the command's own completion. E2E_FASTPATH replaces the command.
. "$(dirname "$0")/lib.sh"
fp=${E2E_FASTPATH:-$top/build/fastpath}
if [ ! -x "$fp" ]; then
	fail completions "there is no $fp"
	finish
fi

# A place with something to be found, and a command that has a completion of its own.
fresh
mkdir bin sub 'sub/a b' zsh home
ln -s "$fp" bin/fastpath
printf '#!/bin/sh\n' >bin/greet
chmod +x bin/greet
touch alpha.json alpine.txt
cp "$top/completions/_fastpath" zsh
printf '#compdef greet\ncompadd hello hullo --loud\n' >zsh/_greet
cat >own.bash <<-'END'
	_greet() { COMPREPLY=($(compgen -W "$([ "$COMP_CWORD-$1-$3" = 1-greet-greet ] && echo hello hullo --loud)" -- "$2")); }
	complete -F _greet greet
END
echo "complete -c greet -fa 'hello hullo --loud'" >own.fish
export PATH=$case/bin:$PATH HOME=$case/home XDG_CONFIG_HOME=$case/home XDG_DATA_HOME=$case/home
unset ZDOTDIR

# offers_SHELL LINE: what would be added at the end of LINE, one a line

# As bash breaks a line into words: at spaces, and before and after =.
offers_bash()
{
	bash --norc --noprofile -c '
		source "$1"
		source ./own.bash
		read -r -a COMP_WORDS <<<"${2//=/ = }"
		[[ $2 != *[\ =] ]] || COMP_WORDS+=("")
		[[ $2 != *= ]] || unset "COMP_WORDS[-1]"
		COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_LINE=$2 COMP_POINT=${#2}
		_fastpath fastpath "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
		[ ${#COMPREPLY[@]} -eq 0 ] || printf "%s\n" "${COMPREPLY[@]}"' - "$top/completions/fastpath.bash" "$1" 2>&1
}
offers_zsh()
{
	rm -rf "$base/zsh"
	mkdir "$base/zsh"
	timeout -k 1 30 zsh -f "$top/tests/e2e/complete.zsh" "$case/zsh" "$base/zsh" "$1" 2>&1 | sed 's,/$,,'
}
offers_fish()
{
	timeout -k 1 30 fish --no-config -c 'source $argv[1]; source ./own.fish; complete -C $argv[2]' \
		"$top/completions/fastpath.fish" "$1" 2>&1 | sed 's/\t.*//; s,/$,,; s/\\ / /g'
}

# offers LINE WANTED...: a reason, unless exactly these are offered, in any order
offers()
{
	local line=$1 got want
	shift
	got=$("offers_$shell" "$line" 8>&- 9>&- </dev/null | sed 's/^--*[a-z]*=//' | sort -u | xargs -d '\n')
	want=$(printf '%s\n' "$@" | sort -u | xargs -d '\n')
	[ "$got" = "$want" ] || echo "'$line' gives '$got', must be '$want'; "
}
# offers_too LINE WANTED...: these among others
offers_too()
{
	local got word line=$1
	shift
	got=$("offers_$shell" "$line" 8>&- 9>&- </dev/null)
	for word; do
		grep -q -x -F -e "$word" <<<"$got" || echo "'$line' does not give $word; "
	done
}
# can NAME: it is wanted, and the shell is there
can()
{
	wanted "$1" || return 1
	command -v "$shell" >/dev/null || { skip "$1" "$shell"; return 1; }
}

for shell in bash zsh fish; do
	name=${shell}_offers_every_subcommand
	if can "$name"; then
		verdict "$name" "$(offers_too 'fastpath ' $(commands "$fp"); offers_too 'fastpath help ' $(commands "$fp"); offers 'fastpath do' doctor
			offers_too 'fastpath --' --help --version)"
	fi
	name=${shell}_offers_exactly_the_options_that_help_tells_of
	if can "$name"; then
		why=
		for command in $(commands "$fp"); do
			[ "$command" != help ] || continue
			got=$("offers_$shell" "fastpath $command -" </dev/null; "offers_$shell" "fastpath $command --" </dev/null)
			got=$(sed 's/=.*//' <<<"$got" | grep -v '^--$' | sort -u | xargs)
			want=$(options "$fp" "$command" | sort -u | xargs)
			[ "$got" = "$want" ] || why+="$command: '$got', must be '$want'; "
		done
		verdict "$name" "$why"
	fi
	name=${shell}_offers_what_options_take
	if can "$name"; then
		verdict "$name" "$(offers 'fastpath run --stats=' text json; offers 'fastpath bench --scope ' tree process
			offers 'fastpath bench --scope=t' tree; offers 'fastpath bench --pairs ' ''; offers 'fastpath report --top ' '')"
	fi
	name=${shell}_offers_files_and_directories_where_they_are_meant
	if can "$name"; then
		verdict "$name" "$(offers 'fastpath report al' alpha.json alpine.txt; offers 'fastpath report alpha.json --html alp' alpha.json alpine.txt
			offers 'fastpath run --profile alpi' alpine.txt; offers 'fastpath bench --json=alph' alpha.json
			offers 'fastpath bench --suite s' sub; offers 'fastpath doctor s' sub)"
	fi
	name=${shell}_offers_the_workloads_that_there_are
	if can "$name"; then
		verdict "$name" "$(offers 'fastpath bench ' $("$fp" bench --list | cut -d ' ' -f 1); offers 'fastpath bench realpath --quick stor' storm.1 storm.8)"
	fi
	name=${shell}_completes_the_command_that_is_run
	if can "$name"; then
		verdict "$name" "$(offers 'fastpath run gree' greet; offers 'fastpath run --verify -- gree' greet; offers 'fastpath bench --quick -- gree' greet
			offers 'fastpath run greet he' hello; offers 'fastpath run --profile alpha.json --stats=json -- greet h' hello hullo
			offers 'fastpath bench -- greet hu' hullo; offers 'fastpath run greet --' --loud)"
	fi
	name=${shell}_completes_the_command_that_is_audited
	if can "$name" && grep -q -x audit <<<"$(commands "$fp")"; then
		verdict "$name" "$(offers 'fastpath audit -k -o alpine.txt greet he' hello; offers 'fastpath audit --folded alp' alpha.json alpine.txt)"
	fi
done
finish
