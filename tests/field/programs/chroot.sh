# served: bash
# needs: root
# chroot: the same path is another file there; a root without the library's file, and one that has all.
prepare()
{
	mkdir -p jail/bin jail/etc whole; touch jail/only-there only-here; cp "$(command -v busybox)" jail/bin/
	ln -s busybox jail/bin/sh
}
run()
{
	for i in 1 2 3; do [ -e /only-there ]; echo $?; [ -e "$PWD/only-here" ]; echo $?; done
	chroot jail /bin/sh -c 'for i in 1 2 3; do [ -e /only-there ]; echo $?; [ -e /none ]; echo $?; done; exit 3'; echo "status $?"
	chroot jail /bin/none; echo "status $?"; chroot "$PWD/none" true; echo "status $?"
	unshare -m bash -c 'mount --rbind / whole; mount -t tmpfs none whole/mnt; touch whole/mnt/only-there
		for i in 1 2 3; do [ -e /mnt/only-there ]; echo $?; done
		chroot whole bash -c "for i in 1 2 3; do [ -e /mnt/only-there ]; echo \$?; [ -e /mnt/none ]; echo \$?; done; exit 4"'; echo "status $?"
	chroot / bash -c 'for i in 1 2 3; do [ -e /none ]; echo $?; done'
	chroot --userspec=65534:65534 / bash -c "id -u; for i in 1 2 3; do [ -e $PWD/none ]; echo \$?; done"
}
"$1"
