# served: bash
# needs: root
# unshare and nsenter: mount namespaces in which other files are at the same paths, user, pid and network namespaces.
prepare() { mkdir -p place source; touch source/file; chmod 755 . place source; }
run()
{
	look='for i in 1 2 3; do for p in place/file place/none source/none; do [ -e $PWD/$p ]; printf $?; done; done; echo'
	bash -c "$look"
	unshare -m bash -c "$look; mount --bind source place; $look; umount place; $look"; echo "status $?"
	unshare -m bash -c "mount -t tmpfs none place; $look; touch place/none; $look"; echo "status $?"
	unshare -U -r bash -c "$look; id -u"; unshare -U bash -c "$look; id -u"; unshare -p -f bash -c "$look; echo \$\$"
	unshare -mU -r --map-current-user bash -c "$look" ; unshare -n -i -u bash -c "$look"; unshare -p -f --mount-proc bash -c "ls /proc/\$\$ | head -n 1; $look"
	unshare -m bash -c 'mount -t tmpfs none place; touch place/file; exec sleep 60' & pid=$!
	for i in $(seq 100); do [ -e /proc/$pid/root/$PWD/place/file ] && break; sleep 0.05; done
	nsenter -t $pid -m --wd=. bash -c "cd $PWD; $look"; nsenter -t $pid -m bash -c "cd $PWD; exec bash -c '$look'"
	kill $pid; wait $pid 2>/dev/null
	bash -c "$look"; unshare -m "$PWD/none"; echo "status $?"
}
"$1"
