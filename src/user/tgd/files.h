/* SPDX-License-Identifier: GPL-2.0 */
/*
 * files.c: what tools read and write, by the names of files.
 */
#ifndef TGD_FILES_H
#define TGD_FILES_H

#include <tg/types.h>

struct conn;

int file_read(struct conn *conn, const char *name);
int file_write(struct conn *conn, const char *name, const char *data, u32 offset, u32 len);
int file_list(struct conn *conn, const char *name);

#endif /* TGD_FILES_H */
