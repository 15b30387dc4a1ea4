/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * watch.c: a thread waits for the ends of launches where callbacks come late.
 */
#ifndef TGCL_WATCH_H
#define TGCL_WATCH_H

#include <stdbool.h>
#include <stdint.h>

struct device;
struct flight;

bool watch_by_callback(struct device *d);
bool watch(struct flight *f);
void watch_judge(struct device *d, bool callback, int64_t lag);

#endif /* TGCL_WATCH_H */
