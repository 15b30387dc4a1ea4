/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tgctl policy, tgctl knob, tgctl version: single values of the module. Called by main.c through
 * its table of verbs; the knobs by config.c, too.
 */
#ifndef TGCTL_SETTINGS_H
#define TGCTL_SETTINGS_H

#include "tgctl.h"

enum tgctl_status tgctl_knob(const struct tgctl_args *args);
enum tgctl_status tgctl_policy(const struct tgctl_args *args);
enum tgctl_status tgctl_version(const struct tgctl_args *args);

/**
 * settings_knobs() - the knobs: the files of knobs/ that have a file NAME_min beside them
 *
 * Return: their names, sorted, NULL-terminated; NULL after a message.
 */
char **settings_knobs(void);

/**
 * settings_value() - the number in a knob's file
 * @knob: its name
 * @suffix: "" for its value; "_min", "_max", "_default" for the files beside it
 * @value: the number
 *
 * Return: false, after a message.
 */
bool settings_value(const char *knob, const char *suffix, long long *value);

#endif /* TGCTL_SETTINGS_H */
