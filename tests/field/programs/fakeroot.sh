# served: bash|python3.*
# fakeroot: invented owners and devices, tar of them, in its own preload beside ours.
prepare() { mkdir tree; }
run()
{
	fakeroot bash -c 'id -u; for i in 1 2 3; do [ -e $PWD/none ]; echo $?; done; touch tree/file; chown 12:34 tree/file; mknod tree/device c 1 3; mkdir tree/d; chmod 4755 tree/file
		stat -c "%n %u %g %a %F" tree/*; tar --mtime=@0 --sort=name -cf tree.tar tree; tar -tvf tree.tar | sed "s/ *[0-9]* 1970/ 1970/"; exit 3'; echo "status $?"
	fakeroot -s state bash -c 'touch kept; chown 7:8 kept'; fakeroot -i state stat -c '%u %g' kept
	fakeroot python3 -c 'import os; print(os.getuid(), [os.path.exists("/none") for i in range(4)], os.access("/root", os.W_OK))'
	fakeroot "$PWD/none"; echo "status $?"; fakeroot ls "$PWD/none"; echo "status $?"
	for i in 1 2 3; do fakeroot sh -c 'if [ -e $PWD/appears ]; then echo there; fi; touch $PWD/appears; [ -e $PWD/appears ] && echo there; rm $PWD/appears'; done
}
"$1"
