# SPDX-License-Identifier: GPL-2.0
# tgctl and its test. Included by the Makefile; works alone: make -f mk/tgctl.mk

B ?= build
CC ?= cc
include mk/version.mk

TGCTL_CFLAGS := -std=gnu11 -O2 -g -Wall -Wextra -Werror -D_GNU_SOURCE \
	-Wno-unused-parameter -fno-strict-aliasing -Iinclude/env/user -Iinclude -Iinclude/uapi -Isrc/trace -Itools -I$(B)

# It replays traces with src/trace.
TGCTL_SRC := $(wildcard tools/tgctl/*.c) \
	$(addprefix src/trace/,mem.c replay.c trace.c spans.c perfetto.c plot.c picture.c waits.c) $(wildcard tools/lib/*.c) $(wildcard tools/tgd/*.c) src/user/client/place.c
TGCTL_OBJ := $(TGCTL_SRC:%.c=$(B)/obj/tgctl/%.o)
TGCTL_TEST := $(B)/tests/unit/tgctl_cli

.PHONY: tgctl check-tgctl
tgctl: $(B)/bin/tgctl

$(B)/bin/tgctl: $(TGCTL_OBJ) $(B)/lib/libtgcore.a
	@mkdir -p $(@D)
	$(CC) $(TGCTL_CFLAGS) -o $@ $^ -lncursesw -ltinfo

$(TGCTL_OBJ): $(B)/obj/tgctl/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(TGCTL_CFLAGS) -MMD -MP -c -o $@ $<

# The test runs the program: $TGCTL, or the one that was built with it.
$(TGCTL_TEST): tests/unit/tgctl_cli.c $(B)/bin/tgctl
	@mkdir -p $(@D)
	$(CC) $(TGCTL_CFLAGS) -DTGCTL='"$(abspath $(B)/bin/tgctl)"' -MMD -MP -MF $@.d -o $@ $<

$(TGCTL_OBJ) $(TGCTL_TEST): $(B)/version.h

check-tgctl: $(TGCTL_TEST)
	$(TGCTL_TEST)

-include $(TGCTL_OBJ:.o=.d) $(TGCTL_TEST:=.d)

# tgrund, the helper of `tgctl run` (not part of `make`: it wants libsystemd, scripts/setup deb), and the test of its limits
TGRUND_OBJ := $(patsubst %.c,$(B)/obj/tgctl/%.o,$(wildcard tools/tgrund/*.c))
TGRUND_TEST := $(B)/tests/unit/tgrund_limits

.PHONY: tgrund
tgrund: $(B)/bin/tgrund

# What it shares with tgctl
$(B)/lib/libtgctl.a: $(filter-out %/main.o,$(TGCTL_OBJ))
	@mkdir -p $(@D)
	@rm -f $@
	ar rcs $@ $^

$(B)/bin/tgrund: $(TGRUND_OBJ) $(B)/lib/libtgctl.a $(B)/lib/libtgcore.a
	@mkdir -p $(@D)
	$(CC) $(TGCTL_CFLAGS) -o $@ $^ -lsystemd

$(TGRUND_OBJ): $(B)/obj/tgctl/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(TGCTL_CFLAGS) -MMD -MP -c -o $@ $<

$(TGRUND_TEST): tests/unit/tgrund_limits.c $(B)/obj/tgctl/tools/tgrund/limits.o $(B)/lib/libtgctl.a $(B)/lib/libtgcore.a
	@mkdir -p $(@D)
	$(CC) $(TGCTL_CFLAGS) -Wno-missing-field-initializers -MMD -MP -MF $@.d -o $@ $(filter-out %.h,$^)

$(TGRUND_OBJ): $(B)/version.h

# The rest of the world, for tests/unit/tgrund
$(B)/tests/unit/tgrund_world: tests/unit/tgrund_world.c
	@mkdir -p $(@D)
	$(CC) $(TGCTL_CFLAGS) -o $@ $< -lsystemd

-include $(TGRUND_OBJ:.o=.d) $(TGRUND_TEST:=.d)
