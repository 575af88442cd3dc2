# served: ssh.*
# normalise: s/[A-Za-z0-9+\/]{43}/FINGERPRINT/g
# ssh, ssh-keygen and ssh-agent: keys, known hosts, configuration with Include and Match exec, hosts and programs that are not there.
prepare()
{
	mkdir -m 700 .ssh
	ssh-keygen -q -t ed25519 -N '' -C field -f key
	printf 'Include %s/none/*\nHost there\n HostName localhost\n IdentityFile %s/none\nMatch exec "[ -e /none ]"\n User none\nHost *\n User field\n' "$PWD" "$PWD" >config
}
run()
{
	ssh-keygen -l -f key; ssh-keygen -y -f key; ssh-keygen -l -f none; echo "status $?"
	ssh-keygen -F there -f "$PWD/none"; echo "status $?"
	ssh -F "$PWD/config" -G there | grep -E '^(user|hostname|identityfile|proxycommand) '; ssh -F "$PWD/none" -G there; echo "status $?"
	ssh -F "$PWD/config" -o ProxyCommand="$PWD/none" there true; echo "status $?"
	ssh -F "$PWD/config" -o ProxyCommand='sh -c "head -n 1 >/dev/null; exit 3"' there true; echo "status $?"
	eval "$(ssh-agent -s -a "$PWD/agent")" >/dev/null; ssh-add -q key; ssh-add -l; ssh-add none; echo "status $?"
	echo data | ssh-keygen -Y sign -f key -n field >signature 2>/dev/null; echo "field $(cat key.pub)" >signers
	echo data | ssh-keygen -Y verify -f signers -I field -n field -s signature; echo "status $?"
	kill "$SSH_AGENT_PID"
}
"$1"
