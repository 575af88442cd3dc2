# served: manpath|mandb|bash
# unreached: man: it looks at once what its seccomp filter can do, and from then on the library makes no system call
# man's pages of its own tree, in several sections and by path, and what has no page: groff and the seccomp-confined
# decompressor behind it.
prepare()
{
	mkdir -p man/man1 man/man7 empty/man1
	printf '.TH FIELD 1 2020-01-01 field\n.SH NAME\nfield \\- a page\n.SH DESCRIPTION\nof the field\n' >man/man1/field.1
	printf '.TH MORE 7 2020-01-01 field\n.SH NAME\nmore \\- compressed\n.SH DESCRIPTION\nmore of it\n' | gzip -n >man/man7/more.7.gz
	printf '.so man1/field.1\n' >man/man1/alias.1
}
run()
{
	export MANPATH=$PWD/empty:$PWD/man MANWIDTH=70 MAN_KEEP_FORMATTING=
	for page in field more alias none; do man "$page" | cat; echo "${PIPESTATUS[0]}"; man -w "$page"; echo "status $?"; done
	man -aw field; man -w 7 more; man 3 field; echo "status $?"
	man "$PWD/man/man1/field.1" | cat; man "$PWD/none.1"; echo "status $?"
	mandb -q -c "$PWD/man"; echo "status $?"; man -f field; man -k compressed; man -f none; echo "status $?"
	man -Tps "$PWD/man/man1/field.1" | head -n 1; manpath -q
}
"$1"
