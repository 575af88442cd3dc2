# served: bash
# differs page epoll verify-page verify-epoll used-process: out: shared: (status [16]|-1 No such file or directory|5|==PID==ASan runtime does not come first in initial library list.*|==PID==ERROR: AddressSanitizer: heap-use-after-free|SUMMARY: AddressSanitizer: heap-use-after-free .*): a shared runtime refuses to start behind any preload
# Programs under AddressSanitizer, its runtime shared and static; the shared one wants to be first of all.
sanitizer=address static=-static-libasan wrong=FAULT
. "$(dirname "$0")/../sanitizer.sh"
"$1"
