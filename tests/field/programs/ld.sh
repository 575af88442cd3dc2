# served: .*ld(\.bfd|\.gold)?
# ld searches twenty -L directories, a linker script's INPUT and rpath-link; gold too where it is.
prepare()
{
	for d in $(seq 20); do mkdir "lib-$d"; done
	echo 'int deep(void) { return 7; }' >deep.c
	echo 'int deep(void); int one(void) { return deep(); }' >one.c
	echo 'int one(void); int main(void) { return one(); }' >main.c
	gcc -shared -fPIC deep.c -o lib-20/libdeep.so
	gcc -shared -fPIC one.c -o lib-19/libone.so -L lib-20 -ldeep
	gcc -c main.c -o main.o
	echo 'INPUT(-lone)' >lib-18/libscript.so
}
run()
{
	L=$(printf -- "-L$PWD/lib-%d " $(seq 20))
	for linker in bfd gold; do
		command -v ld.$linker >/dev/null || continue
		gcc -fuse-ld=$linker main.o $L -lscript -ldeep -Wl,-rpath,"$PWD/lib-19:$PWD/lib-20" -o main-$linker
		./main-$linker; echo "$linker: status $?"
		sha256sum main-$linker
		ld.$linker -r main.o -o again.o && sha256sum again.o
		ld.$linker $L main.o -lnone-of-these -lone; echo "$linker: status $?"
		ld.$linker $L no-such.o; echo "$linker: status $?"
		ld.$linker -T no-such-script main.o; echo "$linker: status $?"
	done
	ld.bfd $L --trace -shared main.o -lone -ldeep -rpath-link "$PWD/lib-1:$PWD/lib-20" -o traced.so
}
"$1"
