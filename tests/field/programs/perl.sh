# served: perl
# perl: every file test, require and use of what is not there and what appears, system, exec, pipes, fork, IPC::Open3, File::Find.
prepare()
{
	mkdir lib-1 lib-2 tree
	echo 'package Present; sub value { 7 } 1;' >lib-2/Present.pm
	touch tree/a tree/b
	cat >main.pl <<'P'
use strict; use warnings; use Cwd qw(getcwd abs_path); use File::Find; use File::Spec; use File::Temp; use IPC::Open3; use POSIX ();
$| = 1;
my $here = getcwd; my $none = "$here/none";
unshift @INC, "$here/lib-1", "$here/lib-2";
for (1 .. 3) { eval { require No::Such; }; print $@; }
require Present; print Present::value(), "\n";
mkdir "$here/lib-1/No"; open my $f, '>', "$here/lib-1/No/Such.pm"; print $f "package No::Such; 1;"; close $f;
print eval { require No::Such; }, "\n";
for my $p ($none, "$none/x", "$here/main.pl", "$here/main.pl/x", $here, "/dev/null", "") {
	print "$p:", (map { my $r = eval "-$_ \$p"; defined $r ? ($r ? 1 : 0) : 'u' } qw(r w x o R W X O e z s f d l p S b c t u g k)), " $!\n";
}
$! = 77; my $x = -e "/"; print $! + 0, "\n";
print defined(stat $none) ? 1 : "stat $!\n", defined(lstat $none) ? 1 : "lstat $!\n", open(my $g, '<', $none) ? 1 : "open $!\n",
	opendir(my $d, $none) ? 1 : "opendir $!\n", defined(readlink $none) ? 1 : "readlink $!\n", chdir($none) ? 1 : "chdir $!\n",
	unlink($none) ? 1 : "unlink $!\n", rename($none, "$here/x") ? 1 : "rename $!\n", utime(1, 1, $none) ? 1 : "utime $!\n";
for (1 .. 3) { print -e "$here/appears" ? 1 : 0; open my $h, '>', "$here/appears"; close $h; print -e "$here/appears" ? 1 : 0; unlink "$here/appears"; }
print "\n";
{ no warnings; print system($none), " $!\n"; print system("no-such-command", "x"), " $!\n"; }
print system("exit 3") >> 8, "\n"; print `echo back; [ -e /none ] || echo none`;
{ no warnings; print defined(open my $p, '-|', $none) ? "?" : "pipe $!\n"; }
open my $p, '-|', 'sh', '-c', '[ -e /none ] || echo piped'; print <$p>; close $p;
my $pid = open3(my $in, my $out, undef, 'sh', '-c', 'cat; exit 4'); print $in "through\n"; close $in; print <$out>; waitpid $pid, 0; print $? >> 8, "\n";
$pid = fork; if (!$pid) { -e $none for 1 .. 9; POSIX::_exit(-e $none ? 1 : 5); } waitpid $pid, 0; print $? >> 8, "\n";
find({ wanted => sub { print "$File::Find::name\n" }, preprocess => sub { sort @_ } }, "$here/tree");
print abs_path("$none") // "undef $!", "\n"; print abs_path("$here/tree/../main.pl"), "\n";
print join(" ", glob("$here/tre?/* $here/none*")), "\n";
{ no warnings; exec $none or print "exec $!\n"; }
exit 11;
P
}
run() { perl main.pl; perl -e 'require "/none.pl"'; echo "status $?"; perl "$PWD/none.pl"; echo "status $?"; perl -MNone -e 1 2>&1 | head -c 60; }
"$1"
