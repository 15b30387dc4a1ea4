/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which specifications tgd takes: what it and `tgctl check` share.
 */
#ifndef TOOLS_TGD_TAKES_H
#define TOOLS_TGD_TAKES_H

#include <tg/spec.h>

/**
 * tgd_takes() - does a specification name nothing that only the kernel module can have?
 * @spec: it, without an error
 * @err: receives, if not, what and where
 */
bool tgd_takes(const struct tg_spec *spec, struct tg_spec_error *err);

#endif /* TOOLS_TGD_TAKES_H */
