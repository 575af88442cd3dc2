# complete.zsh - what zsh offers for a command line: zsh -f complete.zsh COMPLETIONS WORK LINE. A second
# zsh, on a terminal of its own, is made to complete LINE, and notes in WORK what it would add.
zmodload zsh/zpty || exit 77
cat >$2/.zshrc <<END
fpath=(${(q)1} \$fpath)
offered=${(q)2}/offered
END
cat >>$2/.zshrc <<'END'
: >$offered
PS1= PS2= RPS1= LISTMAX=10000
autoload -U compinit && compinit -D -u
compadd() {
	local -a added
	if [[ ${@[1,(i)(-|--)]} != *-(O|A|D)\ * ]]; then
		builtin compadd -A added "$@"
		(( ! $#added )) || print -rl -- $added >>$offered
	fi
	builtin compadd "$@"
}
leave() { exit }
comppostfuncs=(leave)
zstyle ':completion:*' insert-tab false
bindkey '^I' complete-word
END
zpty shell "ZDOTDIR=${(q)2} zsh -d -i"
zpty -n -w shell "$3"$'\t'
while zpty -r shell said; do :; done 2>/dev/null
zpty -d shell
cat $2/offered
