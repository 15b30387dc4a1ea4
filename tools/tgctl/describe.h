/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What knobs do. Called by settings.c for tgctl knob --describe.
 */
#ifndef TGCTL_DESCRIBE_H
#define TGCTL_DESCRIBE_H

#include "tgctl.h"

/** describe_knobs() - print what the knob @wanted does, or all do (NULL), also without the module */
enum tgctl_status describe_knobs(const char *wanted);

#endif /* TGCTL_DESCRIBE_H */
