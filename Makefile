# fastpath: `make quickstart` builds and runs the main job, `make check` passes the tests.

CC      ?= gcc
PREFIX  ?= /usr/local
# The loader's $LIB: lib/x86_64-linux-gnu, lib64 or lib. There a preload is found by its bare name, after ldconfig.
LOADER_LIB := $(or $(addprefix lib/,$(shell $(CC) -print-multiarch 2>/dev/null)),$(notdir $(shell \
	$(CC) -print-multi-os-directory 2>/dev/null)),lib)
LIBDIR  ?= $(PREFIX)/$(LOADER_LIB)
# Where the loaders of 32-bit programs would look for the same name.
LIBDIR32 ?= $(foreach to,lib/i386-linux-gnu lib32,$(patsubst %/lib/x86_64-linux-gnu,%/$(to),\
	$(filter %/lib/x86_64-linux-gnu,$(LIBDIR)))) $(patsubst %/lib64,%/lib,$(filter %/lib64,$(LIBDIR)))
MANDIR  ?= $(PREFIX)/share/man
DESTDIR ?=
B       := build
VERSION := $(shell sed -n 's/^\#define FASTPATH_VERSION  *"\(.*\)"/\1/p' include/fastpath.h)
Q       := $(if $(V),,@)
PROCESSORS := $(shell nproc 2>/dev/null || echo 1)

# The one list of what is needed from the distribution (Debian, Ubuntu).
DEPS := gcc make libc6-dev linux-libc-dev libseccomp-dev libunwind-dev libjansson-dev python3 \
	clang clang-tidy cppcheck valgrind strace eatmydata bash dash zsh perl attr acl git autoconf automake \
	bindfs fuse3 xfsprogs btrfs-progs squashfs-tools erofs-utils fakeroot fakechroot util-linux libcap2-bin e2fsprogs man-db file binutils procps chromium \
	mandoc fish spin cmake $(if $(filter x86_64-%,$(shell $(CC) -dumpmachine 2>/dev/null)),libc6-i386)
# libFuzzer, where it is not in clang's own package (as in Ubuntu 22.04, which does not know this one).
DEPS_FUZZ := libclang-rt-dev

# What check-cross needs besides. gcc-multilib excludes Debian's cross compilers: i386 has one too.
CROSS_DEPS := gcc-aarch64-linux-gnu libc6-dev-arm64-cross gcc-riscv64-linux-gnu libc6-dev-riscv64-cross \
	gcc-i686-linux-gnu libc6-dev-i386-cross qemu-user binutils

CFLAGS   ?= -O2 -g
WARNINGS := -Wall -Wextra -Werror -Wmissing-prototypes -Wshadow -Wvla
ALL_CFLAGS = -std=gnu11 -D_GNU_SOURCE $(CFLAGS) $(WARNINGS) -Iinclude -Ishim -fvisibility=hidden

# What the compiler compiles for: x86_64, i386, aarch64, riscv64.
TARGET := $(if $(filter -m32,$(CC) $(CFLAGS)),i386,$(patsubst i%86,i386,$(firstword $(subst -, ,$(shell $(CC) -dumpmachine)))))
# The largest page that a kernel of the target may have: where segments are not aligned so, it does not load the library.
# PAGE_MOST in shim/base/page.h is the same.
MAX_PAGE := $(if $(filter aarch64,$(TARGET)),65536,4096)
# x86 linkers make direct calls of those through the GOT; others would leave a relocation for each. What gcc has
# aarch64 programs call to see which atomic instructions there are, asks libc.
TARGET_CFLAGS := $(if $(filter x86_64 i386,$(TARGET)),-fno-plt) $(if $(filter aarch64,$(TARGET)),-mno-outline-atomics)

MAP := shim/fastpath$(if $(filter i386,$(TARGET)),.i386).map

# The library is loaded by every exec of a tree: one page of data, one relocation, no start-up code,
# nothing from libc at link time; of libgcc what an architecture has no instructions for.
LIB_CFLAGS  = $(ALL_CFLAGS) -DFP_LIBRARY -fPIC -fno-builtin -fno-stack-protector $(TARGET_CFLAGS) \
	-fasynchronous-unwind-tables -fno-strict-aliasing -fno-delete-null-pointer-checks
LIB_LDFLAGS = -shared -nostdlib -Wl,-soname,libfastpath.so -Wl,--version-script=$(MAP) -Wl,-T,shim/order.ld \
	-Wl,-init=scope_start -Wl,-fini=scope_end -Wl,--hash-style=gnu -Wl,-z,noseparate-code \
	-Wl,-z,norelro -Wl,-z,max-page-size=$(MAX_PAGE) -Wl,--gc-sections -Wl,--build-id

CORE_SRC := $(wildcard shim/base/*.c shim/cache/*.c shim/authority/*.c)
LIB_SRC  := $(CORE_SRC) $(wildcard shim/preload/*.c)
TOOL_SRC := $(CORE_SRC) $(wildcard shim/broker/*.c shim/bench/*.c shim/audit/*.c shim/cli/*.c)
PAGE_SRC := $(wildcard shim/cli/page*.c)
# What unit tests are linked with.
TESTED_SRC := $(CORE_SRC) $(PAGE_SRC) $(wildcard shim/bench/*.c shim/cli/statistics*.c) $(addprefix shim/cli/,names.c member.c message.c) \
	$(addprefix shim/audit/,names.c facts.c calls.c origin.c model.c symbol.c)
HEADERS  := $(wildcard include/*.h shim/*/*.h tests/*.h tests/*/*.h bench/*.h bench/suite/*.h)
# In the order of linking: what every call and every forked child runs through comes first, together.
HOT_SRC  := $(addprefix shim/,base/settings.c preload/descriptor.c preload/scope.c preload/next.c preload/client.c base/path.c preload/exec.c \
	preload/access.c preload/stat.c preload/session.c preload/ledger.c authority/bill.c preload/open.c preload/readlink.c \
	preload/realpath.c preload/syscall.c)
LIB_OBJ  := $(patsubst %.c,$(B)/lib/%.o,$(HOT_SRC) $(filter-out $(HOT_SRC),$(LIB_SRC)))

UNIT     := $(patsubst tests/unit/%.c,%,$(wildcard tests/unit/*.c))
RACE     := $(patsubst tests/race/%.c,%,$(wildcard tests/race/*.c))
PROGS    := $(patsubst tests/e2e/progs/%.c,%,$(wildcard tests/e2e/progs/*.c))
BENCH    := $(patsubst bench/%.c,%,$(wildcard bench/*.c))
EXAMPLES := $(patsubst examples/%.c,%,$(wildcard examples/*.c))
E2E      := $(sort $(filter-out tests/e2e/lib.sh,$(wildcard tests/e2e/*.sh)))
SANITIZERS := address undefined thread

# What `fastpath bench` runs: one file a workload, and the programs that they execute.
SUITE    := $(patsubst bench/suite/%.c,%,$(wildcard bench/suite/*.c)) \
	$(patsubst bench/suite/%.sh,%,$(wildcard bench/suite/*.sh)) programs/static programs/dynamic

PAGES    := $(wildcard man/*.[1-8])

# What a 32-bit program finds in the library's place: nothing, silently. A loader that finds no file complains. Where
# the compiler cannot make it, there is none.
NARROW   := $(if $(strip $(LIBDIR32)),$(shell $(CC) -m32 -c -x c /dev/null -o /dev/null 2>/dev/null && echo $(B)/32/libfastpath.so))

all: $(B)/libfastpath.so $(NARROW) $(B)/fastpath $(EXAMPLES:%=$(B)/examples/%) $(SUITE:%=$(B)/bench-suite/%) $(PAGES:%=$(B)/%)

$(B)/libfastpath.so: $(LIB_OBJ) $(MAP) shim/order.ld
	$(Q)$(CC) $(LIB_CFLAGS) $(LIB_LDFLAGS) -o $@.new $(LIB_OBJ) -lgcc && mv $@.new $@

$(B)/32/libfastpath.so: Makefile
	@mkdir -p $(@D)
	$(Q)$(CC) -m32 -shared -nostdlib -Wl,-soname,libfastpath.so -Wl,--hash-style=gnu -Wl,-z,noexecstack -x c /dev/null -s -o $@

# The command: a hosted program, executed once a session. Static, it starts with half the page faults.
$(B)/fastpath: $(TOOL_SRC:%.c=$(B)/core/%.o)
	$(Q)$(CC) $(TEST_CFLAGS) -static -o $@ $^ -ljansson -lm -lseccomp -lunwind-ptrace -lunwind-generic -lunwind -llzma

$(B)/core/shim/cli/library.o: TEST_CFLAGS += -DFASTPATH_LIBDIR='"$(LIBDIR)"'
$(B)/core/shim/cli/library.o: $(B)/libdir

# Another LIBDIR than last time: `make` and then `make install LIBDIR=...` is how it is installed.
ifneq ($(LIBDIR),$(shell cat $(B)/libdir 2>/dev/null))
.PHONY: $(B)/libdir
endif
$(B)/libdir:
	@mkdir -p $(@D)
	$(Q)echo '$(LIBDIR)' >$@

$(B)/man/%: man/% include/fastpath.h
	@mkdir -p $(@D)
	$(Q)sed 's/@VERSION@/$(VERSION)/' $< >$@

# What is not hot is made small: the fewer pages, the fewer faults.
$(B)/lib/%.o: %.c $(HEADERS) Makefile
	@mkdir -p $(@D)
	$(Q)$(CC) $(LIB_CFLAGS) $(if $(filter $<,$(HOT_SRC)),,-Os) -c -o $@ $<

$(B)/examples/%: examples/%.c include/fastpath.h
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu11 $(CFLAGS) $(WARNINGS) -Iinclude -o $@ $<

# Tests are hosted programs. Unit tests link with the core and what is apart in cli/, and are built under each sanitizer too;
# race tests, helper programs and the differential test run under the library.
TEST_CFLAGS = $(ALL_CFLAGS) -Itests -pthread -fno-strict-aliasing

# The core, once for each way it is tested: plain, and under each sanitizer.
define tested
$(B)/core$(1)/%.o: %.c $(HEADERS) Makefile
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(TEST_CFLAGS) $(2) -c -o $$@ $$<

$(B)/unit$(1)/%: tests/unit/%.c $(TESTED_SRC:%.c=$(B)/core$(1)/%.o) $(HEADERS) Makefile
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(TEST_CFLAGS) $(2) -o $$@ $$< $(TESTED_SRC:%.c=$(B)/core$(1)/%.o) -ljansson -lm
endef
$(eval $(call tested,,))
$(foreach s,$(SANITIZERS),$(eval $(call tested,-$(s),-fsanitize=$(s) -fno-sanitize-recover=all)))

# Those that need no other library than libc: for an architecture whose libraries are not here.
CORE_UNIT := $(patsubst tests/unit/%.c,%,$(shell grep -LE '^.include "(audit|bench|cli)/' tests/unit/*.c))
$(B)/unit-core/%: tests/unit/%.c $(CORE_SRC:%.c=$(B)/core/%.o) $(HEADERS) Makefile
	@mkdir -p $(@D)
	$(Q)$(CC) $(TEST_CFLAGS) -o $@ $< $(CORE_SRC:%.c=$(B)/core/%.o) $(TEST_LDFLAGS)

$(B)/race/%: tests/race/%.c $(HEADERS) Makefile
	@mkdir -p $(@D)
	$(Q)$(CC) $(TEST_CFLAGS) -U_GNU_SOURCE -o $@ $<

# Its first line may say /* link: -lseccomp */.
$(B)/progs/%: tests/e2e/progs/%.c $(HEADERS) Makefile
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu11 -O2 -Wall -Wextra -Werror -Iinclude -pthread -o $@ $< \
		$$(sed -n '1s@^/\* link: \(.*\) \*/$$@\1@p' $<)

$(B)/progs/page: $(PAGE_SRC) shim/cli/message.c

$(B)/differential: tests/differential.c $(HEADERS) Makefile
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu11 -O2 -g -Wall -Wextra -Werror -Iinclude -pthread -rdynamic -o $@ $< $(TEST_LDFLAGS)

$(B)/abuse: tests/abuse.c tests/e2e/progs/raw.h $(HEADERS) Makefile
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu11 -D_GNU_SOURCE -O2 -g $(WARNINGS) -Iinclude -pthread -o $@ $<

# Not a program: a library that counts what fastpath passes on.
$(B)/bench/%.so: bench/shared/%.c Makefile
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu11 -O2 -g $(WARNINGS) -fPIC -shared -o $@ $<

$(B)/bench/%: bench/%.c $(HEADERS) Makefile
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu11 -O2 -g $(WARNINGS) -Iinclude -pthread -o $@ $<

$(B)/bench-suite/%: bench/suite/%.c $(HEADERS) Makefile
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu11 -O2 -g $(WARNINGS) -Iinclude -pthread -o $@ $<

$(B)/bench-suite/%: bench/suite/%.sh
	@mkdir -p $(@D)
	$(Q)install -m 755 $< $@

$(B)/bench-suite/programs/static: bench/suite/programs/true.c
	@mkdir -p $(@D)
	$(Q)$(CC) -O2 $(WARNINGS) -static -o $@ $<

$(B)/bench-suite/programs/dynamic: bench/suite/programs/true.c
	@mkdir -p $(@D)
	$(Q)$(CC) -O2 $(WARNINGS) -o $@ $<

# The fuzz targets: with clang, whatever CC is, since libFuzzer is its.
FUZZ_CC    ?= clang
FUZZ       := $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/*.c))
FUZZED_SRC := $(TESTED_SRC) $(addprefix shim/broker/,programs.c report.c)
FUZZ_FLAGS := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer

$(B)/core-fuzz/%.o: %.c $(HEADERS) Makefile
	@mkdir -p $(@D)
	$(Q)$(FUZZ_CC) $(TEST_CFLAGS) $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link -c -o $@ $<

$(B)/fuzz/%: tests/fuzz/%.c $(FUZZED_SRC:%.c=$(B)/core-fuzz/%.o) $(HEADERS) Makefile
	@mkdir -p $(@D)
	$(Q)$(FUZZ_CC) $(TEST_CFLAGS) $(FUZZ_FLAGS) -fsanitize=fuzzer -o $@ $< $(FUZZED_SRC:%.c=$(B)/core-fuzz/%.o) -ljansson -lm

fuzzers: $(FUZZ:%=$(B)/fuzz/%)

UNIT_BINARIES := $(UNIT:%=$(B)/unit/%)
SANITIZED_BINARIES := $(foreach s,$(SANITIZERS),$(UNIT:%=$(B)/unit-$(s)/%))

tests: all $(UNIT_BINARIES) $(RACE:%=$(B)/race/%) $(PROGS:%=$(B)/progs/%) $(B)/differential $(B)/abuse
tests: all $(UNIT_BINARIES) $(RACE:%=$(B)/race/%) $(PROGS:%=$(B)/progs/%) $(B)/differential
core: $(B)/libfastpath.so $(B)/differential $(CORE_UNIT:%=$(B)/unit-core/%)
bench: all $(BENCH:%=$(B)/bench/%) $(B)/bench/failures.so

# Needs root or sudo; says nothing where all is there.
deps:
	@missing=; for p in $(DEPS); do \
		dpkg-query -W -f '$${db:Status-Abbrev}' $$p 2>/dev/null | grep -q '^ii' || missing="$$missing $$p"; \
	done; \
	fuzz=; tests/fuzz.sh can >/dev/null || fuzz=$(DEPS_FUZZ); \
	[ -z "$$missing$$fuzz" ] || { sudo=; [ "$$(id -u)" = 0 ] || sudo=sudo; \
		$$sudo apt-get update -q >/dev/null && { apt-cache show $(DEPS_FUZZ) >/dev/null 2>&1 || fuzz=; } && \
		DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -y -q --no-install-recommends $$missing $$fuzz >/dev/null; } || \
		[ -z "$$missing" ]
	[ -z "$$missing" ] || { sudo=; [ "$$(id -u)" = 0 ] || sudo=sudo; \
		$$sudo apt-get update -q >/dev/null && \
		DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -y -q --no-install-recommends --no-remove $$missing >/dev/null; }

# The main job: gcc on a real C file, with the library's statistics of each process.
quickstart: deps
	@$(MAKE) --no-print-directory all
	@echo "FASTPATH=1 FASTPATH_STATS=1 LD_PRELOAD=$(B)/libfastpath.so gcc ..."
	@sh examples/quickstart.sh $(B)

# A second build with clang shows that both compilers are content.
check: deps
	@$(MAKE) --no-print-directory -j$(PROCESSORS) tests bench $(SANITIZED_BINARIES)
	@$(MAKE) --no-print-directory -j$(PROCESSORS) CC=clang B=$(B)/clang all tests
	@! tests/fuzz.sh can >/dev/null || $(MAKE) --no-print-directory -j$(PROCESSORS) fuzzers
	@RACE_SCALE=0.3 tests/run.sh tests/lint.sh tests/model.sh tests/fuzz.sh $(UNIT_BINARIES) $(SANITIZED_BINARIES) $(E2E)

# A few seconds: what the Debian packages are built with.
check-unit: $(UNIT_BINARIES)
	@tests/run.sh $(UNIT_BINARIES)

# Longer runs of what check runs briefly.
check-races: tests
	@RACE_SCALE=10 TEST_TIMEOUT=7200 tests/run.sh tests/e2e/races.sh
check-differential: tests
	@DIFFERENTIAL_SEEDS=200 TEST_TIMEOUT=7200 tests/run.sh tests/e2e/differential.sh
check-abuse: tests
	@ABUSE_ROUNDS=$${ABUSE_ROUNDS:-10} ABUSE_MS=$${ABUSE_MS:-2000} TEST_TIMEOUT=36000 tests/run.sh tests/e2e/abuse.sh
# FUZZ_SECONDS for each target, with another seed every time.
fuzz: fuzzers
	@FUZZ_SECONDS=$${FUZZ_SECONDS:-600} TEST_TIMEOUT=86400 V=1 tests/run.sh tests/fuzz.sh
# i386, aarch64 and RISC-V, and pages of 64 KiB: the library, its unit tests and the differential test.
check-cross: $(B)/libfastpath.so $(B)/fastpath
	@$(MAKE) --no-print-directory deps DEPS='$(CROSS_DEPS)' || echo 'what is not installed is skipped'
	@TEST_TIMEOUT=3600 V=1 tests/run.sh tests/cross.sh
# FASTPATH_VERIFY=1 over configure and make of Debian source packages, fetched into build/, in both scopes.
verify: all
	@tests/verify.sh $(B)
verify-tree: all
	@tests/verify.sh $(B) tree
# Real programs and foreign test suites, with and without the library; installs what they need. At most an hour.
check-field: tests
	@status=0; JOBS=1 TEST_TIMEOUT=3600 tests/run.sh tests/field.sh tests/foreign.sh || status=$$?; \
		cat $(B)/field/matrix.md; exit $$status
# An hour of mixed builds in one session.
soak: all
	@tests/soak.sh $(B)

# The Debian packages: built, installed, tried and removed in fresh systems of this release and others; under 15 minutes.
check-package: DEPS += debhelper dpkg-dev lintian debootstrap
check-package: deps
	@tests/package.sh $(B)

# SOURCE:MODE:PLACE of what is installed, and uninstalled.
INSTALLED := $(B)/libfastpath.so:755:$(LIBDIR)/libfastpath.so \
	$(foreach d,$(if $(NARROW),$(LIBDIR32)),$(NARROW):755:$(d)/libfastpath.so) \
	$(B)/fastpath:755:$(PREFIX)/bin/fastpath \
	include/fastpath.h:644:$(PREFIX)/include/fastpath.h \
	$(foreach w,$(SUITE),$(B)/bench-suite/$(w):755:$(PREFIX)/libexec/fastpath/bench/$(w)) \
	$(foreach p,$(PAGES),$(B)/$(p):644:$(MANDIR)/man$(subst .,,$(suffix $(p)))/$(notdir $(p))) \
	completions/fastpath.bash:644:$(PREFIX)/share/bash-completion/completions/fastpath \
	completions/_fastpath:644:$(PREFIX)/share/zsh/site-functions/_fastpath \
	completions/fastpath.fish:644:$(PREFIX)/share/fish/vendor_completions.d/fastpath.fish

# Into the running system: then the loader's cache has to know, if we may tell it.
LDCONFIG = $(if $(DESTDIR),,PATH=$$PATH:/usr/sbin:/sbin ldconfig 2>/dev/null || :)

install: all
	$(Q)set -e; for i in $(INSTALLED); do \
		from=$${i%%:*}; i=$${i#*:}; \
		install -D -m $${i%%:*} $$from '$(DESTDIR)'$${i#*:}; \
	done
	$(Q)$(LDCONFIG)

# Directories stay, but those that are ours alone.
uninstall:
	$(Q)set -e; for i in $(INSTALLED); do rm -f '$(DESTDIR)'$${i#*:*:}; done
	$(Q)for d in /bench/programs /bench ''; do \
		d='$(DESTDIR)$(PREFIX)/libexec/fastpath'$$d; \
		[ ! -d "$$d" ] || rmdir --ignore-fail-on-non-empty "$$d"; \
	done
	$(Q)$(LDCONFIG)

clean:
	rm -rf $(B)

.PHONY: all tests bench deps quickstart check check-races check-differential check-abuse verify verify-tree soak install uninstall check-field fuzzers fuzz check-unit check-package core check-cross clean
.DELETE_ON_ERROR:
.SECONDARY:
