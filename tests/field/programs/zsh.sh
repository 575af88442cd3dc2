# served: zsh.*
# zsh: rehash, autoload and zmodload of what is not there and what appears, globbing with qualifiers, =command, suffixes.
prepare()
{
	mkdir bin-1 bin-2 functions-1 functions-2
	echo 'echo autoloaded' >functions-2/there
	cat >script <<'S'
path=($PWD/bin-1 $PWD/bin-2 $path); fpath=($PWD/functions-1 $PWD/functions-2 $fpath)
for i in 1 2 3; do whence no-such-one; no-such-two; echo "status $?"; print $+commands[no-such-three]; done
print '#!/bin/sh\necho late' >bin-2/no-such-two; chmod +x bin-2/no-such-two
no-such-two; rehash; no-such-two; whence no-such-two
autoload -Uz there nowhere compinit; there; nowhere; echo "status $?"
zmodload zsh/no_such_module; echo "status $?"; zmodload zsh/stat; zstat +size $PWD/script
for t in a b c d e f g h k L p r s S u w x O G; do
	for p in $PWD/none $PWD/bin-1 $PWD/bin-2/no-such-two /dev/null $PWD/script/x; do
		test -$t $p && print -n 1 || print -n 0
	done
done; print
print -l $PWD/*(/) $PWD/n*(N); print $PWD/none*; echo "status $?"
source $PWD/none; echo "status $?"
echo =no-such-four; echo "status $?"
for i in 1 2 3; do [[ -e $PWD/appears ]] && print there; (: >$PWD/appears); [[ -e $PWD/appears ]] && print there; rm appears; done
cat =(echo temporary); cat <(echo piped) ; coproc cat; print -p hello; read -p l; print $l
(exec $PWD/none); echo "status $?"
cd $PWD/none; echo "status $?"
exit 7
S
}
run() { zsh -f script; }
"$1"
