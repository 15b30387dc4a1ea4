// SPDX-License-Identifier: GPL-2.0
/*
 * The eight applications: undisturbed, suspended every ms and suspended every 10 ms.
 */
#include "apps_rows.h"

int main()
{
	suspenders = {{"every 0 us", 0, nullptr}, {"every 1000 us", 1000, nullptr},
		      {"every 10000 us", 10000, nullptr}};
	apps_rows();
	return test_end();
}
