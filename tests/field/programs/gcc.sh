# served: cc1|collect2|lto1
# normalise: s/ltrans[0-9]+/ltrans/g
# gcc finds headers in twenty directories, makes the same objects, says the same of what is missing, and
# runs its own programs (cpp, as, collect2, lto-wrapper, make for LTO).
prepare()
{
	for d in $(seq 20); do
		mkdir -p "include-$d/deep"
		echo "static inline int f$d(void) { return $d; }" >"include-$d/deep/header-$d.h"
	done
	{ for d in $(seq 20); do echo "#include <deep/header-$d.h>"; done
	  echo '#include <stdio.h>'
	  echo 'int other(void);'
	  echo 'int main(void) { printf("%d %d\n", f7() + f20(), other()); return 3; }'; } >main.c
	echo 'int other(void) { return 40; }' >other.c
	echo '#include <deep/not-there.h>' >broken.c
}
run()
{
	I=$(printf -- "-I$PWD/include-%d " $(seq 20))
	gcc $I -O2 -g -c main.c -o main.o && gcc -O2 -c other.c -o other.o
	gcc main.o other.o -o main
	./main; echo "status $?"
	sha256sum main.o other.o main
	gcc $I -M main.c
	gcc $I -c broken.c; echo "status $?"
	gcc -c no-such-file.c; echo "status $?"
	gcc main.o other.o -L "$PWD/include-1" -lnot-there -o none; echo "status $?"
	gcc $I -flto -O2 main.c other.c -o lto && ./lto; echo "status $?"
	gcc $I -pipe -save-temps -c main.c && sha256sum main.i main.s
	gcc -print-file-name=libnothing.so; gcc -print-prog-name=ld; gcc -print-search-dirs
	printf 'int x;\n' | gcc -x c -c - -o - >/dev/null; echo "status $?"
	gcc -wrapper "$PWD/no-wrapper" -c other.c; echo "status $?"
}
"$1"
