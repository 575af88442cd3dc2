/*
 * subject.h - whom the kernel takes a process for when it decides about paths: facts may be shared by
 * processes that are the same subject, and by no others.
 */
#ifndef BASE_SUBJECT_H
#define BASE_SUBJECT_H

#include <stdbool.h>
#include <stdint.h>

/* Compared as bytes: no padding. */
struct subject {
	uint32_t uid, gid;   /* real, effective and saved ones are the same */
	uint64_t groups;     /* hash of the supplementary groups */
	uint64_t permitted;  /* capabilities; the effective ones follow from them */
	uint64_t root_mount; /* unique id of the mount of "/": also tells mount namespaces apart */
	uint64_t root_ino, root_dev;
	uint64_t label;	     /* hash of the security label; 0: none that matters */
};

/* The calling thread's, without label. False: it cannot be known, or access(2) asks for other rights than
 * open(2) does. */
bool subject_read(struct subject *out);

/* Adds the label, where a security module with labels may decide about paths. False: it cannot be known. */
bool subject_read_label(struct subject *out);

/* Inode number of the calling thread's user namespace; 0: not known. It costs more than all of the above. */
uint64_t subject_user_namespace(void);

/* Is there a seccomp filter? It may end whoever makes a call that it does not expect: to be asked first. */
bool subject_is_filtered(void);

bool subject_equal(const struct subject *a, const struct subject *b);

/* Is there a security label other than AppArmor's "unconfined"? True also when it cannot be known. */
bool subject_is_labelled(void);

/* Do these capabilities, as capget(2) gives them, go with real ids as effective ones? */
struct __user_cap_data_struct;
bool subject_caps_are_plain(const struct __user_cap_data_struct *caps, uint32_t uid);

#endif
