#!/bin/bash
# lint.sh - cppcheck and clang-tidy over shim/, with the project's flags. A finding is fixed, or
# suppressed on its own line with the reason: `// NOLINT(check)`, `// cppcheck-suppress id`.
# An argument replaces the tree that is looked at.
set -u
export LC_ALL=C
top=${1:-$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)}
cd "$top" || exit 1
flags="-std=gnu11 -D_GNU_SOURCE -Iinclude -Ishim -fno-builtin"
status=77

# verdict NAME FINDINGS: a failure if there are any.
verdict()
{
	if [ -n "$2" ]; then
		status=1
		echo "FAIL $1:"
		echo "$2"
	else
		[ "$status" = 1 ] || status=0
		echo "PASS $1"
	fi
}

# Left out: the layouts of others (struct entry) have members that we never use; scopes of variables
# are a matter of taste; ElfW() is glibc's.
cppcheck_findings()
{
	local out
	out=$(cppcheck --quiet --std=c11 --language=c --inline-suppr \
		--enable=warning,style,performance,portability \
		--suppress=unusedStructMember --suppress=variableScope \
		-D__x86_64__ -D_GNU_SOURCE '-DElfW(type)=Elf64_##type' -Iinclude -Ishim \
		--template='{file}:{line}: {message} [{id}]' --template-location='' shim 2>&1) ||
		out+=$'\n'"cppcheck ended badly"
	echo "$out" | grep -v '^$'
}

tidy_findings()
{
	local out
	out=$(find shim -name '*.c' -print0 | sort -z |
		xargs -0 -n 1 -P "$(nproc)" sh -c 'clang-tidy --quiet "$@" -- '"$flags"' 2>/dev/null ||
			echo "error: clang-tidy: $*"' lint)
	grep -E '(warning|error): ' <<<"$out" | sed "s,^$top/,," | sort -u
}

if command -v cppcheck >/dev/null; then
	verdict cppcheck_finds_nothing "$(cppcheck_findings)"
else
	echo "SKIP cppcheck_finds_nothing: cppcheck"
fi
if command -v clang-tidy >/dev/null; then
	verdict clang_tidy_finds_nothing "$(tidy_findings)"
else
	echo "SKIP clang_tidy_finds_nothing: clang-tidy"
fi
exit "$status"
