# served: bash
# normalise: s/line [0-9]+: +[0-9]+ /line N: PID /
# command -v, type, hash, source and exec of what is not there, and of what appears; scripts without #! and with an
# interpreter that is missing; every file test; pipes, job control, traps, coprocesses, process substitution.
prepare() { mkdir bin-1 bin-2 bin-3; }
run()
{
	PATH=$PWD/bin-1:$PWD/bin-2:$PWD/bin-3:$PATH
	for i in 1 2; do command -v no-such-one; type no-such-two; hash no-such-three; no-such-four; echo "status $?"; done
	printf '#!/bin/bash\necho late "$@"\n' >bin-2/no-such-four && chmod +x bin-2/no-such-four
	no-such-four again; type -a no-such-four; hash
	printf 'echo plain $0\n' >bin-3/plain && chmod +x bin-3/plain && plain
	printf '#!%s/none\n' "$PWD" >bin-1/orphan && chmod +x bin-1/orphan; orphan; echo "status $?"
	echo text >bin-1/not-executable; not-executable; echo "status $?"; "$PWD/bin-1/not-executable"; echo "status $?"
	for t in a b c d e f g h k L p r s S t u w x O G N; do
		for p in "$PWD/none" "$PWD/bin-1" "$PWD/bin-1/orphan" /dev/null "$PWD/bin-1/orphan/x"; do
			[ -$t "$p" ] && printf 1 || printf 0
		done
	done; echo
	. "$PWD/none"; echo "status $?"
	(exec "$PWD/none"); echo "status $?"
	cat <"$PWD/none"; echo "status $?"
	echo x >"$PWD/none/deeper"; echo "status $?"
	cd "$PWD/none"; echo "status $?"
	CDPATH=$PWD/bin-1:$PWD; cd bin-2; pwd; cd ..
	for i in 1 2 3; do [ -e "$PWD/appears" ] && echo there; (: >"$PWD/appears"); [ -e "$PWD/appears" ] && echo there; rm appears; done
	diff <(echo a) <(echo b); echo "status $?"
	coproc cat; echo through >&${COPROC[1]}; read -r line <&${COPROC[0]}; echo "$line"
	exec {COPROC[1]}>&-; wait
	trap 'echo trapped' USR1; kill -USR1 $$; trap - USR1
	(trap 'echo left' EXIT; [ -e "$PWD/none" ]; exit 5); echo "status $?"
	set -m; sleep 0.1 & wait $!; echo "status $?"; false & wait $!; echo "status $?"; set +m
	yes | head -n 1; echo "${PIPESTATUS[1]}"
	printf '%s\n' "$PWD"/*/no* "$PWD"/none*
	ulimit -n 30; [ -e "$PWD/none" ]; echo "status $?"
	exec 3>&- 4>&- 5>&- 255>&-; [ -e "$PWD/none" ]; echo "status $?"
	bash -c 'exec 2>&-; [ -e /none ]; echo $?'
	(kill -9 $BASHPID); echo "status $?"
	exit 12
}
"$1"
