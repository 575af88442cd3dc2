# served: file
# file, confined by its seccomp filter, of every kind of file and of what is not there; with its own magic.
prepare()
{
	mkdir directory
	printf '#!/bin/sh\n' >script; echo text >text; printf '\211PNG\r\n\032\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\10\6\0\0\0' >image
	gzip -n <text >text.gz; tar -cf archive.tar text --mtime=@0; ln -s none dangling; ln -s text link; mkfifo fifo; : >empty
	cp /bin/true program
	printf '0 string FIELD a field file\n' >magic; echo FIELD >own
}
run()
{
	for options in '' -L -i -z -k --mime-encoding -b; do
		for i in 1 2; do file $options "$PWD"/* "$PWD/none" "$PWD/text/x" "$PWD/none-$i"; echo "status $?"; done
	done
	file -m "$PWD/magic" own; file -m "$PWD/none" own; echo "status $?"
	file --no-sandbox "$PWD/none" "$PWD/text"; printf '%s\n' "$PWD/none" "$PWD/text" | file -f -; file -E "$PWD/none"; echo "status $?"
	file - <text; file -C -m "$PWD/magic" && ls *.mgc
}
"$1"
