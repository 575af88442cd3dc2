# served: make
# normalise: s/make\[[0-9]+\]/make[N]/g
# make with implicit rules, VPATH, optional includes, $(wildcard), recursion, -j4, -n, -t, -q and what cannot be made.
prepare()
{
	mkdir -p sources sub vpath-1 vpath-2 vpath-3
	for n in 1 2 3 4 5 6 7 8; do echo "int f$n(void) { return $n; }" >sources/f$n.c; done
	echo 'int main(void) { return 0; }' >vpath-3/main.c
	cat >Makefile <<'M'
here := $(CURDIR)
VPATH := $(here)/vpath-1:$(here)/vpath-2:$(here)/vpath-3:$(here)/sources
objects := $(foreach n,1 2 3 4 5 6 7 8,$(here)/f$(n).o)
-include $(here)/none.mk $(objects:.o=.d)
$(info wildcard $(sort $(notdir $(wildcard $(here)/sources/*.c $(here)/none/*.c))) shell $(shell [ -e $(here)/none ] || echo none))
all: $(here)/main sub
$(here)/main: main.o $(objects)
	$(CC) -o $@ $^
$(here)/%.o: %.c
	$(CC) -MD -c -o $@ $<
main.o: main.c
	$(CC) -c -o $@ $<
sub: ; $(MAKE) -C sub
fails: ; @exit 3
command: ; no-such-command
parts: $(here)/absent-one $(here)/absent-two
.PHONY: all sub
M
	printf 'all: made\nmade:\n\techo sub >made\n' >sub/Makefile
}
run()
{
	make -r -n | sort
	make -s -j4 && ./main; echo "status $?"
	make --no-print-directory; echo "status $?"
	make -q; echo "status $?"
	touch sources/f3.c && make --no-print-directory
	rm f5.o && make --no-print-directory -j2
	touch none.mk && make -s && rm none.mk
	for goal in fails command parts not-there; do make -s "$goal"; echo "status $?"; done
	make -s -k parts fails; echo "status $?"
	make -f no-such-makefile; echo "status $?"
	make -p -n | grep -E -c '^[^#=]*:([^=]|$)'
}
"$1"
