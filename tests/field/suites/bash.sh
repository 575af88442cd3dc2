# source: bash
# served: bash
# bash's own tests, one script of tests/run-* a result: what it prints, which is how its output differs from what is
# right (as an ordinary user and without a terminal some do).
build() { ./configure -q && make -s && make -s recho zecho printenv xcase; }
run()
{
	cd tests || exit
	export THIS_SH=$PWD/../bash PATH=$PWD/..:.:$PATH TMPDIR=$PWD/tmp BASH_TSTOUT=$PWD/tmp/out
	mkdir -p tmp
	for t in run-*; do
		case $t in run-all | run-minimal | run-gprof) continue ;; esac
		result "$t" sh "./$t"
	done
}
