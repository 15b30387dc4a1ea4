/* SPDX-License-Identifier: GPL-2.0 */
/*
 * identity.c: the identity of a client, read from /proc when it connects.
 */
#ifndef TGD_IDENTITY_H
#define TGD_IDENTITY_H

#include <tg/types.h>

bool identity_read(struct tg_identity *id, u32 pid, u32 uid);
void identity_free(struct tg_identity *id);

#endif /* TGD_IDENTITY_H */
