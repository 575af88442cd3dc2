# source: make-dfsg
# served: make
# GNU make's own tests, by run_make_tests.pl: a result a category and test. It gives make none of its own environment but
# what a list names; the library's variables are added to it.
build()
{
	[ -e configure ] || autoreconf -fi >/dev/null 2>&1
	sed -i "s/^ *'LD_LIBRARY_PATH',$/& 'LD_PRELOAD', 'FASTPATH', 'FASTPATH_TEST', 'FASTPATH_STATS', 'FASTPATH_SESSION',/" tests/test_driver.pl
	grep -q FASTPATH tests/test_driver.pl && ./configure -q && make -s
}
run()
{
	cd tests || exit
	perl ./run_make_tests.pl -srcdir "$PWD/.." -make "$PWD/../make" >log 2>&1 </dev/null
	sed -n -E 's/^([a-z]+\/[A-Za-z0-9_.+-]+) \.+ *(.*)/\1: \2/p; /^[0-9]+ Tests? .*/p' log
}
