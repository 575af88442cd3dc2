# served: java|jspawnhelper
# unserved page epoll verify-page verify-epoll: the thread that the cache belongs to in process scope sleeps while others work
# ProcessBuilder (posix_spawn by jspawnhelper), File, Files, class path with what is not there, exceptions' words.
prepare()
{
	mkdir classes
	cat >Main.java <<'J'
import java.io.*; import java.nio.file.*; import java.util.*;
public class Main {
	static String attempt(java.util.concurrent.Callable<?> c) { try { return String.valueOf(c.call()); } catch (Throwable e) { return e.toString(); } }
	public static void main(String[] a) throws Exception {
		String here = new File("").getAbsolutePath(), none = here + "/none";
		for (int i = 0; i < 5; i++)
			for (String p : new String[] { none, none + "/x", here + "/Main.java", here + "/Main.java/x", here, none + "/../Main.java", "" }) {
				File f = new File(p);
				System.out.println(f.exists() + " " + f.isDirectory() + " " + f.canRead() + " " + f.canExecute() + " " + f.length());
			}
		for (String p : new String[] { none, here + "/Main.java", here + "/Main.java/x" }) {
			Path q = Path.of(p);
			System.out.println(Files.exists(q) + " " + attempt(() -> Files.size(q)) + " " + attempt(() -> q.toRealPath()) + " " + attempt(() -> Files.readSymbolicLink(q)));
			System.out.println(attempt(() -> new FileInputStream(p).read()) + " " + attempt(() -> new RandomAccessFile(p, "r").length()) + " " + new File(p).getCanonicalPath());
		}
		for (int i = 0; i < 3; i++) {
			Path q = Path.of(here + "/appears");
			System.out.print(Files.exists(q)); Files.createFile(q); System.out.print(Files.exists(q)); Files.delete(q); System.out.println(q.toFile().exists());
		}
		System.out.println(attempt(() -> new ProcessBuilder(none).start()));
		System.out.println(attempt(() -> new ProcessBuilder("no-such-command", "x").start()));
		System.out.println(attempt(() -> new ProcessBuilder("sh", "-c", "exit 3").start().waitFor()));
		System.out.println(attempt(() -> new ProcessBuilder("pwd").directory(new File(none)).start()));
		ProcessBuilder b = new ProcessBuilder("sh", "-c", "[ -e " + none + " ] || echo none; cat; echo err >&2; exit 4");
		b.redirectErrorStream(true); b.environment().put("MORE", "1");
		Process p = b.start();
		try (OutputStream o = p.getOutputStream()) { o.write("through\n".getBytes()); }
		System.out.print(new String(p.getInputStream().readAllBytes())); System.out.println(p.waitFor());
		for (Process q : ProcessBuilder.startPipeline(List.of(new ProcessBuilder("echo", "piped"), new ProcessBuilder("cat").redirectOutput(ProcessBuilder.Redirect.INHERIT)))) q.waitFor();
		Thread[] t = new Thread[8];
		for (int i = 0; i < 8; i++) { t[i] = new Thread(() -> { for (int j = 0; j < 50; j++) new File(none + j).exists(); }); t[i].start(); }
		for (Thread x : t) x.join();
		System.out.println(attempt(() -> Class.forName("NoSuchClass")));
		System.exit(6);
	}
}
J
	javac -d classes Main.java
}
run()
{
	for how in VFORK POSIX_SPAWN FORK; do
		java -Xshare:auto -Djdk.lang.Process.launchMechanism=$how -cp "$PWD/none.jar:$PWD/none:$PWD/classes" Main; echo "status $?"
	done
	java -cp "$PWD/none" Main; echo "status $?"
}
"$1"
