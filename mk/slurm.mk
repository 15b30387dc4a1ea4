# SPDX-License-Identifier: GPL-2.0
# The plugin for Slurm. It is bound to the version of Slurm whose headers it is built with (libslurm-dev,
# scripts/setup slurm), so it is in no package of ours: docs/slurm.md.

B ?= build
CC ?= cc

SLURM_CFLAGS := -std=gnu11 -g -O2 -fPIC -Wall -Wextra -Werror -Wno-unused-parameter -D_GNU_SOURCE -Iinclude -Itools
SLURM_OBJ := $(patsubst %.c,$(B)/obj/slurm/%.o,$(wildcard src/user/slurm/*.c) tools/lib/cgroup.c tools/tgd/files.c)
SLURM_DIR ?= $(PREFIX)/lib/timegraph

.PHONY: slurm install-slurm
slurm: $(B)/lib/timegraph-slurm.so

$(SLURM_OBJ): $(B)/obj/slurm/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(SLURM_CFLAGS) -MMD -MP -c -o $@ $<

# Slurm's own functions are in the program that loads it.
$(B)/lib/timegraph-slurm.so: $(SLURM_OBJ) src/user/slurm/timegraph-slurm.map
	@mkdir -p $(@D)
	$(CC) $(SLURM_CFLAGS) -shared -Wl,--version-script=src/user/slurm/timegraph-slurm.map -o $@ $(SLURM_OBJ)

install-slurm: $(B)/lib/timegraph-slurm.so
	install -d $(DESTDIR)$(SLURM_DIR) $(DESTDIR)$(PREFIX)/share/timegraph/slurm
	install -s -m 644 $< $(DESTDIR)$(SLURM_DIR)
	install -m 644 src/user/slurm/cli_filter.lua $(DESTDIR)$(PREFIX)/share/timegraph/slurm

-include $(SLURM_OBJ:.o=.d)
