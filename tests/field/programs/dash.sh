# served: dash
# what scripts of dash do: command -v, test, ., exec, PATH of what is not there and what appears, traps, here documents.
prepare()
{
	mkdir bin-1 bin-2 bin-3
	cat >script <<'S'
PATH=$PWD/bin-1:$PWD/bin-2:$PWD/bin-3:$PATH
for i in 1 2 3; do command -v no-such-one; type no-such-two; no-such-three; echo "status $?"; done
printf '#!/bin/sh\necho late "$@"\n' >bin-2/no-such-three && chmod +x bin-2/no-such-three
no-such-three again; command -v no-such-three; rm bin-2/no-such-three; no-such-three; echo "status $?"
printf 'echo plain $0\n' >bin-3/plain && chmod +x bin-3/plain && plain
printf '#!/none\n' >bin-1/orphan && chmod +x bin-1/orphan; orphan; echo "status $?"
for t in b c d e f g h k L p r s S u w x O G; do
	for p in "$PWD/none" "$PWD/bin-1" "$PWD/bin-1/orphan" /dev/null "$PWD/bin-1/orphan/x"; do
		[ -$t "$p" ] && printf 1 || printf 0
	done
done; echo
(. "$PWD/none"); echo "status $?"
(exec "$PWD/none"); echo "status $?"
cat <"$PWD/none"; echo "status $?"
(cd "$PWD/none"); echo "status $?"
for i in 1 2 3; do [ -e "$PWD/appears" ] && echo there; (: >"$PWD/appears"); [ -e "$PWD/appears" ] && echo there; rm appears; done
(trap 'echo left' EXIT; [ -e "$PWD/none" ]; exit 5); echo "status $?"
trap 'echo trapped' USR1; kill -USR1 $$
cat <<X | while read -r l; do echo "<$l>"; done
here $(command -v cat) $((6 * 7))
X
(set -e; [ -e "$PWD/none" ]; echo not reached); echo "status $?"
echo "$PWD"/n*ne "$PWD"/bin-?
exec sh -c 'exit 6'
S
}
run() { dash script; }
"$1"
