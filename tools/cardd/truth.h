/* SPDX-License-Identifier: GPL-2.0 */
/*
 * truth.h - the ground truth as cardd tells it: one line of JSON, which docs/card.md describes.
 *
 * Called by main.c under `card_lock`, and by tests/card/cardd.c.
 */
#ifndef CARDD_TRUTH_H
#define CARDD_TRUTH_H

#include "card.h"
#include "vfu.h"

/*
 * truth_count() - some groups may have completed since the last call: count the messages that were
 * waited for
 */
void truth_count(const struct card *card, const struct vfu *vfu);

/**
 * truth_json() - the ground truth up to now; lets the card catch up first, but for no more than a
 * second, since nothing else is served meanwhile
 * @len: set to its length, newline included
 *
 * Return: to be freed; NULL when memory is short.
 */
char *truth_json(struct card *card, const struct vfu *vfu, size_t *len);

#endif
