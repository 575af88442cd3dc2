# served: python3.*|bash
# eatmydata: fsync is eaten, everything else as ever; its preload before and after ours.
prepare() { :; }
run()
{
	eatmydata python3 -c '
import os
f = os.open("file", os.O_CREAT | os.O_RDWR | os.O_SYNC)
print(os.fsync(f), [os.path.exists("/none") for i in range(4)])
try: os.open("/none/x", os.O_RDONLY)
except OSError as e: print(e)'; echo "status $?"
	eatmydata bash -c 'for i in 1 2 3; do [ -e $PWD/none ]; echo $?; touch $PWD/none; [ -e $PWD/none ]; echo $?; rm $PWD/none; done; cat $PWD/none; exit 3'; echo "status $?"
	eatmydata "$PWD/none"; echo "status $?"; eatmydata dd if=/dev/zero of=block bs=4096 count=2 conv=fsync status=none; stat -c %s block
	lib=$(eatmydata env | sed -n 's/^LD_PRELOAD=//p' | tr ': ' '\n\n' | grep eatmydata)
	LD_PRELOAD="$lib${LD_PRELOAD:+:$LD_PRELOAD}" bash -c 'for i in 1 2 3; do [ -e $PWD/none ]; echo $?; done'
	LD_PRELOAD="${LD_PRELOAD:+$LD_PRELOAD:}$lib" bash -c 'for i in 1 2 3; do [ -e $PWD/none ]; echo $?; done'
}
"$1"
