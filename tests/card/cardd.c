// SPDX-License-Identifier: GPL-2.0
/*
 * cardd.c - parts of cardd around the card: how many complaints it prints.
 */
#include "lib.h"
#include "../../tools/cardd/complaints.h"

static void run_complaints(void)
{
	u32 printed = 0, n = 0;

	for (u32 i = 0; i < 1000; i++)
		n += complaint_next(&printed);
	check_eq("complaints: the first 64 are printed", n, 64);
	check_eq("... and the count stays there, so that it never wraps", printed, 64);
}

int main(void)
{
	run_complaints();
	return done();
}
