# served: ninja|cc1|bash|dash
# ninja asks relatively for what its file names so; here everything is absolute. Dependency files, restat,
# what is missing, and a file that appears.
prepare()
{
	for n in $(seq 12); do
		printf '#include "header-%d.h"\nint f%d(void) { return H%d; }\n' "$n" "$n" "$n" >f$n.c
		echo "#define H$n $n" >header-$n.h
	done
	echo 'int main(void) { return 0; }' >main.c
}
run()
{
	{ printf 'rule cc\n  command = gcc -MD -MF $out.d -c $in -o $out\n  depfile = $out.d\n  deps = gcc\n'
	  printf 'rule ld\n  command = gcc $in -o $out\n'
	  for n in $(seq 12); do echo "build $PWD/f$n.o: cc $PWD/f$n.c"; done
	  echo "build $PWD/main.o: cc $PWD/main.c"
	  echo "build $PWD/main: ld $PWD/main.o $(printf "$PWD/f%d.o " $(seq 12))"
	  echo "build $PWD/never.o: cc $PWD/never.c"
	  echo "default $PWD/main"; } >build.ninja
	ninja -j1 -v; echo "status $?"
	ninja -n; echo "status $?"
	echo '#define H4 44' >header-4.h
	ninja -j1; echo "status $?"
	ninja never.o; echo "status $?"
	ninja "$PWD/never.o"; echo "status $?"
	echo 'int late;' >never.c
	ninja "$PWD/never.o"; echo "status $?"
	ninja -t clean; ninja -j4 | tail -n 1 | cut -c 1-7; sha256sum main
	ninja -C "$PWD/none"; echo "status $?"
}
"$1"
