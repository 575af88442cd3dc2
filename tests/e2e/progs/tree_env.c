/*
 * tree_env.c - prints its environment by raw writes, and looks for a file that is not there so many
 * times. usage: tree_env [TIMES PATH]
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern char **environ;

int main(int argc, char **argv)
{
	if (argc == 3)
		for (int i = atoi(argv[1]); i > 0; i--)
			(void)!access(argv[2], F_OK);
	for (char **e = environ; *e; e++)
		puts(*e);
	return 0;
}
