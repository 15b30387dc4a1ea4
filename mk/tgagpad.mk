# SPDX-License-Identifier: GPL-2.0
# tgagpad: the daemon that reports the foreground window. Not part of `make`: it wants
# `scripts/setup x11`. Works alone: make -f mk/tgagpad.mk

B ?= build
CC ?= cc
include mk/version.mk

TGAGPAD_CFLAGS := -std=gnu11 -O2 -g -Wall -Wextra -Werror -D_GNU_SOURCE -Iinclude -Itools -I$(B)

.PHONY: tgagpad
tgagpad: $(B)/bin/tgagpad

$(B)/bin/tgagpad: $(addprefix tools/tgagpad/,main.c sway.c wlr.c x11.c match.c agpad.h) tools/lib/opt.c tools/lib/opt.h $(B)/version.h include/uapi/timegraph.h
	@mkdir -p $(@D)
	$(CC) $(TGAGPAD_CFLAGS) -o $@ $(filter %.c,$^) -lxcb -lxcb-res -lwayland-client -ljson-c
