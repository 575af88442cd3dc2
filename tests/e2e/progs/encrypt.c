/*
 * encrypt.c - an encrypted directory with a fixed key: encrypt add MOUNT; encrypt policy DIR MOUNT
 * (DIR: an empty directory, after add); encrypt remove MOUNT. Exit status 77 where there is no
 * fscrypt.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fscrypt.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int identify(const char *path)
{
	char p[4200];
	int fd;

	snprintf(p, sizeof p, "%s/.key-identifier", path);
	fd = open(p, O_RDWR | O_CREAT, 0644);
	return fd;
}

static int end(const char *what, int r)
{
	if (r == 0)
		return 0;
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	return errno == EOPNOTSUPP || errno == ENOTTY || errno == ENOPKG ? 77 : 1;
}

int main(int argc, char **argv)
{
	union {
		struct fscrypt_add_key_arg a;
		unsigned char bytes[sizeof(struct fscrypt_add_key_arg) + 64];
	} key;
	int fd, id;

	if (argc < 3)
		return 2;
	fd = open(argv[2], O_RDONLY | O_DIRECTORY);
	if (fd < 0)
		return end(argv[2], -1);
	if (!strcmp(argv[1], "add")) {
		memset(&key, 0x5a, sizeof key);
		memset(&key.a, 0, sizeof key.a);
		key.a.key_spec.type = FSCRYPT_KEY_SPEC_TYPE_IDENTIFIER;
		key.a.raw_size = 64;
		if (ioctl(fd, FS_IOC_ADD_ENCRYPTION_KEY, &key.a))
			return end("adding the key", -1);
		id = identify(argv[2]);
		return write(id, key.a.key_spec.u.identifier, FSCRYPT_KEY_IDENTIFIER_SIZE) < 0;
	}
	if (!strcmp(argv[1], "policy") && argc == 4) {
		struct fscrypt_policy_v2 p = {.version = FSCRYPT_POLICY_V2,
					      .contents_encryption_mode = FSCRYPT_MODE_AES_256_XTS,
					      .filenames_encryption_mode = FSCRYPT_MODE_AES_256_CTS,
					      .flags = FSCRYPT_POLICY_FLAGS_PAD_32};

		id = identify(argv[3]);
		if (read(id, p.master_key_identifier, sizeof p.master_key_identifier) < 0)
			return 1;
		return end("setting the policy", ioctl(fd, FS_IOC_SET_ENCRYPTION_POLICY, &p));
	}
	if (!strcmp(argv[1], "remove")) {
		struct fscrypt_remove_key_arg r;

		memset(&r, 0, sizeof r);
		r.key_spec.type = FSCRYPT_KEY_SPEC_TYPE_IDENTIFIER;
		id = identify(argv[2]);
		if (read(id, r.key_spec.u.identifier, FSCRYPT_KEY_IDENTIFIER_SIZE) < 0)
			return 1;
		return end("removing the key", ioctl(fd, FS_IOC_REMOVE_ENCRYPTION_KEY, &r));
	}
	return 2;
}
