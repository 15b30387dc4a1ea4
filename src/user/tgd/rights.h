/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rights.c: no descriptor that a peer sends makes the daemon wait.
 */
#ifndef TGD_RIGHTS_H
#define TGD_RIGHTS_H

#include <sys/types.h>
#include <tg/types.h>

void rights_refuse(int listener);
ssize_t rights_recv(int fd, void *buf, size_t size);
void rights_close(int fd);

#endif /* TGD_RIGHTS_H */
