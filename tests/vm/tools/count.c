// SPDX-License-Identifier: GPL-2.0
/*
 * count N - executes a loop of two instructions N times, and prints the CPU time that the kernel keeps for that, in
 * ns: 2 N where the clock counts instructions (scripts/vm -i), so that what else is counted there can be believed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The account is brought up to date when the process goes to sleep. */
static long long cpu_ns(void)
{
	long long ns = -1;
	FILE *f;

	usleep(1);
	f = fopen("/proc/self/schedstat", "r");
	if (f && fscanf(f, "%lld", &ns) != 1)
		ns = -1;
	if (f)
		fclose(f);
	return ns;
}

int main(int argc, char **argv)
{
	unsigned long n = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
	long long before, after;

	if (!n) {
		fputs("usage: count N\n", stderr);
		return 2;
	}
	before = cpu_ns();
	__asm__ volatile("1: dec %0; jnz 1b" : "+r"(n) : : "cc");
	after = cpu_ns();
	printf("%lld\n", after - before);
	return before < 0 || after < 0;
}
