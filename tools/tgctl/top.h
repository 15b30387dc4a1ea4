/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tgctl top: what the clients do now. Called by main.c through its table of verbs.
 */
#ifndef TGCTL_TOP_H
#define TGCTL_TOP_H

#include "tgctl.h"

/* Options of the verb: which is which in struct tgctl_args. */
enum { TOP_ONCE, TOP_JSON, TOP_EVERY, TOP_SORT, TOP_FILTER, TOP_COLUMNS };

enum tgctl_status tgctl_top(const struct tgctl_args *args);

#endif /* TGCTL_TOP_H */
