#!/bin/bash
# coherence.sh - hazards 4 to 18: whatever changes what a path means, however it is changed and by
# whomever, the next lookup says what the kernel says. Every case makes the facts known first and
# proves it.
trees=1
. "$(dirname "$0")/lib.sh"
change=$progs/change

# ---- a name appears ----

hazard a_created_file_is_seen 'mkdir d' 'd/x' '>d/x'
hazard a_created_file_is_seen_among_others 'mkdir d; >d/a; >d/b' 'd/x d/y ~d/a' '>d/x' 'rm d/x' '>d/y'
hazard a_file_created_by_the_asker_is_seen 'mkdir d; chown $user d' 'd/x d/y' "self: creat $case/d/x" "self: creat $case/d/y"
hazard a_directory_made_by_the_asker_is_seen 'mkdir d; chown $user d' 'd/x d/x/y' "self: mkdir $case/d/x" "self: creat $case/d/x/y" "self: unlink $case/d/x/y" "self: rmdir $case/d/x"
hazard -k a_rename_by_the_asker_is_seen 'mkdir d e; >e/f; mkdir e/g; chown -R $user d e' 'd/x d/y/z ~e/f' "self: rename $case/e/f $case/d/x" "self: rename $case/e/g $case/d/y" "self: creat $case/d/y/z"
hazard a_link_made_by_the_asker_is_seen 'mkdir d; >f; chown -R $user d f' 'd/x' "self: link $case/f $case/d/x"
hazard a_symlink_made_by_the_asker_is_seen 'mkdir d; >f; chown -R $user d f' 'd/x' "self: symlink $case/f $case/d/x" "self: unlink $case/d/x" "self: symlink nowhere $case/d/x"
hazard a_made_directory_is_seen 'mkdir d' 'd/x d/x/y' 'mkdir d/x'
hazard a_made_symlink_is_seen 'mkdir d; >f' 'd/x' 'ln -s ../f d/x'
hazard a_made_dangling_symlink_is_seen 'mkdir d' 'd/x' 'ln -s nowhere d/x' '>d/nowhere'
hazard a_made_hard_link_is_seen 'mkdir d; >f' 'd/x' 'ln f d/x'
hazard a_made_fifo_is_seen 'mkdir d' 'd/x' 'mkfifo d/x'
hazard a_made_socket_is_seen 'mkdir d' 'd/x' '$change socket d/x'
hazard -r a_made_device_is_seen 'mkdir d' 'd/x' 'mknod d/x c 1 3'
hazard a_linked_tmpfile_is_seen 'mkdir d' 'd/x' '$change tmpfile d d/x'
hazard a_file_created_through_a_file_handle_is_seen 'mkdir d' 'd/x' '$change handle d x'
hazard a_file_created_by_io_uring_is_seen 'mkdir d' 'd/x' '$change uring-open d/x'
hazard a_directory_made_by_io_uring_is_seen 'mkdir d' 'd/x d/x/y' '$change uring-mkdir d/x' '>d/x/y'
hazard a_rename_by_io_uring_is_seen 'mkdir d; >f' 'd/x' '$change uring-rename f d/x'
hazard a_file_moved_in_is_seen 'mkdir d; >f' 'd/x' 'mv f d/x'
hazard a_file_renamed_inside_is_seen 'mkdir d; >d/f' 'd/x ~d/f' 'mv d/f d/x' 'mv d/x d/f'
hazard an_exchange_is_seen 'mkdir d e; >d/f; mkdir e/g; >e/g/y' '~d/f/y ~d/f ~e/g/z d/w' '$change exchange d/f e/g' '$change exchange d/f e/g'
hazard a_directory_moved_in_is_seen 'mkdir -p d e/x; >e/x/y' 'd/x d/x/y' 'mv e/x d/x'
hazard a_tree_moved_in_is_seen 'mkdir -p d e/x/1/2/3; >e/x/1/2/3/y' 'd/x/1/2/3/y d/x/1 d/x/1/2/z' 'mv e/x d/x' '>d/x/1/2/z'
hazard a_tree_made_at_once_is_seen 'mkdir d' 'd/1/2/3/f d/1/2 d/1/2/3/g' 'mkdir -p d/1/2/3; >d/1/2/3/f' '>d/1/2/3/g' 'rm -r d/1' 'mkdir -p d/1/2/3; >d/1/2/3/g'
hazard an_unpacked_archive_is_seen 'mkdir d; mkdir -p s/a/b; >s/a/b/c; tar cf t.tar -C s a' 'd/a/b/c d/a' 'tar xf t.tar -C d'
hazard a_name_made_removed_and_made_again_is_seen 'mkdir d' 'd/x' '>d/x' 'rm d/x' 'mkdir d/x' 'rmdir d/x' 'ln -s / d/x' 'rm d/x' '>d/x'
hazard a_case_variant_is_another_name 'mkdir d; >d/README' '~d/readme d/other' '>d/readme' 'rm d/readme'
hazard a_name_that_is_not_ascii_is_seen 'mkdir d' $'~d/\xc3\xa9 ~d/\xff\xfe d/x' $'>d/\xc3\xa9' $'>d/\xff\xfe' '>d/x'
hazard the_first_name_in_an_empty_place_is_seen ':' 'x x/y x/y/z' 'mkdir x' 'mkdir x/y' '>x/y/z'
hazard a_name_of_the_longest_length_is_seen 'mkdir d; n=$(printf %0255d 1)' "d/$(printf %0255d 1) d/x" '>d/$n' 'rm d/$n'
hazard a_name_in_a_directory_of_thousands_is_seen 'mkdir d; (cd d; seq -f f%g 5000 | xargs touch)' 'd/x d/f5001 ~d/f77' '>d/x' 'rm d/f77' '>d/f5001'

# ---- 4. the event queue overflows ----

hazard an_overflow_of_the_queue_loses_nothing 'mkdir d e; events=$(cat /proc/sys/fs/inotify/max_queued_events)' 'd/x d/y e/x' \
	'$change flood d $((events / 2 + 2000)); >d/x; >e/x' '$change flood e $((events + 100)); >d/y; rm e/x'
hazard an_overflow_hides_no_ancestor 'mkdir -p d a/b q/b; >q/b/x; events=$(cat /proc/sys/fs/inotify/max_queued_events)' 'd/x a/b/x' \
	'$change flood d $((events + 100)); mv a o; mv q a'

# ---- 5. mounts ----

hazard a_mount_over_a_directory_is_seen_by_the_next_lookup 'mkdir m s; >s/x' 'm/x' 'mount --bind s m' 'umount m'
hazard a_mount_over_an_ancestor_is_seen 'mkdir -p m/a/b s/a/b; >s/a/b/x' 'm/a/b/x m/a/b' 'mount --bind s m' 'umount m'
hazard a_mount_over_the_root_of_the_case_is_seen 'mkdir d s s/d; >s/d/x' 'd/x' "mount --bind $case/s $case" "umount -l $case"
hazard a_new_file_system_is_seen 'mkdir m; >m/x' 'm/y ~m/x' 'mount -t tmpfs tmpfs m' '>m/y' 'umount m'
hazard a_mount_over_a_file_is_seen 'echo a >f; echo 12 >g; chmod 600 g' 'f' 'mount --bind g f' 'umount f'
hazard a_lazy_umount_is_seen 'mkdir m s; >s/x; mount --bind s m' 'm/y ~m/x' 'umount -l m' '>m/y'
hazard a_lazy_umount_of_a_busy_mount_is_seen 'mkdir m s; mount --bind s m; exec 7<m' 'm/x' '>m/x' 'umount -l m' '>m/x; exec 7<&-'
hazard a_moved_mount_is_seen 'mkdir m n s; mount -t tmpfs t m; >m/x' 'n/x n ~m/x' 'mount --move m n' '>m/x; mount --move n m'
hazard a_mount_by_descriptor_is_seen 'mkdir m s; >s/x' 'm/x' '$change moved-mount s m'
hazard a_mount_stacked_on_a_mount_is_seen 'mkdir m s t; >t/x; mount --bind s m' 'm/x' 'mount --bind t m' 'umount m'
hazard a_recursive_bind_is_seen 'mkdir -p m s/sub; mount -t tmpfs t s/sub; >s/sub/x' 'm/sub/x' 'mount --rbind s m'
hazard -r a_mount_by_the_asker_is_seen 'mkdir m s; >s/x' 'm/x' "self: bind $case/s $case/m" "self: umount $case/m"
hazard a_read_only_remount_is_seen 'mkdir m; mount -t tmpfs t m; >m/f; chmod 777 m/f' 'm/f m/x' 'mount -o remount,ro m' 'mount -o remount,rw m'
hazard a_read_only_bind_remount_is_seen 'mkdir m s; >s/f; chmod 777 s/f; mount --bind s m' 'm/f m/x' 'mount -o remount,bind,ro m'
hazard a_noexec_remount_is_seen 'mkdir m; mount -t tmpfs t m; >m/f; chmod 777 m/f' 'm/f' 'mount -o remount,noexec m' 'mount -o remount,exec m'
hazard a_noexec_bind_remount_is_seen 'mkdir m s; >s/f; chmod 777 s/f; mount --bind s m' 'm/f' 'mount -o remount,bind,noexec m'
hazard a_noexec_by_mount_setattr_is_seen 'mkdir m s; >s/f; chmod 777 s/f; mount --bind s m' 'm/f' '$change setattr noexec m' '$change setattr exec m'
hazard a_read_only_mount_by_mount_setattr_is_seen 'mkdir m s; >s/f; chmod 777 s/f; mount --bind s m' 'm/f' '$change setattr ro m'
hazard a_mount_propagated_from_another_namespace_is_seen \
	'mkdir m; mount -t tmpfs t m; mount --make-shared m; mkdir m/a m/s; >m/s/x' 'm/a/x' \
	'unshare -m --propagation unchanged mount --bind m/s m/a' 'unshare -m --propagation unchanged umount m/a'
hazard -k a_mount_elsewhere_changes_nothing_here 'mkdir m s d' 'd/x' 'mount --bind s m' '>d/x' 'umount m'

# ---- 7. ancestors ----

hazard an_ancestor_renamed_is_seen 'mkdir -p a/b q/b; >q/b/x' 'a/b/x' 'mv a o; mv q a' 'mv a q; mv o a'
hazard an_ancestor_far_above_renamed_is_seen 'mkdir -p a/1/2/3/4/5 q/1/2/3/4/5; >q/1/2/3/4/5/x' 'a/1/2/3/4/5/x a/1/2/3' 'mv a o; mv q a'
hazard -k a_middle_directory_renamed_is_seen 'mkdir -p a/1/2/3 a/q/2/3; >a/q/2/3/x' 'a/1/2/3/x' 'mv a/1 a/o; mv a/q a/1' 'rm a/1/2/3/x; >a/o/2/3/x; mv a/1 a/q; mv a/o a/1'
hazard an_ancestor_exchanged_is_seen 'mkdir -p a/b q/b; >q/b/x' 'a/b/x' '$change exchange a q' '$change exchange a q'
hazard an_ancestor_moved_away_is_seen 'mkdir -p a/b/c; >a/b/c/f' 'a/b/c/x ~a/b/c/f' 'mv a o' 'mkdir -p a/b/c; >a/b/c/x'
hazard an_ancestor_removed_and_made_again_is_seen 'mkdir -p a/b' 'a/b/x' 'rm -r a; mkdir -p a/b; >a/b/x' 'rm -r a' 'mkdir -p a/b; >a/b/x'
hazard an_ancestor_replaced_by_a_symlink_is_seen 'mkdir -p a/b q/b; >q/b/x' 'a/b/x' 'mv a o; ln -s q a'
hazard an_ancestor_replaced_by_a_file_is_seen 'mkdir -p a/b' 'a/b/x' 'rm -r a; >a' 'rm a; mkdir -p a/b; >a/b/x'
hazard an_ancestor_replaced_by_a_mount_is_seen 'mkdir -p a/b q/b; >q/b/x' 'a/b/x' 'mount --bind q/b a/b'
hazard the_top_directory_of_the_case_renamed_is_seen 'mkdir -p top/a/b top2/a/b; >top2/a/b/x' 'top/a/b/x' 'mv top t3; mv top2 top'

# ---- 8. symlinks ----

hazard a_retargeted_symlink_is_seen 'mkdir v1 v2; >v2/x; ln -s v1 c' 'c/x' 'ln -sfn v2 c' 'ln -sfn v1 c'
hazard a_symlink_replaced_by_rename_is_seen 'mkdir v1 v2; >v2/x; ln -s v1 c; ln -s v2 n' 'c/x' 'mv -T n c'
hazard an_absolute_symlink_retargeted_is_seen "mkdir v1 v2; >v2/x; ln -s $case/v1 c" 'c/x' "ln -sfn $case/v2 c"
hazard a_symlink_in_the_middle_retargeted_is_seen 'mkdir -p a/v1/b a/v2/b; >a/v2/b/x; ln -s v1 a/c' 'a/c/b/x' 'ln -sfn v2 a/c'
hazard the_second_of_two_symlinks_retargeted_is_seen 'mkdir v1 v2; >v2/x; ln -s v1 c2; ln -s c2 c1' 'c1/x' 'ln -sfn v2 c2' 'ln -sfn v1 c2' 'ln -sfn v2 c1'
hazard a_symlink_in_another_place_retargeted_is_seen 'mkdir -p e/v1 e/v2 d; >e/v2/x; ln -s v1 e/c; ln -s ../e/c d/c' 'd/c/x' 'ln -sfn v2 e/c'
hazard a_symlink_with_dotdot_follows_a_renamed_parent 'mkdir -p p/a p/t q/t; >q/t/x; ln -s ../t p/a/l' 'p/a/l/x' 'mv p/a q/a; mkdir p/a; ln -s ../../q/t p/a/l' 
hazard a_symlink_replaced_by_a_directory_is_seen 'mkdir v1; ln -s v1 c' 'c/x' 'rm c; mkdir c; >c/x'
hazard a_directory_replaced_by_a_symlink_is_seen 'mkdir v1 c; >v1/x' 'c/x' 'rmdir c; ln -s v1 c'
hazard the_target_of_a_symlink_renamed_is_seen 'mkdir v1 v2; >v2/x; ln -s v1 c' 'c/x' 'mv v1 v0; mv v2 v1'
hazard a_target_appearing_is_seen 'mkdir d e; ln -s ../e/x d/l' '~d/l/y e/x ~d/l' 'mkdir e/x' '>e/x/y'
hazard a_dangling_symlink_in_the_middle_is_seen_to_live 'mkdir d; ln -s ../e/deep d/l' '~d/l/x ~d/l e' 'mkdir -p e/deep; >e/deep/x'
hazard a_dangling_symlink_at_the_end_is_seen_to_live 'mkdir d e; ln -s ../e/x d/l' '~d/l e/x' '>e/x' 'rm e/x'
hazard a_dangling_absolute_symlink_is_seen_to_live "mkdir d e; ln -s $case/e/n/x d/l" '~d/l ~d/l/y e/n' 'mkdir -p e/n/x; >e/n/x/y'
hazard a_loop_of_symlinks_broken_is_seen 'mkdir d; ln -s b d/a; ln -s a d/b' '~d/a/x ~d/a d/y' 'rm d/b; mkdir d/b; >d/b/x'
hazard a_symlink_to_a_mount_point_sees_the_mount 'mkdir m s; >s/x; ln -s m c' 'c/x' 'mount --bind s m' 'umount m'
hazard a_symlink_on_a_mount_retargeted_is_seen 'mkdir m; mount -t tmpfs -o mode=755 t m; mkdir m/v1 m/v2; >m/v2/x; ln -s v1 m/c' 'm/c/x' 'ln -sfn v2 m/c'
hazard a_symlink_exchanged_with_a_directory_is_seen 'mkdir v1 v2; >v2/x; ln -s v1 c' 'c/x' '$change exchange c v2'

# ---- 10. a removed directory whose inode lives on ----

hazard a_directory_held_open_removed_and_made_again_is_seen 'mkdir d; exec 7<d' 'd/x' 'rmdir d; mkdir d; >d/x' 'exec 7<&-; rm d/x'
hazard an_ancestor_held_open_removed_and_made_again_is_seen 'mkdir -p a/b; exec 7<a 6<a/b' 'a/b/x' 'rm -r a; mkdir -p a/b; >a/b/x' 'exec 6<&- 7<&-; rm a/b/x'
hazard a_directory_that_is_somebodys_cwd_removed_and_made_again_is_seen 'mkdir d; cd d' 'd/x' "cd $case/d; rmdir $case/d; mkdir $case/d; >$case/d/x; cd $case"
hazard a_held_directory_replaced_by_rename_is_seen 'mkdir d e; >e/x; exec 7<d' 'd/x' 'mv -T e d' 'exec 7<&-; rm d/x'
hazard a_held_symlink_target_removed_and_made_again_is_seen 'mkdir v; ln -s v c; exec 7<v' 'c/x' 'rmdir v; mkdir v; >v/x; exec 7<&-'
hazard a_removed_directory_that_stays_a_mount_elsewhere_is_seen 'mkdir d m; mount --bind d m' 'd/x m/y' 'rmdir d; mkdir d; >d/x'

# ---- 11. positive answers ----

hazard a_chmod_is_seen '>f; chmod 755 f' 'f' 'chmod 000 f' 'chmod 755 f'
hazard a_chmod_by_the_asker_is_seen '>f; chmod 755 f; chown $user f' 'f' "self: chmod 000 $case/f" "self: chmod 755 $case/f"
hazard a_chmod_through_another_link_is_seen 'mkdir a b; >a/f; chmod 755 a/f; ln a/f b/f' 'a/f' 'chmod 000 b/f' 'chmod 755 b/f'
hazard a_chmod_through_a_later_link_is_seen 'mkdir a b; >a/f; chmod 755 a/f' 'a/f' 'ln a/f b/f; chmod 000 b/f'
hazard a_chmod_through_a_descriptor_is_seen '>f; chmod 755 f' 'f' '$change fd-chmod-kept 000 f'
hazard a_chmod_through_a_descriptor_of_an_unlinked_name_is_seen 'mkdir a; >f; chmod 755 f; ln f a/g' 'f' '$change fd-chmod 000 a/g'
hazard a_chmod_through_a_bind_mount_is_seen 'mkdir a m; >a/f; chmod 755 a/f; mount --bind a m' 'a/f m/f' 'chmod 000 m/f'
is_root && hazard -u a_chmod_of_an_ancestor_is_seen 'mkdir -p a/b/c; >a/b/c/f; chmod 755 a/b/c/f' 'a/b/c/f a/b/c/x' 'chmod 700 a' 'chmod 755 a' 'chmod 644 a/b' 'chmod 711 a/b' 'chmod 000 a/b/c'
hazard -u a_chown_is_seen '>f; chmod 500 f; chown $user f' 'f' 'chown root f' 'chown $user f'
hazard -u a_chgrp_is_seen '>f; chmod 050 f; chgrp $user f' 'f' 'chgrp root f'
hazard -u an_acl_that_takes_is_seen '>f; chmod 755 f' 'f' "setfacl -m u:$user:0 f" "setfacl -b f"
hazard an_acl_set_or_removed_is_seen '>f; mkdir d' 'f d/x d' 'setfacl -m u:1:r f' 'setfacl -d -m u:1:r d' 'setfacl -b f' 'setfacl -b d'
hazard -u an_acl_on_an_ancestor_is_seen 'mkdir -p a/b; >a/b/f' 'a/b/f a/b/x' "setfacl -m u:$user:0 a"
hazard a_capability_set_or_removed_is_seen '>f; chmod 755 f' 'f' 'setcap cap_net_raw+ep f' 'setcap -r f'
hazard a_capability_set_through_another_link_is_seen '>f; chmod 755 f; ln f g' 'f' 'setcap cap_net_raw+ep g'
hazard an_attribute_set_or_removed_is_seen '>f' 'f' 'setfattr -n user.fastpath -v 1 f' 'setfattr -x user.fastpath f'
hazard an_immutable_file_is_not_writable '>f; chmod 777 f' 'f' 'chattr +i f' 'chattr -i f'
hazard an_unlinked_file_is_gone '>f; chmod 755 f' 'f' 'rm f' '>f'
hazard an_unlinked_file_with_another_link_is_gone '>f; chmod 755 f; ln f g' 'f' 'rm f' 'ln g f'
hazard an_unlinked_file_held_open_is_gone '>f; chmod 755 f; exec 7<f' 'f' 'rm f; exec 7<&-'
hazard a_file_replaced_by_rename_is_seen '>f; chmod 755 f; >g; chmod 000 g' 'f' 'mv g f'
hazard a_file_replaced_by_a_directory_is_seen '>f; chmod 755 f' 'f ~f/x' 'rm f; mkdir f; >f/x'
hazard a_file_replaced_by_a_symlink_is_seen '>f; chmod 755 f; >g' 'f' 'rm f; ln -s g f' 'ln -sf nowhere f'
hazard a_removed_directory_is_gone 'mkdir d' 'd' 'rmdir d' 'mkdir d; chmod 700 d'
hazard a_file_behind_a_symlink_replaced_is_seen 'mkdir a; >a/f; chmod 755 a/f; ln -s a/f l' 'l' 'rm a/f' '>a/f; chmod 100 a/f'
hazard a_symlink_to_a_file_retargeted_is_seen '>f; chmod 755 f; >g; chmod 700 g; ln -s f l' 'l' 'ln -sf g l' 'rm l'
hazard a_file_moved_away_with_its_directory_is_gone 'mkdir -p a/b; >a/b/f' 'a/b/f' 'mv a c' 'mv c a'
hazard an_executable_made_plain_is_seen '>f; chmod 755 f' 'f' 'chmod 644 f' 'chmod 744 f'

# ---- 12. one inode, several names and roles ----

hazard two_names_of_one_directory_both_see_a_change 'mkdir d m; ln -s d l; mount --bind d m' 'd/x l/x m/x' '>m/x' 'rm d/x' '>l/x'
hazard one_file_asked_by_two_links_is_seen_through_both '>f; chmod 755 f; ln f g' 'f g' 'chmod 000 f' 'chmod 755 g' 'rm f'
hazard a_directory_listed_and_asked_for_itself_keeps_both 'mkdir d' 'd d/x' '>d/x' 'chmod 711 d' 'rm d/x'
hazard a_directory_asked_for_itself_then_listed_keeps_both 'mkdir d' 'd d/x d/y' 'chmod 711 d' 'chmod 755 d; >d/x' '>d/y'
hazard a_directory_listed_and_on_a_chain_keeps_both 'mkdir -p d/e q/e; >q/e/y' 'd/x d/e/y' '>d/x' 'mv d o; mv q d'
hazard a_chain_then_listed_keeps_both 'mkdir -p d/e; >d/e/f' 'd/e/f d/e/y d/x' '>d/x' '>d/e/y' 'rm d/e/f' 'rm -r d; mkdir -p d/e; >d/e/f'
hazard a_directory_that_holds_a_link_and_is_listed_keeps_both 'mkdir -p d/v1 d/v2; >d/v2/x; ln -s v1 d/c' 'd/x d/c/x d/c' '>d/x' 'ln -sfn v2 d/c' 'rm d/x'
hazard -k one_of_two_chains_ended_leaves_the_other_watched 'mkdir -p a/s; ln -s a/s l1; mkdir b; ln -s ../a/s b/l2' 'l1/x b/l2/x' 'rm l1' '>a/s/x' 'rm a/s/x; mkdir b2; ln -s b2 l1'

# ---- 13. to 15. file systems that change by themselves ----

hazard -n a_change_in_a_fuse_source_is_seen 'mkdir s m; bindfs s m' 'm/x m/d/y' '>s/x' 'mkdir s/d; >s/d/y' 'rm s/x' 'umount m'
hazard -n a_change_through_a_fuse_mount_is_seen 'mkdir s m; bindfs s m; chmod 777 s' 'm/x' '>m/x' 'rm m/x'
hazard -n a_fuse_mount_in_the_middle_is_seen 'mkdir -p s/a/b m; bindfs s m' 'm/a/b/x' '>s/a/b/x' 'mv s/a s/c'
overlay='mkdir lo up wk m; mkdir -p lo/d lo/e; >lo/d/f; chmod 755 lo/d/f; mount -t overlay o -o lowerdir=lo,upperdir=up,workdir=wk m'
hazard an_overlay_create_is_seen "$overlay" 'm/d/x m/x' '>m/d/x' '>m/x' 'rm m/d/x'
hazard an_overlay_chmod_that_copies_up_is_seen "$overlay" 'm/d/f' 'chmod 000 m/d/f' 'chmod 711 m/d/f'
hazard -k an_overlay_write_that_copies_up_changes_nothing "$overlay" 'm/d/f m/d/x' 'echo 1 >>m/d/f' 'chmod 000 m/d/f' '>m/d/x'
hazard an_overlay_whiteout_is_seen "$overlay" 'm/d/f' 'rm m/d/f' '>m/d/f'
hazard an_overlay_directory_removed_and_made_again_is_seen "$overlay" 'm/d/x ~m/d/f' 'rm -r m/d' 'mkdir m/d; >m/d/x'
hazard an_overlay_directory_copied_up_is_seen "$overlay" 'm/e/x m/e' 'chmod 711 m/e' '>m/e/x'
hazard an_overlay_directory_of_upper_renamed_is_seen "$overlay; mkdir m/a m/q; >m/q/x" 'm/a/x' 'mv m/a m/o; mv m/q m/a'
hazard an_overlay_symlink_retargeted_is_seen "$overlay; ln -s d m/c; >m/e/x" 'm/c/x' 'ln -sfn e m/c'
hazard an_overlay_lower_symlink_retargeted_is_seen 'mkdir lo up wk m lo/v1 lo/v2; >lo/v2/x; ln -s v1 lo/c; mount -t overlay o -o lowerdir=lo,upperdir=up,workdir=wk m' 'm/c/x' 'ln -sfn v2 m/c'
hazard an_overlay_lower_symlink_with_two_links_retargeted_is_seen 'mkdir lo up wk m lo/v1 lo/v2; >lo/v2/x; ln -s v1 lo/c; ln lo/c lo/c2 2>/dev/null || cp -lP lo/c lo/c2; mount -t overlay o -o lowerdir=lo,upperdir=up,workdir=wk m' 'm/c/x' 'echo 2 >/proc/sys/vm/drop_caches; ln -sfn v2 m/c'
hazard an_overlay_lower_file_with_two_links_is_seen "mkdir lo up wk m; >lo/f; chmod 755 lo/f; ln lo/f lo/g; mount -t overlay o -o lowerdir=lo,upperdir=up,workdir=wk m" 'm/f m/g' 'chmod 000 m/f' 'chmod 000 m/g'
hazard an_overlay_mounted_over_is_seen "$overlay; mkdir s; >s/x" 'm/d/x' 'mount --bind s m/d'
hazard an_overlay_umount_is_seen "$overlay" 'm/d/x ~m/d/f' 'umount m; mkdir m/d; >m/d/x'

# ---- 17. directories that cannot be watched ----

hazard -n -u a_directory_that_may_be_searched_but_not_read 'mkdir d; chmod 711 d' 'd/x d/y/z' '>d/x' 'mkdir d/y; >d/y/z' 'rm d/x'
hazard -n -u an_ancestor_that_may_be_searched_but_not_read 'mkdir -p d/e; chmod 711 d' 'd/e/x' '>d/e/x' 'mv d/e d/o; mkdir d/e'
hazard -n -u a_directory_that_may_be_written_and_searched_only 'mkdir d; chmod 733 d; chown $user d; chmod 311 d' 'd/x' '>d/x' 'rm d/x' "self: creat $case/d/x"

# ---- learning ----

is_root && hazard -n -u a_directory_that_may_be_listed_but_not_searched 'mkdir d; >d/f; chmod 744 d' 'd/x d/f d/g/h' 'chmod 755 d' '>d/x' 'chmod 744 d'
hazard -n -k a_chain_through_proc_self_is_not_cached 'mkdir d; ln -s /proc/self/cwd l' '/proc/self/cwd/var/nothing /proc/self/root/nothing l/nothing l/var' ':'
hazard a_file_in_the_middle_replaced_by_a_directory_is_seen 'mkdir a; >a/f' '~a/f/x/y ~a/f/x a/z' 'mv a/f a/g; mkdir -p a/f/x; >a/f/x/y' 'rm -r a/f; >a/f' 'rm a/f'
hazard a_directory_in_the_middle_replaced_by_a_file_is_seen 'mkdir -p a/f/x' 'a/f/x/y a/f/w/z' 'mv a/f a/g; >a/f' 'rm a/f; mkdir -p a/f/w; >a/f/w/z'
hazard -n a_symlink_in_a_sticky_directory_retargeted_is_seen 'mkdir v1 v2 s; chmod 1777 s; >v2/x; ln -s ../v1 s/c' 's/c/x' 'ln -sfn ../v2 s/c'
hazard a_directory_in_a_sticky_directory_is_served 'mkdir s s/d; chmod 1777 s' 's/d/x' '>s/d/x'
finish
