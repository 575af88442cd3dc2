# served: bash|dash
# needs: root
# A chroot that debootstrap made: Debian's own programs in it (dpkg, apt-get, perl, sh), a directory of the outside bound
# into it with the library, and without.
prepare() { [ -e "$FIELD_KEPT/chroot/made" ] || { echo "no chroot by debootstrap could be made"; exit 77; }; }
run()
{
	for i in 1 2 3; do [ -e /none ]; [ -e "$FIELD_KEPT/none" ]; done
	unshare -m bash -c 'root='$FIELD_KEPT'/chroot; mount --bind "$root" "$root"; mount -t tmpfs none "$root/tmp"; mount -t tmpfs none "$root/mnt"
		# The loader in there does not find the library, and must not say so.
		chroot "$root" /bin/sh -c "for i in 1 2 3; do [ -e /none ]; echo \$?; done; ls /none; perl -e \"print -e qq(/none) ? 1 : 0\"; exit 3"; echo "status $?"
		lib=$(dirname '"$FIELD_LIB"'); mkdir -p "$root$lib" && mount --bind "$lib" "$root$lib"
		touch "$root/mnt/there"
		chroot "$root" /bin/sh -c "
			for i in 1 2 3; do [ -e /mnt/there ]; echo \$?; [ -e /mnt/none ]; echo \$?; done
			dpkg -l | wc -l; dpkg -S /bin/sh; dpkg -S /none; dpkg -V; echo \$?
			perl -e \"print -e qq(/none) ? 1 : 0, -e qq(/mnt/there) ? 1 : 0, qq(\\\\n)\"
			cd /tmp; mkdir d; tar -cf t.tar /etc/passwd /none; echo \$?; find / -xdev -name no-such-file; apt-config dump | wc -l
			no-such-command; sh /none; ls /none; exit 3"; echo "status $?"'
}
"$1"
