/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tgctl policy, tgctl knob, tgctl version: single values of the module. Called by main.c through
 * its table of verbs.
 */
#ifndef TGCTL_SETTINGS_H
#define TGCTL_SETTINGS_H

#include "tgctl.h"

enum tgctl_status tgctl_knob(const struct tgctl_args *args);
enum tgctl_status tgctl_policy(const struct tgctl_args *args);
enum tgctl_status tgctl_version(const struct tgctl_args *args);

#endif /* TGCTL_SETTINGS_H */
