#!/bin/sh
# project.sh - configure and make of a small C project with a configure script that does what
# autoconf's do: it looks for programs in PATH, compiles and links small files to see what works, and
# fills in templates by sed. autoconf itself is not needed.
case $1 in
describe)
	echo "configure command configure of a small project: searches of PATH, trial compilations, sed"
	echo "make command make of a small project: 6 files and a library"
	exit
	;;
run)
	case $2 in
	configure) exec ./configure >/dev/null ;;
	make) exec make -s -B -j "$(nproc)" ;;
	esac
	;;
esac

for tool in gcc make ar sed grep expr; do
	command -v $tool >/dev/null || { echo "$tool is not installed"; exit 77; }
done
mkdir src

cat >configure <<'SCRIPT'
#!/bin/sh
exec 5>config.log
: >confdefs.h
trap 'rm -f conftest*' 0

# find VARIABLE NAME...: the first of these programs that is in PATH.
find()
{
	variable=$1
	shift
	for name; do
		save=$IFS
		IFS=:
		for directory in $PATH; do
			IFS=$save
			if test -f "$directory/$name" && test -x "$directory/$name"; then
				echo "checking for $name... $directory/$name"
				eval "$variable=\$directory/\$name"
				return
			fi
		done
		IFS=$save
		echo "checking for $name... no"
	done
	eval "$variable=:"
}

# try ACTION NAME: compiles conftest.c, or links it too; what works is defined.
try()
{
	if test "$1" = link; then
		set -- "$2" "$CC $CFLAGS conftest.c -o conftest"
	else
		set -- "$2" "$CC $CFLAGS -c conftest.c"
	fi
	rm -f conftest.o conftest
	symbol=HAVE_`echo "$1" | sed 'y%abcdefghijklmnopqrstuvwxyz./-%ABCDEFGHIJKLMNOPQRSTUVWXYZ___%'`
	if $2 2>conftest.err; then
		echo "checking for $1... yes"
		echo "#define $symbol 1" >>confdefs.h
		substitutions="$substitutions
s/^#undef $symbol\$/#define $symbol 1/"
	else
		echo "checking for $1... no"
		grep -v '^ *+' conftest.err >&5
		sed 's/^/| /' conftest.c >&5
	fi
}

header()
{
	{ cat confdefs.h; echo "#include <$1>"; echo "int main(void) { return 0; }"; } >conftest.c
	try compile "$1"
}

function()
{
	{ cat confdefs.h; echo "char $1(void); int main(void) { return $1(); }"; } >conftest.c
	try link "$1"
}

CFLAGS=-O1\ -fno-builtin substitutions=
find INSTALL ginstall scoinst install
find AWK gawk mawk nawk awk
find CC i686-unknown-cc i686-unknown-gcc gcc
find AR i686-unknown-ar ar
find RANLIB i686-unknown-ranlib ranlib
find GREP ggrep grep
for name in stdio.h stdlib.h string.h unistd.h fcntl.h sys/stat.h sys/time.h io.h sys/no-such.h no-such.h; do
	header $name
done
for name in strdup mkfifo no_such_function; do
	function $name
done
width=`expr "x$CC" : 'x.*'`
echo "width $width" >&5
for file in Makefile src/config.h; do
	sed "s|@CC@|$CC|;s|@AR@|$AR|;s|@CFLAGS@|$CFLAGS|$substitutions" $file.in >conftest.out
	cmp -s conftest.out $file || mv conftest.out $file
	echo "creating $file"
done
SCRIPT
chmod +x configure

cat >src/config.h.in <<'TEMPLATE'
#undef HAVE_STDIO_H
#undef HAVE_STDLIB_H
#undef HAVE_STRING_H
#undef HAVE_UNISTD_H
#undef HAVE_FCNTL_H
#undef HAVE_SYS_STAT_H
#undef HAVE_SYS_TIME_H
#undef HAVE_IO_H
#undef HAVE_SYS_NO_SUCH_H
#undef HAVE_NO_SUCH_H
#undef HAVE_STRDUP
#undef HAVE_MKFIFO
#undef HAVE_NO_SUCH_FUNCTION
TEMPLATE
cat >Makefile.in <<'TEMPLATE'
CC = @CC@
CFLAGS = @CFLAGS@ -Isrc -Iinclude -Ilib
OBJECTS = src/part-1.o src/part-2.o src/part-3.o src/part-4.o src/part-5.o

project: src/main.o src/libparts.a
	$(CC) -o $@ src/main.o src/libparts.a
src/libparts.a: $(OBJECTS)
	rm -f $@
	@AR@ rcs $@ $(OBJECTS)
src/%.o: src/%.c src/config.h
	$(CC) $(CFLAGS) -c $< -o $@
TEMPLATE
{
	echo '#include "config.h"'
	echo '#include <stdio.h>'
	echo 'int part_1(void), part_2(void), part_3(void), part_4(void), part_5(void);'
	echo 'int main(void) { return puts("parts") + part_1() + part_2() + part_3() + part_4() + part_5(); }'
} >src/main.c
for n in 1 2 3 4 5; do
	{
		echo '#include "config.h"'
		echo '#include <errno.h>'
		echo '#include <stdlib.h>'
		echo '#include <string.h>'
		echo '#include <sys/stat.h>'
		echo "int part_$n(void) { struct stat s; return stat(\"part-$n\", &s) ? errno : $n; }"
	} >src/part-$n.c
done
[ "$2" = configure ] || ./configure >/dev/null
