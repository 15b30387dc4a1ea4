/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The eight applications, and Throttle. */
#ifndef GLOOP_APPS_ALL_H
#define GLOOP_APPS_ALL_H

#include "echo.h"
#include "grep.h"
#include "hybridsort.h"
#include "lavamd.h"
#include "match.h"
#include "matmul.h"
#include "mummer.h"
#include "throttle.h"
#include "tpacf.h"

#endif /* GLOOP_APPS_ALL_H */
