# A cmake toolchain file that runs every compiler under fastpath:
#
#	cmake -S . -B build --toolchain /path/to/toolchain.cmake
#
# It is for builds that are started by something else, an IDE say. Where you start them yourself, one cache for the
# whole build saves more, and needs no toolchain file: fastpath run -- cmake --build build
set(CMAKE_C_COMPILER_LAUNCHER fastpath run --)
set(CMAKE_CXX_COMPILER_LAUNCHER fastpath run --)
