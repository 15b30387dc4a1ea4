/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Chooses what a device loop runs on: the GPU under nvcc, threads of the host under any other
 * compiler. Nothing else asks which of the two it is.
 */
#ifndef GLOOP_ENV_H
#define GLOOP_ENV_H

#ifdef __CUDACC__
#include "env_cuda.h"
#else
#include "env_host.h"
#endif

#endif /* GLOOP_ENV_H */
