/* SPDX-License-Identifier: GPL-2.0 */
/*
 * socket.c: the connections of programs, which become clients, and of tools.
 */
#ifndef TGD_SOCKET_H
#define TGD_SOCKET_H

#include <tg/types.h>

#include "main.h"

struct client;

#define TGD_PER_USER	128	/* connections of one user */

/**
 * struct conn - a connection
 * @socket: its source
 * @process: pidfd; -1: there is none
 * @pid: of the peer
 * @uid: of the peer
 * @client: what it is, after HELLO; NULL: a tool, or nothing yet
 * @content: what a tool reads
 * @len: bytes of it
 * @spec: what a tool has written to `spec`
 * @spec_len: bytes of it
 * @next: of all
 */
struct conn {
	struct source socket, process;
	u32 pid, uid;
	struct client *client;
	char *content;
	size_t len;
	char *spec;
	size_t spec_len;
	struct conn *next;
};

void socket_open(int fd);
u32 conns_open(void);

#endif /* TGD_SOCKET_H */
