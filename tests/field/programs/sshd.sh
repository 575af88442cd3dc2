# served: sshd|ssh
# needs: root
# normalise: s/port [0-9]+/port N/g
# A login: sshd as a daemon and as inetd would run it, its confined child before the login, its re-execution, and
# what the login's shell and sftp find. The login has the daemon's environment no more.
prepare()
{
	mkdir -m 700 .ssh
	ssh-keygen -q -t ed25519 -N '' -f host-key
	ssh-keygen -q -t ed25519 -N '' -f key
	cp key.pub authorized
	mkdir -p /run/sshd
	[ "$(getent passwd root | cut -d : -f 7)" != /usr/sbin/nologin ] || { echo "root has no shell"; exit 77; }
}
run()
{
	cat >sshd_config <<C
HostKey $PWD/host-key
AuthorizedKeysFile $PWD/none %h/none $PWD/authorized
StrictModes no
PermitRootLogin yes
PasswordAuthentication no
UsePAM no
PidFile $PWD/pid
ListenAddress 127.0.0.1
Subsystem sftp internal-sftp
PrintMotd no
PrintLastLog no
C
	/usr/sbin/sshd -t -f "$PWD/sshd_config"; echo "status $?"
	/usr/sbin/sshd -t -f "$PWD/none"; echo "status $?"
	ssh="ssh -q -F none -i $PWD/key -o StrictHostKeyChecking=no -o UserKnownHostsFile=$PWD/known -o IdentitiesOnly=yes"
	: >none
	inetd="$ssh -o ProxyCommand='/usr/sbin/sshd -i -f $PWD/sshd_config' root@field"
	eval "$inetd" "'[ -e /none ] || echo none; id -un; exit 3'"; echo "status $?"
	echo through | eval "$inetd" cat
	eval "$inetd" no-such-command; echo "status $?"
	eval "$ssh -o ProxyCommand='/usr/sbin/sshd -i -f $PWD/sshd_config' nobody-there@field true"; echo "status $?"
	port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
	/usr/sbin/sshd -f "$PWD/sshd_config" -p "$port" -E "$PWD/log"
	for i in $(seq 100); do [ -s pid ] && break; sleep 0.1; done
	for i in 1 2 3; do $ssh -p "$port" root@127.0.0.1 "[ -e $PWD/appears ] || echo none; touch $PWD/appears; [ -e $PWD/appears ] && echo there; rm $PWD/appears"; done
	printf 'ls %s/authorized\nget %s/none\nget %s/authorized copy\n' "$PWD" "$PWD" "$PWD" >batch
	sftp -q -F none -i key -o StrictHostKeyChecking=no -o UserKnownHostsFile="$PWD/known" -P "$port" -b batch root@127.0.0.1 2>&1; echo "status $?"
	$ssh -p "$port" -tt root@127.0.0.1 'tty >/dev/null && echo terminal' | tr -d '\r'
	kill "$(cat pid)"
	grep -c Accepted log
	grep -i -E 'error|fatal|crash|signal 31|SIGSYS' log | sed 's/ from .*//'
}
"$1"
