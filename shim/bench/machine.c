/*
 * machine.c - on what measurements are made: processor, kernel, libc, mitigations.
 */
#include "bench/machine.h"

#include "bench/child.h"
#include "bench/text.h"

#include <dirent.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define VULNERABILITIES "/sys/devices/system/cpu/vulnerabilities"

__attribute__((format(printf, 2, 3))) static void append(char *text, const char *format, ...)
{
	size_t used = strlen(text);
	va_list arguments;

	va_start(arguments, format);
	(void)vsnprintf(text + used, MACHINE_TEXT - used, format, arguments);
	va_end(arguments);
}

/* The value of the first line of the file that begins with `name` and a colon, or "". */
static void read_value(const char *file, const char *name, char *value, size_t size)
{
	char line[8192];
	FILE *f = fopen(file, "re");
	size_t n = strlen(name);

	value[0] = 0;
	while (f && !value[0] && fgets(line, sizeof line, f)) {
		const char *colon = strchr(line, ':');

		if (strncmp(line, name, n) != 0 || !colon ||
		    strspn(line + n, " \t:") < (size_t)(colon - line) - n)
			continue;
		colon += 1 + strspn(colon + 1, " \t");
		(void)snprintf(value, size, "%.*s", (int)strcspn(colon, "\n"), colon);
	}
	if (f)
		(void)fclose(f);
}

static void read_line(const char *file, char *line, size_t size)
{
	FILE *f = fopen(file, "re");

	if (!f || !fgets(line, (int)size, f))
		line[0] = 0;
	line[strcspn(line, "\n")] = 0;
	if (f)
		(void)fclose(f);
}

static void look_at_processor(char *text)
{
	char model[256], flags[8192];
	struct sysinfo memory;
	cpu_set_t usable;

	text[0] = 0;
	read_value("/proc/cpuinfo", "model name", model, sizeof model);
	if (!model[0])
		read_line("/sys/firmware/devicetree/base/model", model, sizeof model);
	append(text, "%s, %ld CPUs", model[0] ? model : "unknown", sysconf(_SC_NPROCESSORS_ONLN));
	if (!sched_getaffinity(0, sizeof usable, &usable) &&
	    CPU_COUNT(&usable) < (int)sysconf(_SC_NPROCESSORS_ONLN))
		append(text, " (%d usable)", CPU_COUNT(&usable));
	if (!sysinfo(&memory))
		append(text, ", %.1f GiB",
		       (double)memory.totalram * memory.mem_unit / (1024.0 * 1024 * 1024));
	read_value("/proc/cpuinfo", "flags", flags, sizeof flags);
	if (strstr(flags, " hypervisor"))
		append(text, ", a virtual machine");
	read_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", model, sizeof model);
	if (model[0])
		append(text, ", governor %s", model);
}

static void look_at_kernel(char *text)
{
	struct utsname u;

	text[0] = 0;
	if (uname(&u))
		append(text, "unknown");
	else
		append(text, "%s %s %s", u.sysname, u.release, u.machine);
}

/* Asked of a program, since this one brings a libc of its own. */
static void look_at_libc(char *text, char *const *environment)
{
	char *argv[] = {"getconf", "GNU_LIBC_VERSION", NULL};
	struct child_used used;
	int fd = text_open();

	text[0] = 0;
	if (fd >= 0 &&
	    !child_run(&(struct child_command){argv, environment, NULL, fd, -1}, &used) &&
	    !used.status)
		text_last_line(fd, text, MACHINE_TEXT);
	if (fd >= 0)
		(void)close(fd);
	if (!text[0])
		append(text, "unknown");
}

/* "a, b" -> "a, b, c" */
static void list(char *text, const char *name)
{
	append(text, "%s%s", text[0] ? ", " : "", name);
}

static void add_parameter(char *text)
{
	char line[4096];
	const char *found;

	read_line("/proc/cmdline", line, sizeof line);
	found = strstr(line, "mitigations=");
	if (found && (found == line || found[-1] == ' '))
		append(text, "%s%.*s", text[0] ? "; " : "", (int)strcspn(found, " "), found);
}

static void look_at_mitigations(char *text)
{
	char vulnerable[MACHINE_TEXT] = "", mitigated[MACHINE_TEXT] = "";
	struct dirent **entries;
	int n = scandir(VULNERABILITIES, &entries, NULL, alphasort), unaffected = 0;

	text[0] = 0;
	for (int i = 0; i < n; i++) {
		char path[sizeof VULNERABILITIES + 257], line[256];

		(void)snprintf(path, sizeof path, VULNERABILITIES "/%s", entries[i]->d_name);
		read_line(path, line, sizeof line);
		if (!strncmp(line, "Not affected", 12))
			unaffected++;
		else if (!strncmp(line, "Vulnerable", 10))
			list(vulnerable, entries[i]->d_name);
		else if (strstr(line, "Mitigation"))
			list(mitigated, entries[i]->d_name);
		free(entries[i]);
	}
	if (n >= 0)
		free((void *)entries);
	if (mitigated[0])
		append(text, "for %s", mitigated);
	if (vulnerable[0])
		append(text, "%snone for %s", text[0] ? "; " : "", vulnerable);
	if (unaffected)
		append(text, "%snot affected by %d more", text[0] ? "; " : "", unaffected);
	add_parameter(text);
	if (!text[0])
		append(text, "unknown");
}

static void look_at_clock(struct machine *m)
{
	double load[1];
	time_t now = time(NULL);
	struct tm t;

	if (getloadavg(load, 1) == 1)
		(void)snprintf(m->load, sizeof m->load, "%.2f", load[0]);
	else
		(void)snprintf(m->load, sizeof m->load, "unknown");
	if (!localtime_r(&now, &t) || !strftime(m->date, sizeof m->date, "%Y-%m-%d %H:%M %z", &t))
		(void)snprintf(m->date, sizeof m->date, "unknown");
}

void machine_look(struct machine *m, char *const *environment)
{
	look_at_processor(m->cpu);
	look_at_kernel(m->kernel);
	look_at_libc(m->libc, environment);
	look_at_mitigations(m->mitigations);
	look_at_clock(m);
}
