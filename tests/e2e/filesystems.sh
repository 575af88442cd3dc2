#!/bin/bash
# filesystems.sh - hazards 13 to 18i by file system: the same changes on each kind that is served, no
# change missed on those that are refused.
trees=1
. "$(dirname "$0")/lib.sh"
change=$progs/change
if ! is_root; then
	skip file_systems_of_all_kinds "needs root"
	finish
fi

apart='unshare -m --propagation private bash -c'

# crowd FS: each kind of change, in $place.
crowd()
{
	hazard "a_created_file_is_seen_on_$1" 'mkdir d' 'd/x d/y/z' '>d/x' 'mkdir d/y; >d/y/z' 'rm d/x'
	hazard "a_tree_moved_in_is_seen_on_$1" 'mkdir -p d e/x/1; >e/x/1/y' 'd/x/1/y' 'mv e/x d/x'
	hazard "an_ancestor_renamed_is_seen_on_$1" 'mkdir -p a/b q/b; >q/b/x' 'a/b/x' 'mv a o; mv q a' 'rm a/b/x'
	hazard "an_ancestor_exchanged_is_seen_on_$1" 'mkdir -p a/b q/b; >q/b/x; $change exchange a q && $change exchange a q' 'a/b/x' '$change exchange a q'
	hazard "a_retargeted_symlink_is_seen_on_$1" 'mkdir v1 v2; >v2/x; ln -s v1 c' 'c/x' 'ln -sfn v2 c' 'rm v2/x'
	hazard "a_held_directory_removed_and_made_again_is_seen_on_$1" 'mkdir d; exec 7<d' 'd/x' 'rmdir d; mkdir d; >d/x; exec 7<&-'
	hazard "a_chmod_is_seen_on_$1" '>f; chmod 755 f' 'f' 'chmod 000 f' 'chmod 711 f'
	hazard "a_chmod_through_another_link_is_seen_on_$1" '>f; chmod 755 f; ln f g' 'f' 'chmod 000 g'
	hazard -u "an_acl_is_seen_on_$1" '>f; chmod 755 f; setfacl -m u:1:r f; setfacl -b f' '~f' "setfacl -m u:$user:0 f" 'setfacl -b f'
	hazard "a_capability_is_seen_on_$1" '>f; chmod 755 f; setcap cap_net_raw+ep f; setcap -r f' '~f' 'setcap cap_net_raw+ep f' 'setcap -r f'
	hazard "an_unlinked_file_is_gone_on_$1" '>f; chmod 755 f' 'f' 'rm f' '>f'
	hazard "a_bind_mount_is_seen_on_$1" 'mkdir m s; >s/x' 'm/x' 'mount --bind s m' 'umount m'
	works -s "names_that_appear_while_a_directory_is_listed_are_seen_on_$1" "$progs/learn" "$case" 100
}

# on FS MKFS-COMMAND [MOUNT-OPTIONS]: makes an image, mounts it, moves there; false: SKIPped. ${lacks} is what the
# kernel lacks where it cannot be mounted.
lacks=
on()
{
	local image=$base/$1.img why
	mkdir -p "$base/$1"
	truncate -s 400M "$image"
	if ! why=$($2 "$image" 2>&1); then
		skip "changes_on_$1" "the file system $1 ($(tail -n 1 <<<"$why"))"
		return 1
	fi
	if ! why=$(mount -o "loop${3:+,$3}" "$image" "$base/$1" 2>&1); then
		skip "changes_on_$1" "${lacks:-the file system $1 ($(head -n 1 <<<"$why"))}"
		return 1
	fi
	move_to "$base/$1"
}

crowd the_test_directory
move_to "$base"
mkdir "$base/tmpfs"
mount -t tmpfs -o mode=755 none "$base/tmpfs" && move_to "$base/tmpfs" && crowd tmpfs

if on ext4 "mkfs.ext4 -q -F"; then
	crowd ext4
	mount -o remount,ro "$place" && mount -o remount,rw "$place" &&
		hazard a_remount_of_the_whole_file_system_is_seen_on_ext4 '>f; chmod 777 f' 'f x' 'mount -o remount,ro $place' 'mount -o remount,rw $place' 'mount -o remount,noexec $place' 'mount -o remount,exec $place'
	fresh
	umount -l "$place"
fi
if on xfs "mkfs.xfs -q -f"; then
	crowd xfs
	hazard a_remount_of_the_whole_file_system_is_seen_on_xfs '>f; chmod 777 f' 'f x' 'mount -o remount,ro $place' 'mount -o remount,rw $place'
	hazard -k a_frozen_file_system_still_answers 'mkdir d' 'd/x' 'fsfreeze -f $place; fsfreeze -u $place' '>d/x'
	umount -l "$place"
fi
if on btrfs "mkfs.btrfs -q -f"; then
	crowd btrfs
	hazard a_subvolume_made_is_seen 'mkdir d' 'd/s d/s/x' 'btrfs subvolume create d/s' '>d/s/x'
	hazard a_snapshot_made_is_seen 'mkdir d; btrfs subvolume create s; >s/x' 'd/s d/s/x' 'btrfs subvolume snapshot s d/s'
	hazard a_subvolume_deleted_is_gone 'btrfs subvolume create s; >s/f; chmod 755 s/f; mkdir s/d' 's/f s/none s/d/none' 'btrfs subvolume delete s' 'mkdir -p s/d; >s/d/none; >s/none'
	hazard a_subvolume_renamed_is_seen 'btrfs subvolume create s; btrfs subvolume create t; >t/x' 's/x' 'mv s u; mv t s'
	hazard a_subvolume_made_read_only_is_seen 'btrfs subvolume create s; >s/f; chmod 777 s/f' 's/f' 'btrfs property set s ro true' 'btrfs property set s ro false'
	hazard a_subvolume_mounted_is_seen 'btrfs subvolume create s; >s/x; mkdir m' 'm/x' 'mount -o subvol=case/s "$(findmnt -n -o SOURCE "$place")" m' 'umount m'
	# The mount table of this namespace says nothing of it.
	hazard -n -u an_acl_that_a_remount_elsewhere_hides_is_seen "mkdir d; chmod 700 d; >d/f; chmod 755 d/f; setfacl -m u:$user:rwx d" 'd/none d/f' \
		"$apart 'mount -o remount,noacl $place'" "$apart 'mount -o remount,acl $place'"
	umount -l "$place"
fi
if lacks="xfs that folds ASCII case (CONFIG_XFS_SUPPORT_ASCII_CI)" on xfs-ci "mkfs.xfs -q -f -n version=ci"; then
	hazard -n a_case_variant_of_a_new_name_is_seen_on_xfs_ci 'mkdir d' 'd/FOO d/foo d/Foo/x' '>d/foo' 'rm d/FOO' 'mkdir d/fOO' '>d/foo/X'
	umount -l "$place"
fi
if [ -e /sys/fs/ext4/features/casefold ] && on ext4-casefold "mkfs.ext4 -q -F -O casefold -E encoding=utf8"; then
	hazard -n a_case_variant_of_a_new_name_is_seen_in_a_casefolding_directory 'mkdir d; chattr +F d' 'd/FOO d/foo d/Foo/x' '>d/foo' 'rm d/FOO' 'mkdir d/fOO' '>d/foo/X'
	hazard -n a_directory_made_casefolding_is_seen 'mkdir d' 'd/FOO' 'chattr +F d; >d/foo'
	umount -l "$place"
else
	skip a_case_variant_of_a_new_name_is_seen_in_a_casefolding_directory "ext4 case-folding (CONFIG_UNICODE)"
fi
if [ -e /sys/fs/ext4/features/encryption ] && on ext4-encrypted "mkfs.ext4 -q -F -O encrypt"; then
	"$progs/encrypt" add "$place" 2>"$base/err1"
	if [ $? -eq 0 ]; then
		hazard -n names_that_come_and_go_with_a_key_are_seen \
			'"$progs"/encrypt add "$place" && mkdir e && "$progs"/encrypt policy e "$place" && >e/x && mkdir e/d && >e/d/y && sync && "$progs"/encrypt remove "$place"' \
			'e/x e/d/y e/none' '"$progs"/encrypt add "$place"' '>e/none; sync; "$progs"/encrypt remove "$place"' '"$progs"/encrypt add "$place"'
	else
		skip names_that_come_and_go_with_a_key_are_seen "encrypted directories ($(cat "$base/err1"))"
	fi
	umount -l "$place"
else
	skip names_that_come_and_go_with_a_key_are_seen "encrypted directories (ext4)"
fi
move_to "$base"

# ---- read-only images: an image replaced by another ----

images()
{
	local fs=$1 make=$2 setup
	setup="mkdir -p t1/d t2/d m; >t1/d/f; chmod 755 t1/d/f; >t2/d/x; $make t1 i1 && $make t2 i2 && mount -o loop i1 m"
	fresh
	if ! (eval "${setup//\$fs/$fs}") >"$base/setup" 2>&1; then
		skip "an_image_replaced_is_seen_on_$fs" "the file system $fs ($(tail -n 1 "$base/setup"))"
		return
	fi
	umount -l "$case/m"
	hazard "an_image_replaced_is_seen_on_$fs" "$setup" 'm/d/x m/d/f m/none' 'umount m; mount -o loop i2 m' 'umount m'
	hazard "an_image_mounted_over_another_is_seen_on_$fs" "$setup" 'm/d/x m/d/f' 'mount -o loop i2 m' 'umount m'
	hazard "an_overlay_over_an_image_of_$fs" "$setup; mkdir up wk o; mount -t overlay o -o lowerdir=m,upperdir=up,workdir=wk o" 'o/d/x o/d/f' '>o/d/x' 'chmod 000 o/d/f' 'rm o/d/f' 'mv o/d/x o/d/f'
}
squash() { mksquashfs "$1" "$2" -noappend -quiet -no-progress; }
erofs() { mkfs.erofs -q "$2" "$1" || mkfs.erofs "$2" "$1"; }
images squashfs squash
images erofs erofs

# ---- refused ones: right without being served ----

hazard -n a_ramfs_is_right 'mkdir m; mount -t ramfs none m; mkdir m/d' 'm/d/x' '>m/d/x' 'rm m/d/x' '>m/d/x' 'umount m'
hazard -n a_proc_of_its_own_is_right 'mkdir m; mount -t proc none m' 'm/none m/self/fd/none' 'umount m; mkdir -p m/self/fd; >m/none'
hazard -n a_devtmpfs_is_right 'mkdir m; mount -t devtmpfs none m; rm -f m/fastpath-test' 'm/fastpath-test' 'mknod m/fastpath-test c 1 3' 'rm m/fastpath-test'
hazard -n a_mount_of_fuse_over_an_ancestor_is_seen 'mkdir -p m/d s/d; >s/d/x' 'm/d/x' 'bindfs -o nonempty s m' 'rm s/d/x; >m/d/y' 'umount m; >m/d/x'

# ---- the kinds of mount ----

hazard a_file_system_seen_through_two_mounts 'mkdir a b; mount -t tmpfs -o mode=755 t a; mount --bind a b; mkdir a/d' 'a/d/x b/d/x' '>a/d/x' 'rm b/d/x' 'mkdir b/d/x'
hazard an_overlay_of_two_lower_directories 'mkdir l1 l2 up wk m; mkdir l1/d l2/d; >l2/d/f; chmod 755 l2/d/f; mount -t overlay o -o lowerdir=l1:l2,upperdir=up,workdir=wk m' \
	'm/d/x m/d/f' '>m/d/x' 'rm -r m/d; mkdir m/d' '>m/d/f'
hazard an_overlay_on_tmpfs 'mkdir t m; mount -t tmpfs -o mode=755 t t; mkdir -p t/lo/d t/up t/wk; >t/lo/d/f; mount -t overlay o -o lowerdir=t/lo,upperdir=t/up,workdir=t/wk m' \
	'm/d/x m/d/f' '>m/d/x' 'chmod 000 m/d/f' 'mv m/d/f m/d/g; mv m/d/x m/d/f'
hazard a_read_only_overlay 'mkdir l1 l2 m l1/d l2/d; >l2/d/f; chmod 755 l2/d/f; mount -t overlay o -o lowerdir=l1:l2 m' 'm/d/x m/d/f' 'umount m; mkdir m/d; >m/d/x'

# Where it is not mounted, a mount point is a directory like others: what happens to it there takes the mount along.
hazard a_mount_point_renamed_in_another_namespace_is_seen 'mkdir m s; >s/x; chmod 755 s/x; mount --bind s m' 'm/none m/x m' \
	"$apart 'umount m && mv m o'; mkdir m; >m/none" "$apart 'umount o && mv m p && mv o m'"
hazard a_mount_point_exchanged_in_another_namespace_is_seen 'mkdir m s e; >s/x; >e/y; mount --bind s m' 'm/y m/x ~e/x e/none' \
	"$apart 'umount m && \$0 exchange m e' $change" "$apart 'umount e && \$0 exchange m e' $change"
hazard a_file_that_is_a_mount_point_renamed_in_another_namespace_is_seen '>m; >s; chmod 755 s; mount --bind s m' 'm' \
	"$apart 'umount m && mv m o'" '>m' "$apart 'umount o && mv m p && mv o m'"
hazard a_mount_point_removed_in_another_namespace_is_seen 'mkdir m s; >s/x; mount --bind s m' 'm/none m/x' \
	"$apart 'umount m && rmdir m'" 'mkdir m; >m/none'

# ---- autofs: the lookup itself mounts ----

# A daemon of an indirect map that answers each request for "there..." by mounting a tmpfs.
autofs='
import ctypes, fcntl, os, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
r, w = os.pipe()
os.setpgid(0, 0)
options = "fd=%d,pgrp=%d,minproto=5,maxproto=5,indirect" % (w, os.getpgrp())
if libc.mount(b"automount", sys.argv[1].encode(), b"autofs", 0, options.encode()):
    print(os.strerror(ctypes.get_errno()), flush=True); sys.exit(1)
os.close(w)
at = os.open(sys.argv[1], os.O_RDONLY)
print("mounted", flush=True)
while True:
    b = os.read(r, 304)
    if not b: break
    token, = struct.unpack_from("=I", b, 8)
    length, = struct.unpack_from("=I", b, 40)
    name = b[44:44 + length].rstrip(b"\0")
    ready = name.startswith(b"there")
    if ready:
        d = os.path.join(sys.argv[1].encode(), name)
        os.mkdir(d)
        ready = libc.mount(b"tmpfs", d, b"tmpfs", 0, b"mode=755") == 0
    fcntl.ioctl(at, 0x9360 if ready else 0x9361, token)
'
if wanted a_lookup_that_mounts; then
	fresh
	mkdir m
	"$python" -c "$autofs" "$case/m" >"$base/autofs" 2>&1 &
	daemon=$!
	for i in 1 2 3 4 5 6 7 8 9 10; do
		[ -s "$base/autofs" ] && break
		sleep 0.2
	done
	if grep -q mounted "$base/autofs"; then
		limit=20
		for mode in $(modes both); do
			number=$((${number:-0} + 1))
			: >"$stats"
			with "$mode" bash -c "for i in 1 2 3 4 5; do [ -e $case/m/none$number ]; [ -e $case/none ]; done; [ -d $case/m/there$number ] && echo ok; [ -e $case/m/there$number/x ] || echo absent" >"$base/out1" 2>&1
			wait "$pid"
			verdict "a_lookup_that_mounts[$mode]" "$([ "$(tr '\n' ' ' <"$base/out1")" = "ok absent " ] || cat "$base/out1"; hit "$mode")"
		done
	else
		skip a_lookup_that_mounts "autofs ($(tail -n 1 "$base/autofs"))"
	fi
	umount -l "$case/m" 2>/dev/null
	kill $daemon 2>/dev/null
fi
finish
