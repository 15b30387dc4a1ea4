/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tgctl why. Called by main.c through its table of verbs.
 */
#ifndef TGCTL_WHY_H
#define TGCTL_WHY_H

#include "tgctl.h"

/* Which option is which in struct tgctl_args. */
enum { WHY_LAST, WHY_TRACE, WHY_WORST, WHY_SINCE, WHY_CLIENT, WHY_FROZEN, WHY_CLEAR };

enum tgctl_status tgctl_why(const struct tgctl_args *args);

#endif /* TGCTL_WHY_H */
