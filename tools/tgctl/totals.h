/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tgctl totals: what users and cgroups have used. Called by main.c through its table of verbs.
 */
#ifndef TGCTL_TOTALS_H
#define TGCTL_TOTALS_H

#include "tgctl.h"

enum tgctl_status tgctl_totals(const struct tgctl_args *args);

#endif /* TGCTL_TOTALS_H */
