/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How many of the card's complaints cardd prints. Every bad method of a guest is one, so they may
 * come by the million for days.
 *
 * Called by main.c under `card_lock`, and by tests/card/cardd.c.
 */
#ifndef CARDD_COMPLAINTS_H
#define CARDD_COMPLAINTS_H

#define COMPLAINTS_MAX	64

/**
 * complaint_next() - may one more be printed?
 * @printed: so many have been; it never goes beyond COMPLAINTS_MAX, and so does not wrap
 */
static inline bool complaint_next(unsigned int *printed)
{
	if (*printed == COMPLAINTS_MAX)
		return false;
	(*printed)++;
	return true;
}

#endif
