/* SPDX-License-Identifier: GPL-2.0 */
/* parts.c: devices that consist of parts. */
#ifndef TGK_PARTS_H
#define TGK_PARTS_H

#include "tgk.h"

struct device;
struct tgk_driver;

const struct tgk_driver *tgk_part_of(const struct device *dev);
void tgk_part_moves(const struct device *dev);
void tgk_part_rests(const struct device *dev);
bool tgk_parts_rest(void);

#endif /* TGK_PARTS_H */
