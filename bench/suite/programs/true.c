/*
 * true.c - the smallest program that is executed again and again: built static and dynamic.
 */
int main(void)
{
	return 0;
}
