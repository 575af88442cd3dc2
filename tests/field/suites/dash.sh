# source: dash busybox
# served: dash
# dash's source package has no tests of the shell; Debian's has one of what is installed (debian/tests/smoke). So also
# what busybox has for the same shell (shell/ash_test): POSIX sh and a little more, not all of which dash passes.
build()
{
	cd busybox-*/shell/ash_test || exit
	for p in printenv recho zecho; do gcc -w -O1 -o $p $p.c || exit; done
}
run()
{
	(cd dash-[0-9]*/ && result smoke sh -c 'perl debian/tests/smoke 2>/dev/null')
	cd busybox-*/shell/ash_test || exit
	mkdir -p "$PWD/bin"
	ln -sf "$(command -v dash)" "$PWD/bin/ash"
	export THIS_SH=dash PATH=$PWD:$PWD/bin:$PATH
	for t in ash-*/*.tests; do
		[ -f "${t%.tests}.right" ] || continue
		case $t in */var_LINENO1.tests | */many_ifs.tests) continue ;; esac # dash does not come to their end
		(cd "${t%/*}" && result "$t" one "${t##*/}")
	done
}
one()
{
	timeout 60 dash "./$1" >"$1.said" 2>&1
	echo "status $?"
	cmp -s "$1.said" "${1%.tests}.right" && echo right
	cat "$1.said"
}
