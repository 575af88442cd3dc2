# served: bash
# needs: root
# setpriv: other ids, groups, capabilities, no_new_privs: what each may see of directories that are closed to some.
prepare()
{
	mkdir -m 750 group; mkdir -m 700 private; mkdir -m 755 all; touch group/file private/file all/file
	chgrp 65534 group; chmod 755 .
}
run()
{
	look='for i in 1 2 3; do for d in group private all; do for f in file none; do [ -e $PWD/$d/$f ]; printf $?; [ -r $PWD/$d/$f ]; printf $?; cat $PWD/$d/$f 2>&1 | sed "s/.*: //"; done; done; done; echo'
	for i in 1 2 3; do [ -e "$PWD/private/none" ]; done
	for how in '--reuid 1 --clear-groups' '--reuid 1 --regid 65534 --clear-groups' '--reuid 1 --groups 65534' '--ruid 1' '--euid 1 --keep-groups' \
		'--bounding-set -all --inh-caps -all' '--no-new-privs' '--ambient-caps -all --inh-caps -all --reuid 2 --clear-groups'; do
		setpriv $how bash -c "$look"; echo "$how: status $?"
	done
	setpriv --reuid 1 --clear-groups "$PWD/none"; echo "status $?"; setpriv --reuid 1 --clear-groups no-such-command; echo "status $?"
	setpriv --dump | grep -c capab
}
"$1"
