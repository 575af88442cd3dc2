# served: bash
# differs page epoll verify-page verify-epoll used-process: err: ERROR: ld\.so: object '.*' from LD_PRELOAD cannot be preloaded \(wrong ELF class: ELFCLASS64\): ignored\.: the loader's message of a preload that is not for it
# unreached: main: a 64-bit library cannot be loaded into a 32-bit program
# A program made by gcc -m32, which executes others: output, errors and status as ever, also of what it executes.
compiler="gcc -m32"
. "$(dirname "$0")/../unreached.sh"
"$1"
