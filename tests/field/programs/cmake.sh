# served: cmake
# normalise: s/ \([0-9.]+s\)//g
# cmake configures (compiler checks, find_package of what is not there, find_path, find_library), builds, tests
# and installs; and configures again when something has appeared.
prepare()
{
	mkdir source && cd source
	cat >CMakeLists.txt <<'C'
cmake_minimum_required(VERSION 3.13)
project(field C)
include(CheckIncludeFile)
include(CheckFunctionExists)
check_include_file(no/such/header.h HAVE_NONE)
check_include_file(stdio.h HAVE_STDIO)
check_function_exists(no_such_function HAVE_NO_SUCH)
find_package(NoSuchThing QUIET)
find_path(WHERE late.h PATHS ${CMAKE_SOURCE_DIR}/late NO_DEFAULT_PATH)
find_library(LIBRARY nothing-of-that-name)
find_program(PROGRAM nothing-of-that-name)
message(STATUS "${NoSuchThing_FOUND} ${WHERE} ${LIBRARY} ${PROGRAM} ${HAVE_NONE} ${HAVE_STDIO} ${HAVE_NO_SUCH}")
add_library(one STATIC one.c)
add_executable(main main.c)
target_link_libraries(main one)
enable_testing()
add_test(NAME runs COMMAND main)
add_test(NAME missing COMMAND ${CMAKE_SOURCE_DIR}/none)
install(TARGETS main DESTINATION bin)
C
	echo 'int one(void) { return 0; }' >one.c
	echo 'int one(void); int main(void) { return one(); }' >main.c
}
run()
{
	cmake -S source -B build
	cmake --build build -- -s; echo "status $?"
	mkdir source/late && touch source/late/late.h
	cmake -S source -B build | grep late
	(cd build && ctest 2>&1 | grep -E 'Test +#|tests passed' | sed 's/ *[0-9.]* sec$//')
	DESTDIR=$PWD/stage cmake --install build && (cd stage && find . -type f | sort)
	cmake -P no-such-script.cmake; echo "status $?"
	grep -v -E '^(#|//)|^$' build/CMakeCache.txt | sort
}
"$1"
