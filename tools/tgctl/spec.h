/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tgctl load, tgctl check, tgctl admit: specifications. Called by main.c through its table of
 * verbs.
 */
#ifndef TGCTL_SPEC_H
#define TGCTL_SPEC_H

#include "tgctl.h"

enum tgctl_status tgctl_load(const struct tgctl_args *args);
enum tgctl_status tgctl_check(const struct tgctl_args *args);
enum tgctl_status tgctl_admit(const struct tgctl_args *args);

#endif /* TGCTL_SPEC_H */
