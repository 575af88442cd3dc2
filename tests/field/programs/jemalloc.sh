# served: bash|python3.*
# jemalloc before and after us in LD_PRELOAD: bash, python with threads and subprocesses.
prepare() { ls /usr/lib/*/libjemalloc.so.2 >/dev/null || { echo "no libjemalloc.so.2"; exit 77; }; }
run()
{
	lib=$(ls /usr/lib/*/libjemalloc.so.2 | head -n 1)
	ours=${LD_PRELOAD:-}
	for order in "$lib${ours:+:$ours}" "${ours:+$ours:}$lib"; do
		LD_PRELOAD=$order bash -c 'grep -q jemalloc /proc/$$/maps && echo loaded; for i in 1 2 3; do [ -e $PWD/none ]; echo $?; touch $PWD/none; [ -e $PWD/none ]; echo $?; rm $PWD/none; done; no-such-command; exit 3'; echo "status $?"
		LD_PRELOAD=$order python3 -c '
import os, subprocess, threading
t = [threading.Thread(target=lambda: [os.path.exists("/none-%d" % i) for i in range(200)]) for _ in range(8)]
[x.start() for x in t]; [x.join() for x in t]
print(subprocess.run(["sh", "-c", "[ -e /none ] || echo none"], capture_output=True))
pid = os.fork()
if not pid: os._exit(any([os.path.exists("/none") for i in range(9)]) + 4)
print(os.waitpid(pid, 0)[1])
try: subprocess.run(["/none"])
except OSError as e: print(e)'; echo "status $?"
	done
}
"$1"
