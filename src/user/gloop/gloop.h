/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * GLoop: an event-driven runtime for GPU programs (Suzuki et al., SoCC 2017). A program's kernel is
 * a set of callbacks. It can be suspended between two of them, and it can do I/O.
 *
 *	auto entry = [=] GLOOP_DEVICE (gloop::DeviceLoop *loop) {
 *		gloop::postTask(loop, [=](gloop::DeviceLoop *loop) { ... });
 *	};
 *	gloop::HostLoop host;
 *	gloop::launch_config config;
 *	config.logical = 1000;
 *	config.threads = 256;
 *	if (host.launch(config, entry))
 *		fprintf(stderr, "%s\n", host.why());
 *
 * Header-only. nvcc (--extended-lambda, sm_70 or newer) makes a kernel of it; any other compiler
 * (C++17, -pthread) makes host threads of it, one for each block, each with one thread.
 * docs/gloop.md is the manual.
 */
#ifndef GLOOP_H
#define GLOOP_H

#include "env.h"
#include "fs.h"
#include "host.h"
#include "loop.h"
#include "net.h"

#endif /* GLOOP_H */
