# served: clang.*
# normalise: s/(main|broken|storm)-[0-9a-f]{6}/\1-TEMPORARY/g
# clang finds headers in twenty directories; modules' maps, a compilation database that is not there, scan-deps.
prepare()
{
	for d in $(seq 20); do
		mkdir -p "include-$d"
		echo "static inline int f$d(void) { return $d; }" >"include-$d/header-$d.h"
	done
	{ for d in $(seq 20); do echo "#include <header-$d.h>"; done
	  echo '#include <stdio.h>'
	  echo '#include <stdlib.h>'
	  echo 'int main(void) { printf("%d\n", f7() + f20()); return 3; }'; } >main.c
	echo '#include <not-there.h>' >broken.c
}
run()
{
	I=$(printf -- "-I$PWD/include-%d " $(seq 20))
	clang $I -O2 -g -c main.c -o main.o && clang main.o -o main
	./main; echo "status $?"
	sha256sum main.o main
	clang $I -M main.c
	clang $I -c broken.c; echo "status $?"
	clang -c no-such-file.c; echo "status $?"
	clang main.o -lnot-there -o none; echo "status $?"
	clang $I -fmodules -fmodules-cache-path="$PWD/modules" -fsyntax-only main.c; echo "status $?"
	clang $I --analyze main.c; echo "status $?"
	clang -print-search-dirs
}
"$1"
