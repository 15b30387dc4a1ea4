/* SPDX-License-Identifier: GPL-2.0 */
/*
 * settings.c: what is in force for all devices, and for those that come.
 */
#ifndef TGD_SETTINGS_H
#define TGD_SETTINGS_H

#include <stdio.h>

#include <tg/spec.h>

struct device;

/**
 * struct settings - what holds for each device, and for those that come
 * @policy: its number
 * @knobs: of the core, each
 * @policy_knobs: of @policy, each
 * @spec: in force; NULL: none
 * @trace_kib: room for each device's trace; 0: nothing is recorded
 * @system: the daemon serves all users
 * @end_stuck: end a program whose launch is lost though it was to end early
 */
struct settings {
	u32 policy;
	s64 knobs[TG_KNOBS], policy_knobs[TG_KNOBS_MAX];
	struct spec {
		struct tg_spec spec;
		u32 len;
	} *spec;
	u32 trace_kib;
	bool system, end_stuck;
};

extern struct settings settings;

void settings_init(u32 policy);
int settings_read_knob(FILE *to, const char *name);
void settings_list_knobs(FILE *to);
int settings_set_knob(const char *name, s64 value);
const char *settings_policy_name(void);
int settings_set_policy(const char *name);
int spec_commit(const char *text, u32 len, bool rematch, char *result, size_t room);
u32 settings_first_policy(void);
void settings_feed(struct device *d);
void settings_policy_knobs(struct device *d);

#endif /* TGD_SETTINGS_H */
