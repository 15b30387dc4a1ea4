/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * rewrite.c: a program's source, changed such that a part of a kernel answers as the whole does.
 */
#ifndef TGCL_REWRITE_H
#define TGCL_REWRITE_H

struct scan;

char *rewrite(const struct scan *s);

#endif /* TGCL_REWRITE_H */
