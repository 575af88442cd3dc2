# served: bash
# bubblewrap: another root in a user namespace, with what is bound there, tmpfs over what was known, and no new privileges.
prepare() { mkdir data other; touch other/file; bwrap --ro-bind / / true 2>why || { echo "bwrap: $(cat why)"; exit 77; }; }
run()
{
	look='for i in 1 2 3; do for p in data/file data/none other/file none; do [ -e '$PWD'/$p ]; printf $?; done; done; echo'
	bash -c "$look"
	bwrap --ro-bind / / --dev /dev --proc /proc bash -c "$look; exit 3"; echo "status $?"
	bwrap --dev-bind / / --bind "$PWD/other" "$PWD/data" bash -c "$look"; echo "status $?"
	bwrap --dev-bind / / --tmpfs "$PWD/data" bash -c "$look; touch $PWD/data/none; $look"; echo "status $?"
	bwrap --dev-bind / / --unshare-all --die-with-parent --new-session bash -c "$look; id -u"; echo "status $?"
	bwrap --dev-bind / / --bind "$PWD/none" /mnt true; echo "status $?"
	bwrap --dev-bind / / "$PWD/none"; echo "status $?"; bwrap --dev-bind / / --chdir "$PWD/other" bash -c "$look; pwd"
	bash -c "$look"
}
"$1"
