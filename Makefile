# fastpath: `make quickstart` builds and runs the main job, `make check` passes the tests.

CC      ?= gcc
PREFIX  ?= /usr/local
LIBDIR  ?= $(PREFIX)/lib
DESTDIR ?=
B       := build
Q       := $(if $(V),,@)

# The one list of what is needed from the distribution (Debian, Ubuntu).
DEPS := gcc make libc6-dev libseccomp-dev libunwind-dev python3 \
	clang clang-tidy cppcheck valgrind strace eatmydata bash dash zsh perl attr acl \
	bindfs xfsprogs btrfs-progs squashfs-tools erofs-utils fakeroot fakechroot util-linux

CFLAGS   ?= -O2 -g
WARNINGS := -Wall -Wextra -Werror -Wmissing-prototypes -Wshadow -Wvla
ALL_CFLAGS = -std=gnu11 -D_GNU_SOURCE $(CFLAGS) $(WARNINGS) -Iinclude -Ishim -fvisibility=hidden

# The library is loaded by every exec of a tree: one page of data, no relocation that needs a
# symbol lookup, no start-up code, nothing from libc at link time.
LIB_CFLAGS  = $(ALL_CFLAGS) -fPIC -fno-builtin -fno-stack-protector -fno-plt \
	-fasynchronous-unwind-tables -fno-strict-aliasing -fno-delete-null-pointer-checks
LIB_LDFLAGS = -shared -nostdlib -Wl,-soname,libfastpath.so -Wl,--version-script=shim/fastpath.map \
	-Wl,-init=scope_start -Wl,-fini=scope_end -Wl,--hash-style=gnu -Wl,-z,noseparate-code \
	-Wl,-z,norelro -Wl,-z,max-page-size=4096 -Wl,--gc-sections -Wl,--build-id

CORE_SRC := $(wildcard shim/base/*.c shim/cache/*.c shim/authority/*.c)
LIB_SRC  := $(CORE_SRC) $(wildcard shim/preload/*.c)
HEADERS  := $(wildcard include/*.h shim/*/*.h tests/*.h)
LIB_OBJ  := $(LIB_SRC:%.c=$(B)/lib/%.o)

UNIT := $(patsubst tests/unit/%.c,%,$(wildcard tests/unit/*.c))
RACE := $(patsubst tests/race/%.c,%,$(wildcard tests/race/*.c))
E2E  := $(wildcard tests/e2e/*.sh)
BENCH := $(patsubst bench/%.c,%,$(wildcard bench/*.c))
EXAMPLES := $(patsubst examples/%.c,%,$(wildcard examples/*.c))

all: $(B)/libfastpath.so $(EXAMPLES:%=$(B)/examples/%)

$(B)/libfastpath.so: $(LIB_OBJ) shim/fastpath.map
	$(Q)$(CC) $(LIB_CFLAGS) $(LIB_LDFLAGS) -o $@ $(LIB_OBJ)

$(B)/lib/%.o: %.c $(HEADERS) Makefile
	@mkdir -p $(@D)
	$(Q)$(CC) $(LIB_CFLAGS) -c -o $@ $<

$(B)/examples/%: examples/%.c include/fastpath.h
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu11 $(CFLAGS) $(WARNINGS) -Iinclude -o $@ $<

# Tests are hosted programs. Unit tests link with the core, race tests are run under the library;
# unit tests and those race tests that link with the core are also built under the sanitizers.
TEST_CFLAGS = $(ALL_CFLAGS) -Itests -pthread -fno-strict-aliasing -fno-delete-null-pointer-checks

$(B)/unit/%: tests/unit/%.c $(CORE_SRC) $(HEADERS) Makefile
	@mkdir -p $(@D)
	$(Q)$(CC) $(TEST_CFLAGS) -o $@ $< $(CORE_SRC)

SANITIZERS := address undefined thread
define sanitized
$(B)/unit-$(1)/%: tests/unit/%.c $(CORE_SRC) $(HEADERS) Makefile
	@mkdir -p $$(@D)
	$(Q)$(CC) $(TEST_CFLAGS) -fsanitize=$(1) -fno-sanitize-recover=all -o $$@ $$< $(CORE_SRC)
endef
$(foreach s,$(SANITIZERS),$(eval $(call sanitized,$(s))))

$(B)/race/%: tests/race/%.c $(HEADERS) Makefile
	@mkdir -p $(@D)
	$(Q)$(CC) $(TEST_CFLAGS) -o $@ $<

$(B)/bench/%: bench/%.c $(HEADERS) Makefile
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu11 -O2 -g $(WARNINGS) -Iinclude -pthread -o $@ $<

tests: all $(UNIT:%=$(B)/unit/%) $(RACE:%=$(B)/race/%) $(BENCH:%=$(B)/bench/%)
bench: all $(BENCH:%=$(B)/bench/%)

clean:
	rm -rf $(B)

.PHONY: all tests bench clean
.DELETE_ON_ERROR:
