#include "greet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

void greet(const char *whom)
{
	printf("hello, %s\n", whom);
}
