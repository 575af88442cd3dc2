# source: coreutils
# served: .*
# GNU coreutils' own tests (make check, without gnulib's): a result a test. COREUTILS_TESTS: only these, of their directory.
build() { ./configure -q && make -s; }
run()
{
	make -k -j"$(nproc)" check SUBDIRS=. VERBOSE= ${COREUTILS_TESTS:+TESTS="$COREUTILS_TESTS"} >log 2>&1 </dev/null
	find tests -name '*.trs' | sort | while read -r t; do
		echo "${t%.trs}: $(sed -n 's/^:test-result: //p' "$t" | sed 's/ .*//' | sort | uniq -c | tr -s ' \n' ' ')"
	done
}
