/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tgctl save (config.c), tgctl init (init.c): the configuration as a whole. Called by main.c through
 * its table of verbs. And whether it has an effect: called by load, clients and top.
 */
#ifndef TGCTL_CONFIG_H
#define TGCTL_CONFIG_H

#include "tgctl.h"

enum tgctl_status tgctl_save(const struct tgctl_args *args);
enum tgctl_status tgctl_init(const struct tgctl_args *args);

/**
 * config_kept() - the text in force, without settings that are not in force any more, and with the
 * virtual GPUs that there are
 * @size: its bytes
 *
 * Loaded, it changes neither the policy nor a knob nor a virtual GPU.
 *
 * Return: the text, which the caller frees, or NULL after a message.
 */
char *config_kept(size_t *size);

/**
 * tgctl_no_effect() - why the specification in force delays nobody
 *
 * Return: one line without its end, or NULL: it does, or the module does not say. Silent.
 */
const char *tgctl_no_effect(void);

/** tgctl_no_effect_of() - the same for a policy of that name, with or without a dry run */
const char *tgctl_no_effect_of(const char *policy, bool dry);

#endif /* TGCTL_CONFIG_H */
