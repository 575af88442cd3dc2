# served: bash
# needs: root
# su, runuser and sudo: set-user-ID programs drop the preload where they raise privileges; from root they pass it on,
# and what the other user may not see stays unseen.
prepare()
{
	mkdir -m 711 closed; mkdir -m 700 private; touch private/file; mkdir -m 777 open
	chmod 755 .
}
run()
{
	for i in 1 2 3; do [ -e "$PWD/private/none" ]; echo $?; done
	look="for i in 1 2 3; do for f in private/none private/file closed/none open/none; do [ -e $PWD/\$f ]; echo \$?; ls $PWD/\$f; done; done; touch $PWD/open/none; [ -e $PWD/open/none ]; echo \$?; rm $PWD/open/none; id -un"
	su -s /bin/bash nobody -c "$look"; echo "status $?"
	su -s /bin/bash - nobody -c "$look"; echo "status $?"
	runuser -u nobody -- bash -c "$look"; echo "status $?"
	su no-such-user -c true; echo "status $?"
	su -s "$PWD/none" nobody -c true; echo "status $?"
	setpriv --reuid 65534 --regid 65534 --clear-groups su root -c true </dev/null; echo "status $?"
	setpriv --reuid 65534 --regid 65534 --clear-groups newgrp root </dev/null; echo "status $?"
	su nobody -s /bin/sh -c 'exec bash -c "exit 7"'; echo "status $?"
}
"$1"
