/* SPDX-License-Identifier: GPL-2.0 */
/*
 * attach.c: finds GPUs, and lets go of them.
 */
#ifndef TGK_ATTACH_H
#define TGK_ATTACH_H

int tgk_attach_init(void);
void tgk_attach_exit(void);

#endif /* TGK_ATTACH_H */
