/* SPDX-License-Identifier: GPL-2.0 */
/*
 * trace.c: what is fed to a device's core and what comes out, recorded.
 */
#ifndef TGD_TRACE_H
#define TGD_TRACE_H

#include <tg/types.h>

struct device;
struct tg_action;
struct tg_event;

void trace_start(struct device *d);
void trace_begin(struct device *d, const struct tg_event *ev, u32 spec_len);
void trace_action(struct device *d, const struct tg_action *action);
void trace_end(struct device *d, const struct tg_event *ev, u32 spec_len, int result);

#endif /* TGD_TRACE_H */
