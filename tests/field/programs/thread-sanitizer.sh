# served: bash
# Programs under ThreadSanitizer, its runtime shared and static: the same reports, none of its own.
sanitizer=thread static=-static-libtsan wrong=RACE
. "$(dirname "$0")/../sanitizer.sh"
"$1"
