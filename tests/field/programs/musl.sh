# served: bash
# unreached: main: the library is inert in musl programs
# A program made by musl-gcc, which executes others: output, errors and status as ever, also of what it executes.
compiler="musl-gcc"
. "$(dirname "$0")/../unreached.sh"
"$1"
