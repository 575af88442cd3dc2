#!/bin/bash
# The examples build and run, with the library and without. What cannot be run here is run as far as it can be: of
# the Dockerfile and the CI workflow, each command, in a sandbox like the one that they are for.
set -u
export LC_ALL=C
unset FASTPATH FASTPATH_STATS FASTPATH_TEST LD_PRELOAD MAKEFLAGS
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$top" || exit 1
status=0
export TMPDIR=${TMPDIR:-/var/tmp} PATH="$top/build:$PATH"
work=$(mktemp -d "$TMPDIR/fastpath-examples.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
out=

# verdict NAME WHY: a failure if WHY says something.
verdict() {
	if [ -n "$2" ]; then
		echo "FAIL the_example_$1: ${2//$'\n'/ | }"
		status=1
	else
		echo "PASS the_example_$1"
	fi
}

# succeeds NAME WANTED COMMAND...: and prints what a reader would look for; in $out.
succeeds() {
	local name=$1 wanted=$2 why=
	shift 2
	out=$(timeout 120 "$@" 2>&1 </dev/null) || why="it ends with $?: "
	grep -qE "$wanted" <<<"$out" || why+="no '$wanted': "
	verdict "$name" "${why:+$why$(tail -n 5 <<<"$out")}"
}

# serves NAME SCOPE WANTED COMMAND...: and `run --stats`, by which it runs, says that something was served there.
serves() {
	local name=$1 scope=$2 wanted=$3 why=
	shift 3
	out=$(timeout 120 "$@" 2>&1 </dev/null) || why="it ends with $?: "
	grep -qE "$wanted" <<<"$out" || why+="no '$wanted': "
	grep -q "^fastpath: $scope scope" <<<"$out" || why+="the scope is not $scope: "
	awk '/^fastpath: +[0-9]+ +[0-9]+ (access|stat|open|exec|readlink|realpath|xattr)$/ { n += $3 } END { exit !n }' <<<"$out" ||
		why+="nothing was served: "
	verdict "$name" "${why:+$why$(head -n 8 <<<"$out")}"
}

on="env FASTPATH=1 LD_PRELOAD=$top/build/libfastpath.so"
# shellcheck disable=SC2086 # the words of a command
succeeds own_stats_prints_its_statistics 'answered without the kernel [1-9]' $on build/examples/own-stats
succeeds own_stats_runs_without_the_library 'not preloaded' build/examples/own-stats
# shellcheck disable=SC2086
succeeds pause_runs_under_the_library . $on build/examples/pause
succeeds pause_runs_without_the_library . build/examples/pause
succeeds quickstart_answers_most_of_the_include_search 'scope process, bell' sh examples/quickstart.sh build
succeeds compare_gcc_prints_both '"fastpath":1|served' bash examples/compare-gcc.sh

# ---- scripts ----

serves module_shell_is_served tree '^60 modules have a command; the last is module-1 1\.0$' examples/module-shell.sh
serves include_storm_is_served_and_verified tree 'verified [1-9][0-9]* answers: 0 wrong' examples/include-storm.sh
why=
grep -qE '^fastpath: +[1-9][0-9]* .* include search$' <<<"$out" || why="audit found no include search: $out"
verdict include_storm_is_audited "$why"
why=
for script in examples/*.sh; do
	[ -x "$script" ] || why+="$script is not executable; "
	why+=$(bash -n "$script" 2>&1)
done
verdict scripts_can_be_executed "$why"

# ---- a project of make ----

cp -a examples/project "$work/project"
succeeds project_is_built_without_fastpath . make -C "$work/project" O="$work/plain" all
serves project_is_built_in_a_session tree . make -C "$work/project" fast
why=$(cmp "$work/plain/greet.o" "$work/project/build/greet.o" 2>&1)
[ "$("$work/project/build/hello" 2>&1)" = 'hello, world' ] || why+="it says: $("$work/project/build/hello" 2>&1)"
verdict project_is_the_same_program_in_a_session "$why"
make -s -C "$work/project" clean
verdict project_is_cleaned "$(ls -d "$work/project/build" 2>/dev/null)"

# ---- cmake ----

if command -v cmake >/dev/null; then
	mkdir "$work/cmake"
	cat >"$work/cmake/CMakeLists.txt" <<-END
		cmake_minimum_required(VERSION 3.21)
		project(hello C)
		add_executable(hello $top/examples/project/main.c $top/examples/project/greet.c)
		foreach(n RANGE 1 100)
			file(MAKE_DIRECTORY $work/cmake/library-\${n})
			target_include_directories(hello PRIVATE $work/cmake/library-\${n})
		endforeach()
	END
	succeeds toolchain_is_taken_by_cmake 'Generating done' \
		cmake -S "$work/cmake" -B "$work/cmake/b" --toolchain "$top/examples/toolchain.cmake"
	succeeds toolchain_runs_compilers_under_fastpath 'fastpath run -- .*cc' \
		env FASTPATH_STATS="json:$work/cmake/stats" cmake --build "$work/cmake/b" --verbose
	why=
	grep -q '"exe":"[^"]*/cc1".*"scope":"tree".*"served":{[^}]*"open":[1-9]' "$work/cmake/stats" 2>/dev/null ||
		why="no compiler was served: $(cat "$work/cmake/stats" 2>&1)"
	verdict toolchain_serves_the_compiler "$why"
else
	echo "SKIP the_example_toolchain_serves_the_compiler: cmake"
fi

# ---- the CI workflow and the Dockerfile ----

# What make has built already: as much as another LIBDIR leaves as it is need not be built again.
mkdir "$work/b"
for part in lib core libfastpath.so fastpath examples bench-suite man libdir; do
	cp -a "build/$part" "$work/b/"
done

# The commands of the workflow, a line each.
workflow_commands() { sed -n 's/^ *\(- \)\{0,1\}run: //p' "$top/examples/ci.yml"; }

# Each in a shell of its own, as a runner does it, which hands PATH on; the checkout is a link to this tree.
run_workflow() {
	local command
	mkdir -p "$work/home" "$work/runner/fastpath"
	ln -s "$top"/* "$work/runner/fastpath/"
	rm "$work/runner/fastpath/build" "$work/runner/fastpath/examples"
	cp -a examples "$work/runner/fastpath/"
	cd "$work/runner" || return 1
	export HOME=$work/home GITHUB_PATH=$work/path MAKEFLAGS="B=$work/b" PATH=/usr/sbin:/usr/bin:/sbin:/bin
	: >"$GITHUB_PATH"
	while read -r command; do
		[[ $command != *'make -C fastpath deps'* ]] || command=${command#*&& }
			PATH="$(paste -sd: "$GITHUB_PATH"):$PATH" bash -e -c "$command" || return 1
	done < <(workflow_commands)
}
serves ci_workflow_does_what_it_says tree '^hello, world$' bash -c "$(declare -f workflow_commands run_workflow)
	top=$top work=$work; run_workflow && fastpath/examples/project/build/hello"
why=
[ "$(workflow_commands | wc -l)" -ge 4 ] || why="$(workflow_commands | wc -l) commands; "
verdict ci_workflow_is_put_where_it_says "$why$(ls "$work/home/.local/bin/fastpath" 2>&1 >/dev/null)"
if python3 -c 'import yaml' 2>/dev/null; then
	succeeds ci_workflow_is_yaml '^build 5$' python3 -c '
import yaml
job = yaml.safe_load(open("examples/ci.yml"))["jobs"]
print(*job, len(job["build"]["steps"]))'
else
	echo "SKIP the_example_ci_workflow_is_yaml: python3-yaml"
fi

# The instructions of the Dockerfile, a line each.
instructions() { sed -e '/^ *#/d' -e ':a' -e '/\\$/{N;s/\\\n *//;ba' -e '}' examples/Dockerfile; }
why=$(instructions | grep -vE '^(FROM|RUN|WORKDIR|COPY|ENV|ARG|CMD|ENTRYPOINT|USER|LABEL) [^ ]')
[[ $(instructions | head -n 1) == FROM\ * ]] || why+="it does not begin with FROM"
verdict dockerfile_has_instructions_that_there_are "$why"
why=
deps=$(make -pn all 2>/dev/null | sed -n 's/^DEPS := //p')
for package in $(instructions | sed -n 's/.*--no-install-recommends \([^&]*\)&&.*/\1/p'); do
	[[ " $deps " == *" $package "* ]] || why+="$package is not in the Makefile's DEPS; "
done
verdict dockerfile_installs_what_the_makefile_lists "${why:-$([ -n "${package:-}" ] || echo 'no packages')}"

# Its commands in namespaces of their own, with this tree in the place of its /src, where io_uring is refused as
# docker's profile refuses it, and what is installed comes and goes with the namespace.
run_dockerfile() {
	local command
	mount --bind "$work/local" /usr/local && mount -t tmpfs tmp /tmp && cp -a "$work/b" /tmp/fastpath || return 77
	export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
	while read -r command; do
		[[ $command == 'RUN apt-get '* ]] ||
			"$top/build/progs/fault" EPERM io_uring_setup,io_uring_enter,io_uring_register sh -c "${command#RUN }" || return 1
	done < <(instructions | grep '^RUN ')
}
mkdir "$work/local"
if unshare -rm true 2>/dev/null; then
	serves dockerfile_commands_do_what_they_say process '^hello, world$' unshare -rm bash -c "$(declare -f instructions run_dockerfile)
		cd $top; top=$top work=$work; run_dockerfile && /tmp/project/hello"
	why=
	grep -q 'scope (io_uring is forbidden' <<<"$out" || why="it is not the pending-check that serves: $out"
	grep -q '^ok *pending-check: works' <<<"$out" || why+="doctor does not say so"
	verdict dockerfile_is_served_by_the_pending_check "$why"
else
	echo "SKIP the_example_dockerfile_commands_do_what_they_say: user namespaces"
fi
exit $status
