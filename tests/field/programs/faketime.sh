# served: bash|python3.*
# faketime: another time of day, and of files, in its own preload beside ours, in both orders.
prepare() { touch -d 2001-02-03 old; }
run()
{
	faketime -f '@2020-01-02 03:04:05' date +%Y-%m-%d
	faketime '2020-01-02' bash -c 'for i in 1 2 3; do [ -e $PWD/none ]; echo $?; touch $PWD/none; [ -e $PWD/none ]; echo $?; rm $PWD/none; done; date +%Y; exit 3'; echo "status $?"
	faketime '2020-01-02' stat -c %y old; faketime '2020-01-02' python3 -c 'import os, time; print(time.gmtime().tm_year, [os.path.exists("/none") for i in range(4)])'
	lib=$(faketime '2020-01-02' env | sed -n 's/^LD_PRELOAD=//p' | tr ': ' '\n\n' | grep faketime)
	export FAKETIME='@2019-01-02 03:04:05'
	LD_PRELOAD="$lib${LD_PRELOAD:+:$LD_PRELOAD}" bash -c 'for i in 1 2 3; do [ -e $PWD/none ]; echo $?; done; date +%Y'
	LD_PRELOAD="${LD_PRELOAD:+$LD_PRELOAD:}$lib" bash -c 'for i in 1 2 3; do [ -e $PWD/none ]; echo $?; done; date +%Y'
	faketime '2020-01-02' "$PWD/none"; echo "status $?"
}
"$1"
