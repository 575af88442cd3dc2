# served: bash
# fakechroot: another root by rewritten paths, in its own preload beside ours.
prepare() { mkdir -p jail/tmp jail/etc jail/mnt; touch jail/only-there only-here; }
run()
{
	for i in 1 2 3; do [ -e "$PWD/none" ]; [ -e /only-there ]; echo $?; done
	fakechroot bash -c 'for i in 1 2 3; do [ -e $PWD/only-here ]; echo $?; [ -e $PWD/none ]; echo $?; done; exit 3'; echo "status $?"
	export FAKECHROOT_EXCLUDE_PATH=/usr:/bin:/lib:/lib64:/proc:/dev
	fakechroot fakeroot python3 -c '
import os, sys
here = sys.argv[1]
print([os.path.exists("/only-there") for i in range(4)], [os.path.exists("/none") for i in range(4)])
os.chroot(here + "/jail")
print([os.path.exists("/only-there") for i in range(4)], [os.path.exists("/none") for i in range(4)])
open("/none", "w").close()
print(os.path.exists("/none"), os.path.realpath("/mnt/../none"), os.access("/none", os.R_OK), os.listdir("/mnt"))
os.unlink("/none")
print(os.path.exists("/none"))' "$PWD"; echo "status $?"
	ls "$PWD/jail"
	fakechroot chroot jail /bin/sh -c '[ -e /only-there ]; echo $?; [ -e /none ]; echo $?; ls /; no-such-command; exit 4'; echo "status $?"
}
"$1"
